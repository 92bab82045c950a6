package behaviours

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/project"
)

// check waits for the end of the run, and compares what is recorded with what must hold.
func (r *run) check(ctx context.Context) error {
	if err := r.over(ctx); err != nil {
		return fmt.Errorf("%w before its end; %s", err, r.seen(context.WithoutCancel(ctx)))
	}
	want := &r.b.Want
	switch {
	case want.Refused == "" && r.refusal != nil:
		return fmt.Errorf("it could not begin: %w", r.refusal)
	case want.Refused != "" && (r.refusal == nil || !strings.Contains(r.refusal.Error(), want.Refused)):
		return fmt.Errorf("the error is %w, want one with %q; %s", r.refusal, want.Refused, r.seen(ctx))
	}
	var problems []error
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if err := r.status(ctx); err != nil {
		wrong("%w", err)
	}
	if err := r.counts(ctx); err != nil {
		wrong("%w", err)
	}
	events, err := r.place.Store().Load(ctx, r.id)
	if err != nil {
		if want.Refused != "" && want.Status == "" { // no run was begun
			return errors.Join(problems...)
		}
		return err
	}
	if err := execution.CheckEvents(events); err != nil {
		wrong("%w", err)
	}
	r.compareEnd(events, wrong)
	if got := describe(events); !matches(got, want.Events) {
		wrong("the events are\n  %s\nwant\n  %s", got, want.Events)
	}
	if want.Keys != "" && r.up.keys(r.b.Name) != want.Keys {
		wrong("the idempotency keys are %s, want %s", r.up.keys(r.b.Name), want.Keys)
	}
	if src, err := json.Marshal(events); err != nil || want.Without != "" && bytes.Contains(src, []byte(want.Without)) {
		wrong("what is recorded has %q (%v)", want.Without, err)
	}
	if n := answers(events); n != want.Answers {
		wrong("%d questions were answered, want %d", n, want.Answers)
	}
	if len(problems) > 0 {
		wrong("%s", r.seen(ctx))
	}
	return errors.Join(problems...)
}

// status waits until the store has the status that the run must have.
func (r *run) status(ctx context.Context) error {
	want := r.b.status()
	if want == "" {
		return nil
	}
	var got journal.Run
	var err error
	for range 200 {
		if got, err = r.place.Store().Exact(ctx, r.id); err == nil && string(got.Status) == want {
			return nil
		}
		if err := r.tick(ctx); err != nil {
			return err
		}
	}
	return fmt.Errorf("the status of the run is %q (%w), want %q", got.Status, err, want)
}

// status returns the status that the run must have.
func (b *Behaviour) status() string {
	switch {
	case b.Want.Status != "":
		return b.Want.Status
	case b.Want.Refused != "":
		return ""
	case b.Want.Fails == "":
		return string(journal.Finished)
	case b.Want.Fails == "cancelled":
		return string(journal.Cancelled)
	}
	return string(journal.Failed)
}

// counts compares the calls at the server. A notification that a call is cancelled may come after the end of the run.
func (r *run) counts(ctx context.Context) error {
	var got string
	for range 200 {
		if got = r.up.counted(r.b.Name); got == r.b.Want.Calls {
			return nil
		}
		if err := r.tick(ctx); err != nil {
			return err
		}
	}
	return fmt.Errorf("the server counts %q, want %q", got, r.b.Want.Calls)
}

// compareEnd compares the result or the failure of a run.
func (r *run) compareEnd(events []execution.Event, wrong func(format string, args ...any)) {
	want := &r.b.Want
	end := events[len(events)-1].End
	switch {
	case want.Refused != "" || want.Status == string(journal.Interrupted):
	case end == nil:
		wrong("the run has no end, want %s%s", want.Result, want.Fails)
	case want.Fails == "" && end.Failure != nil:
		wrong("the run failed with %s: %s, want %s", end.Failure.Kind(), end.Failure.Message, want.Result)
	case want.Fails == "":
		if got, err := value.Encode(end.Value); err != nil || want.Result != "" && string(got) != want.Result {
			wrong("the result is %.400s (%v), want %s", got, err, want.Result)
		}
	case end.Failure == nil:
		got, _ := value.Encode(end.Value)
		wrong("the result is %.400s, want the failure %s", got, want.Fails)
	case string(end.Failure.Kind()) != want.Fails || !strings.Contains(end.Failure.Message, want.Says):
		wrong("the run failed with %s: %s, want %s with %q", end.Failure.Kind(), end.Failure.Message, want.Fails, want.Says)
	}
}

// matches compares events with a pattern in which "…" stands for any.
func matches(got, pattern string) bool {
	if pattern == "" {
		return true
	}
	parts := strings.Split(pattern, "…")
	if len(parts) == 1 {
		return got == pattern
	}
	for i, part := range parts {
		part = strings.Trim(part, ", ")
		at := strings.Index(got, part)
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		got = got[at+len(part):]
	}
	return parts[len(parts)-1] == "" || got == ""
}

// fork waits for the end of the run, and continues it as another one.
func (r *run) fork(ctx context.Context, p Process, at execution.Address) error {
	f, can := p.(Forker)
	if !can {
		return errors.New("the place cannot fork, and does not say so")
	}
	if err := r.over(ctx); err != nil {
		return err
	}
	from := r.id
	r.id += "-fork"
	r.send(func() error { return f.Fork(r.all, r.task(), from, at) })
	return nil
}

// replay waits for the end of the run, and makes it again from what is recorded, without servers: it ends alike.
func (r *run) replay(ctx context.Context) error {
	if err := r.over(ctx); err != nil {
		return err
	}
	if err := r.until(ctx, string(execution.RunFinished)); err != nil {
		return err
	}
	events, err := r.place.Store().Load(ctx, r.id)
	if err != nil {
		return err
	}
	p, err := project.Load(ctx, filepath.Join(r.dir, "0", r.b.Name+".yaml"), config.Options{})
	if err != nil {
		return err
	}
	g, err := p.Graph(r.b.Name)
	if err != nil {
		return err
	}
	played := execution.NewRecording(events, 0)
	again := &journal.Memory{}
	_, err = execution.New(played, execution.WithJournal(again), execution.WithCache(played), execution.WithUser(played)).
		Run(ctx, g, events[0].Start.Args, execution.WithRunID(r.id))
	var step *execution.StepError
	if err != nil && !errors.As(err, &step) {
		return err
	}
	replayed, err := again.Load(ctx, r.id)
	if err != nil {
		return err
	}
	if was, is := ending(events), ending(replayed); was != is {
		return fmt.Errorf("replayed, it ends with %s, recorded is %s", is, was)
	}
	return nil
}

// ending returns the end of a run as text.
func ending(events []execution.Event) string {
	end := events[len(events)-1].End
	if end == nil {
		return "no end"
	}
	if end.Failure != nil {
		return cmp.Or(string(end.Failure.Kind()), "?") + ": " + end.Failure.Message
	}
	src, err := value.Encode(end.Value)
	if err != nil {
		return err.Error()
	}
	return string(src)
}
