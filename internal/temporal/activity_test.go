package temporal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/runtime"
)

// making is a maker that is a function.
type making func(ctx context.Context, o runtime.Order) (*execution.Result, error)

func (m making) Make(ctx context.Context, o runtime.Order) (*execution.Result, error) {
	return m(ctx, o)
}

// Text marks what it was asked for.
func (m making) Text(graph string, err error) string { return graph + ": " + err.Error() }

// Answer is away at first, and has an answer to the question "known".
func (m making) Answer(ctx context.Context, run string, q execution.Question) (execution.Answer, error) {
	switch {
	case q.Digest != "known":
		return execution.Answer{}, journal.ErrNotFound
	case away.CompareAndSwap(true, false):
		return execution.Answer{}, errors.New("the store is locked")
	}
	return execution.Answer{Action: execution.Accept, Content: value.NewObject([]string{"name"}, []value.Value{"Ada"})}, nil
}

var away atomic.Bool // the store of making

// said is a server of which one thing is known.
type said struct {
	say   func() error
	ended string
}

func (s said) Say(context.Context, []byte, Progress) error           { return s.say() }
func (s said) Ended(context.Context, string) (why string, err error) { return s.ended, nil }

// attempt makes one attempt of a run.
func attempt(t *testing.T, in Input, stop chan struct{}, m making) (out Outcome, err error) {
	t.Helper()
	return attemptSaying(t, in, stop, m, func() error { return nil })
}

func attemptSaying(t *testing.T, in Input, stop chan struct{}, m making, say func() error, ended ...string) (out Outcome, err error) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(silent)
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerStopChannel(stop)
	env.SetWorkerOptions(worker.Options{})
	a := &activities{maker: m, overseer: said{say, strings.Join(ended, "")}, seats: newSeats(1), beat: time.Millisecond, grace: time.Millisecond}
	env.RegisterActivityWithOptions(a.run, activity.RegisterOptions{Name: ActivityName})
	got, err := env.ExecuteActivity(ActivityName, in)
	if err == nil {
		err = got.Get(&out)
	}
	return out, err
}

func stepError(code execution.Code, err error) error {
	return &execution.StepError{Run: "r", Tool: "t", Err: errors.Join(&execution.Failure{Code: code, Message: "it went wrong"}, err)}
}

