package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// cancelTime is how long a run may take to end once its process has been asked.
const cancelTime = 30 * time.Second

// CancelRun cancels a run and returns its id when it has ended.
func CancelRun(ctx context.Context, store *journal.Store, named string) (id string, err error) {
	run, err := store.Run(ctx, named)
	if err != nil {
		return "", err
	}
	return run.ID, cancelRun(ctx, store, run, "")
}

// CancelRecorded cancels a run, which is given by its complete id, and returns when it has ended, also if it had ended before, or
// is not recorded. why is added to the failure of the run.
func CancelRecorded(ctx context.Context, store *journal.Store, id, why string) error {
	run, err := store.Exact(ctx, id)
	switch {
	case errors.Is(err, journal.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	err = cancelRun(ctx, store, run, why)
	if run, again := store.Exact(ctx, id); again == nil && run.HasEnded() {
		return nil // before, or because of this
	}
	return err
}

// cancelMail is the body of a message that cancels a run.
type cancelMail struct {
	Why string `json:"why,omitempty"` // empty: no reason is given
}

// cause is the cause of the end of the run.
func (m *cancelMail) cause() error {
	if m.Why == "" {
		return context.Canceled
	}
	return &execution.CancelledError{Why: m.Why}
}

// cancelRun cancels a run and returns when it has ended. Without why no reason is given.
func cancelRun(ctx context.Context, store *journal.Store, run journal.Run, why string) error {
	body, err := json.Marshal(cancelMail{Why: why})
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, cancelTime)
	defer stop()
	for run.InProgress() {
		err := store.Send(ctx, run.Owner, journal.Message{Run: run.ID, Kind: kindCancel, Body: body})
		switch {
		case errors.Is(err, journal.ErrNoProcess):
			return fmt.Errorf("run %s is in progress in a process that takes no messages%s; it has just begun, or its command takes none: try again, or stop that command itself, with Ctrl-C",
				run.ID, processText(run))
		case err != nil:
			return err
		}
		again, cancel := context.WithTimeout(ctx, sendAgain)
		next, err := store.Wait(again, run.ID, func(r journal.Run) bool { return !r.InProgress() || r.Owner != run.Owner })
		cancel()
		switch {
		case err == nil:
			run = next
		case ctx.Err() != nil:
			return fmt.Errorf("run %s has not ended within %v, although its process%s was asked to cancel it; its call in flight may take longer",
				run.ID, cancelTime, processText(run))
		case !errors.Is(err, context.DeadlineExceeded):
			return err
		}
	}
	switch {
	case run.CanResume():
		return endCancelled(ctx, store, run.ID, why)
	case run.Status == journal.Cancelled:
		return nil
	}
	return fmt.Errorf("run %s has ended (%s), so it cannot be cancelled", run.ID, run.Status)
}

// Cancels returns what cancels a recorded run of any process, as CancelRun does; nil when runs are not recorded.
func (s *Session) Cancels() func(ctx context.Context, run string) error {
	if s.History == nil {
		return nil
	}
	return func(ctx context.Context, run string) error {
		_, err := CancelRun(ctx, s.History, run)
		return err
	}
}

// endCancelled records the end of an interrupted run, of which no client gets anything.
func endCancelled(ctx context.Context, store *journal.Store, id, why string) error {
	message := "the run was cancelled while it was interrupted"
	if why != "" {
		message += ": " + why
	}
	if err := store.Claim(ctx, id); err != nil {
		return err
	}
	events, err := store.Load(ctx, id)
	if err != nil {
		return err
	}
	end := &execution.End{Used: execution.UsedBy(events), Failure: &execution.Failure{Code: execution.CodeCancelled, Message: message}}
	return store.Journal(nil, journal.About{}).Append(ctx, execution.Event{
		Kind: execution.RunFinished, Run: id, Time: time.Now(), End: end, Sync: true,
	})
}

// processText names the process of a run in messages.
func processText(run journal.Run) string {
	if run.Process == nil {
		return ""
	}
	return " (" + run.Process.String() + ")"
}
