package behaviours

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolgraph/execution"
)

// run is the run of a behaviour.
type run struct {
	*drive
	b       *Behaviour
	id      string          // changes with a fork
	round   int             // of the process that has it
	all     context.Context //nolint:containedctx // of the whole run: orders outlive the step that gives them
	ended   chan error      // of the last order: the run has ended, or could not begin; nil: after a crash
	refusal error           // of the last order
}

// whole makes the run, and returns what is wrong with it.
func (r *run) whole(ctx context.Context) error {
	p, err := r.process(ctx, 0)
	if err != nil {
		return err
	}
	r.all = ctx
	r.send(func() error { return p.Start(ctx, r.task()) })
	for i, s := range r.b.Steps {
		if err := guarded(ctx, s.do, func(ctx context.Context) error { return r.step(ctx, s) }); err != nil {
			return fmt.Errorf("step %d (%s %s): %w; %s", i+1, s.do, s.at, err, r.seen(context.WithoutCancel(ctx)))
		}
	}
	return guarded(ctx, "", r.check)
}

// guarded does something that ends before it counts as hanging. A crash waits for all other runs, and longer, so that one
// that hangs is the only one that does.
func guarded(ctx context.Context, do action, step func(context.Context) error) error {
	within := hangs
	if do == doCrash {
		within *= 4
	}
	ctx, cancel := context.WithTimeoutCause(ctx, within, errors.New("it hangs"))
	defer cancel()
	return step(ctx)
}

func (r *run) task() Task {
	return Task{Run: r.id, File: r.b.Name, Args: json.RawMessage(cmp.Or(r.b.Args, "{}")), NoUser: r.b.NoUser}
}

// send gives an order whose answer is that the run has ended, or why it could not begin.
func (r *run) send(order func() error) {
	ended := make(chan error, 1)
	r.ended = ended
	go func() { ended <- order() }()
}

// over waits until the last order is carried out.
func (r *run) over(ctx context.Context) error {
	if r.ended == nil {
		return nil
	}
	select {
	case r.refusal = <-r.ended:
		r.ended = nil
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *run) step(ctx context.Context, s Step) error {
	if s.at != "" {
		if err := r.until(ctx, s.at); err != nil {
			return err
		}
	}
	p, err := r.process(ctx, r.round)
	if err != nil {
		return err
	}
	switch s.do {
	case doCrash:
		r.ended = nil
		r.arrive(ctx, r.b, r.round)
		r.round++
		_, err = r.process(ctx, r.round)
	case doGoOn:
		if err = r.over(ctx); err == nil {
			err = r.until(ctx, "")
		}
		r.send(func() error { return p.GoOn(r.all, r.task(), s.how) })
	case doCancel:
		err = p.Cancel(ctx, r.id)
	case doAnswer:
		err = p.Answer(ctx, r.id, s.ans)
	case doWait:
		select {
		case <-time.After(s.wait):
		case <-ctx.Done():
		}
	case doTake:
		err = r.take(ctx)
	case doFork:
		err = r.fork(ctx, p, s.from)
	case doStop:
		stopper, can := p.(Stopper)
		if !can {
			return errors.New("the place cannot suspend a run, and does not say so")
		}
		err = stopper.Stop(ctx, r.id)
	case doReplay:
		err = r.replay(ctx)
	}
	return err
}

// take begins a process of its own that tries to continue the run.
func (r *run) take(ctx context.Context) error {
	thief, err := r.place.Begin(ctx, Setup{Dir: filepath.Join(r.dir, "0")})
	if err != nil {
		return err
	}
	refused := thief.GoOn(ctx, r.task(), execution.Resolution{})
	if err := thief.Kill(); err != nil {
		return err
	}
	if refused == nil {
		return errors.New("a second process could continue the run while its process was alive")
	}
	return nil
}

// until waits for an event of the run, for calls at the server, or, when empty, until another process may continue
// it.
func (r *run) until(ctx context.Context, at string) error {
	tool, times, _ := strings.Cut(at, " ")
	n, _ := strconv.Atoi(times)
	for {
		switch {
		case at == "":
			got, err := r.place.Store().Exact(ctx, r.id)
			if err == nil && !got.InProgress() {
				return nil
			}
		case isEvent(at):
			events, err := r.place.Store().Load(ctx, r.id)
			if err == nil && slices.ContainsFunc(events, func(e execution.Event) bool { return Describe(&e) == at }) {
				return nil
			}
		case r.up.made(r.b.Name, tool) >= n:
			return nil
		}
		if err := r.tick(ctx); err != nil {
			return err
		}
	}
}

// answers counts the answers of a run.
func answers(events []execution.Event) (n int) {
	for _, e := range events {
		if e.Kind == execution.Answered {
			n++
		}
	}
	return n
}

// tick waits a moment. The error is why there is nothing to wait for.
func (r *run) tick(ctx context.Context) error {
	select {
	case err := <-r.ended:
		r.ended = nil
		if r.refusal = err; err != nil {
			return fmt.Errorf("the run could not begin: %w", err)
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(15 * time.Millisecond):
		return nil
	}
}

// seen describes what is recorded, for messages.
func (r *run) seen(ctx context.Context) string {
	events, err := r.place.Store().Load(ctx, r.id)
	if err != nil {
		return fmt.Sprintf("the recorded run cannot be read: %v", err)
	}
	return fmt.Sprintf("recorded: %s\nthe server counts: %s", describe(events), r.up.counted(r.b.Name))
}

func describe(events []execution.Event) string {
	var all []string
	for i := range events {
		all = append(all, Describe(&events[i]))
	}
	return strings.Join(all, ", ")
}