func TestOutcomes(t *testing.T) {
	for name, test := range map[string]struct {
		err       error
		want      Outcome
		permanent bool
		failed    string
	}{
		"value":      {want: Outcome{Status: "finished"}},
		"failure":    {err: stepError(execution.CodeTool, nil), want: Outcome{Status: "error", Code: execution.CodeTool}},
		"lacking":    {err: &execution.StepError{Err: &execution.Failure{Code: execution.CodeUser, Lacks: "elicitation"}}, want: Outcome{Status: "error", Code: execution.CodeUser, Lacks: "elicitation"}},
		"cancelled":  {err: stepError(execution.CodeCancelled, nil), want: Outcome{Status: "cancelled", Code: execution.CodeCancelled}},
		"unknown":    {err: stepError(execution.CodeOutcomeUnknown, nil), want: Outcome{Status: "error", Code: execution.CodeOutcomeUnknown}},
		"given back": {err: stepError(execution.CodeCancelled, execution.ErrSuspended), failed: "another one continues the run"},
		"never":      {err: &runtime.PermanentError{Err: errors.New("not recorded")}, permanent: true, failed: "g: not recorded"},
		"later":      {err: errors.New("the store is locked"), failed: "the store is locked"},
	} {
		out, err := attempt(t, Input{Graph: "g"}, nil, func(context.Context, runtime.Order) (*execution.Result, error) { return nil, test.err })
		if (out.Code != "") != strings.HasPrefix(out.Message, "g: ") {
			t.Errorf("%s: the message is %q, expected the text of the maker, which has no secrets", name, out.Message)
		}
		out.Message = ""
		if out != test.want || (err == nil) != (test.failed == "") || err != nil && !strings.Contains(err.Error(), test.failed) || isPermanent(err) != test.permanent {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
	}
}

// A run that asks ends with its question before another part can ask. An answer in the store counts, whichever part the
// workflow has waited for.
func TestAttemptAsks(t *testing.T) {
	q := execution.Question{At: "2", Digest: "d"}
	var stopped bool
	ask := func(ctx context.Context, o runtime.Order) (*execution.Result, error) {
		a, err := o.User.Ask(ctx, q)
		if err != nil {
			select {
			case <-o.Stop:
				stopped = true
			default:
			}
			return nil, err
		}
		name, _ := a.Content.(value.Object).Get("name")
		if a.Action != execution.Accept || name != "Ada" {
			t.Errorf("answer %+v", a)
		}
		return nil, nil
	}
	out, err := attempt(t, Input{}, nil, ask)
	if err != nil || out.Asked == nil || out.Asked.At != "2" || out.Asked.Digest != "d" || !stopped {
		t.Errorf("outcome %+v, %v, stopped %v", out, err, stopped)
	}
	for digest, again := range map[string]bool{"known": false, "d": true} {
		q.Digest = digest
		away.Store(true)
		if out, err := attempt(t, Input{Answer: &Answer{At: "3", Digest: "of another part"}}, nil, ask); err != nil || (out.Asked != nil) != again {
			t.Errorf("%s: outcome %+v, %v", digest, out, err)
		}
	}
}

// A worker that stops lets the run end before its next node, suspends a call that takes longer than the
// grace, and has the run continued elsewhere at once.
func TestAttemptStops(t *testing.T) {
	stop := make(chan struct{})
	_, err := attempt(t, Input{}, stop, func(ctx context.Context, o runtime.Order) (*execution.Result, error) {
		close(stop)
		<-o.Stop
		<-ctx.Done()
		return nil, fmt.Errorf("suspended: %w", context.Cause(ctx))
	})
	var failed *sdk.ApplicationError
	if !errors.As(err, &failed) || failed.Type() != "toolgraph.given-back" || failed.NextRetryDelay() != soon || failed.NonRetryable() {
		t.Errorf("error %v", err)
	}
}

// A run is cancelled also when the server was away before. A run that Temporal has given to another attempt ends before
// its next node, and its call in flight is left alone.
func TestAttemptHears(t *testing.T) {
	for name, test := range map[string]struct {
		last  error
		ended string
		stops bool
	}{
		"cancelled":  {last: sdk.NewCanceledError()},
		"terminated": {last: serviceerror.NewNotFound("the workflow is over"), ended: "its workflow was terminated"},
		"superseded": {last: serviceerror.NewNotFound("another attempt has it"), stops: true},
		"paused":     {last: activity.ErrActivityPaused, stops: true},
		"reset":      {last: activity.ErrActivityReset, stops: true},
	} {
		said := 0
		say := func() error {
			if said++; said < 3 {
				return serviceerror.NewUnavailable("away")
			}
			return test.last
		}
		_, _ = attemptSaying(t, Input{}, nil, func(ctx context.Context, o runtime.Order) (*execution.Result, error) {
			select {
			case <-ctx.Done():
				if test.stops || !errors.Is(context.Cause(ctx), context.Canceled) || !strings.Contains(context.Cause(ctx).Error(), test.ended) {
					t.Errorf("%s: the run ends: %v", name, context.Cause(ctx))
				}
			case <-o.Stop:
				time.Sleep(20 * time.Millisecond) // longer than the grace
				if !test.stops || ctx.Err() != nil {
					t.Errorf("%s: the run stops: %v", name, ctx.Err())
				}
			case <-time.After(hang):
				t.Errorf("%s: hangs", name)
			}
			return nil, nil
		}, say, test.ended)
	}
}

// Arguments that are not JSON are no reason to try again.
func TestAttemptWithBrokenArguments(t *testing.T) {
	_, err := attempt(t, Input{Args: []byte(`{"a":1e999999999}`)}, nil, func(context.Context, runtime.Order) (*execution.Result, error) {
		t.Error("a run was made")
		return nil, nil
	})
	if !isPermanent(err) {
		t.Errorf("error %v", err)
	}
}

// A worker without a free place asks for no work, and gives back a run that comes nevertheless.
func TestSeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSeats(1)
		if !s.take() || s.take() {
			t.Error("one place is taken once")
		}
		asked := make(chan error)
		go func() {
			_, err := s.ReserveSlot(t.Context(), nil)
			asked <- err
		}()
		synctest.Wait()
		select {
		case <-asked:
			t.Error("a worker without a place asks for work")
		default:
		}
		s.leave()
		if err := <-asked; err != nil || !s.take() {
			t.Error("the place is not free", err)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if _, err := s.ReserveSlot(ended, nil); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
