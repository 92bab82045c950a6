package execution_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/execution/call"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

const oneTask = `
- {id: entry, type: entry, next: pay}
- {id: pay, type: mcp, server: up, tool: pay, args: {n: {expr: $.entry.n}}, retry: {attempts: 2, delayMs: 1, codes: [timeout]}, next: exit}
- {id: exit, type: exit}
`

// taskGraph has two calls at most: a task that is taken up is none.
func taskGraph(t *testing.T) *graph.Graph {
	return build(t, "executionLimits: {maxCalls: 2}\n"+inFile("{}", oneTask))
}

// taskServer answers calls with the task t-1, and notes what comes.
type taskServer struct {
	lost  bool  // it does not know the task any more
	fails error // of the first that comes
	came  []string
	ctx   context.Context //nolint:containedctx // of the last call
}

type taskError string

func (e taskError) Error() string     { return "no such task" }
func (e taskError) ErrorCode() string { return string(e) }

func (s *taskServer) CallTool(ctx context.Context, c execution.Call) (value.Value, error) {
	s.ctx = ctx
	s.came = append(s.came, strings.TrimSpace("call "+c.Task))
	if c.Task == "" {
		call.TaskBegun(ctx, "t-1")
	} else if s.lost {
		return nil, taskError(call.CodeTaskUnknown)
	}
	if err := s.fails; err != nil {
		s.fails = nil
		return nil, err
	}
	return 7.0, nil
}

// interrupted is the journal of a run whose process died while it awaited a task.
func interrupted(t *testing.T, change func(*execution.Event)) *cut {
	t.Helper()
	whole := &journal.Memory{}
	if _, err := execution.New(&taskServer{}, execution.WithJournal(whole), execution.WithRunID("r")).Run(t.Context(), taskGraph(t), decode(t, `{"n": 1}`)); err != nil {
		t.Fatal(err)
	}
	events, _ := whole.Load(t.Context(), "r")
	at := slices.IndexFunc(events, func(e execution.Event) bool { return e.Step != nil && e.Step.Task == "t-1" })
	if at != 3 || !events[at].Sync || events[at-1].Kind != execution.CallStarted || events[at-1].Step.Task != "" {
		t.Fatalf("the task is event %d", at)
	}
	kept := &cut{left: -1}
	for _, e := range events[:at+1] {
		if change != nil && e.Step != nil && e.Step.Task != "" {
			visit := *e.Step
			e.Step = &visit
			change(&e)
		}
		_ = kept.Append(t.Context(), e)
	}
	return kept
}

// A run is not forked while a task of it may go on: the task would be that of two runs. It is resumed first.
func TestForkWithTask(t *testing.T) {
	kept, server := interrupted(t, nil), &taskServer{}
	events, _ := kept.Load(t.Context(), "r")
	_, err := execution.New(server).Fork(t.Context(), taskGraph(t), events, execution.Fork{At: "1"})
	const want = "during the call to up.pay at step 1, which its server has answered with a task: its outcome is unknown until the run is resumed, which takes the task up"
	if !errors.Is(err, execution.ErrInDoubt) || !strings.Contains(err.Error(), want) || server.came != nil {
		t.Errorf("%v after %v", err, server.came)
	}
	result, err := execution.New(server).Fork(t.Context(), taskGraph(t), events, execution.Fork{At: "1", Repeat: true})
	if err != nil || result.Value != 7.0 || strings.Join(server.came, ", ") != "call" {
		t.Errorf("repeated: %+v, %v after %v", result, err, server.came)
	}
}

// The task of a call is recorded, and a resumed run takes it up: the call is neither made again nor asked about, unless
// the server does not know the task any more.
func TestTaskIsTakenUp(t *testing.T) {
	const unknown = "the process died during the call to up.pay, and its outcome is unknown"
	another := func(e *execution.Event) { e.Step.Digest = "0123456789abcdef" }
	for name, test := range map[string]struct {
		lost   bool
		change func(*execution.Event)
		found  execution.Resolution
		always bool
		came   string
		want   string // of the error; else the value is 7
	}{
		"known":                   {came: "call t-1"},
		"known and repeatable":    {always: true, came: "call t-1"},
		"known and to be made":    {found: execution.Resolution{Repeat: true}, came: "call t-1"},
		"answered":                {found: execution.Resolution{Value: 7.0}},
		"lost":                    {lost: true, came: "call t-1", want: unknown},
		"lost and repeatable":     {lost: true, always: true, came: "call t-1, call"},
		"lost and to be made":     {lost: true, found: execution.Resolution{Repeat: true}, came: "call t-1, call"},
		"lost and all to be made": {lost: true, found: execution.Resolution{RepeatAll: true}, came: "call t-1, call"},
		"of other arguments":      {change: another, want: unknown},
	} {
		kept, server := interrupted(t, test.change), &taskServer{lost: test.lost}
		events, _ := kept.Load(t.Context(), "r")
		opts := []execution.Option{execution.WithJournal(kept), execution.WithResolution(test.found)}
		if test.always {
			opts = append(opts, execution.WithRepeatable(always))
		}
		result, err := execution.New(server, opts...).Resume(t.Context(), taskGraph(t), events)
		if got := strings.Join(server.came, ", "); got != test.came {
			t.Errorf("%s: the server got %q, want %q", name, got, test.came)
		}
		if test.want == "" && (err != nil || result.Value != 7.0) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, %v", name, result, err)
		}
		if all, _ := kept.Load(t.Context(), "r"); execution.CheckEvents(all) != nil {
			t.Errorf("%s: %v", name, execution.CheckEvents(all))
		}
	}
}

// A run that has ended because of a lost task asks for it again, and is resolved as any other.
func TestTaskIsLostTwice(t *testing.T) {
	kept := interrupted(t, nil)
	for _, test := range []struct {
		found execution.Resolution
		came  string
	}{{came: "call t-1"}, {came: "call t-1"}, {execution.Resolution{Repeat: true}, "call t-1, call"}} {
		server := &taskServer{lost: true}
		events, _ := kept.Load(t.Context(), "r")
		_, err := execution.New(server, execution.WithJournal(kept), execution.WithResolution(test.found)).Resume(t.Context(), taskGraph(t), events)
		if got := strings.Join(server.came, ", "); got != test.came || (err == nil) != test.found.Repeat {
			t.Errorf("the server got %q, %v", got, err)
		}
		if err != nil && !strings.Contains(err.Error(), "its task t-1 was not found: no such task") {
			t.Error(err)
		}
	}
}

// An attempt after that of a task is a call.
func TestTaskIsOfOneAttempt(t *testing.T) {
	server := &taskServer{fails: taskError("timeout")}
	events, _ := interrupted(t, nil).Load(t.Context(), "r")
	result, err := execution.New(server).Resume(t.Context(), taskGraph(t), events)
	if err != nil || result.Value != 7.0 || fmt.Sprint(server.came) != "[call t-1 call]" {
		t.Errorf("%v, %v: the server got %q", result, err, server.came)
	}
}

// A task goes on when its run does, and only then.
func TestTaskStays(t *testing.T) {
	for cause, want := range map[error]bool{
		execution.ErrSuspended: true, fmt.Errorf("run r: %w", execution.ErrTaken): true, context.Canceled: false, errors.New("a limit"): false,
	} {
		ctx, stop := context.WithCancelCause(t.Context())
		server := &stopping{stop: func() { stop(cause) }}
		_, _ = execution.New(server).Run(ctx, taskGraph(t), decode(t, `{"n": 1}`))
		if server.stays != want {
			t.Errorf("%v: the task stays: %t", cause, server.stays)
		}
	}
}

type stopping struct {
	stop  func()
	stays bool
}

func (s *stopping) CallTool(ctx context.Context, _ execution.Call) (value.Value, error) {
	s.stop()
	s.stays = call.TaskStays(ctx)
	return nil, ctx.Err()
}

// A call that was answered with a task is one call for a recording.
func TestTaskIsOneCall(t *testing.T) {
	whole := &journal.Memory{}
	g := taskGraph(t)
	if _, err := execution.New(&taskServer{}, execution.WithJournal(whole), execution.WithRunID("r")).Run(t.Context(), g, decode(t, `{"n": 1}`)); err != nil {
		t.Fatal(err)
	}
	events, _ := whole.Load(t.Context(), "r")
	played := execution.NewRecording(events, 0)
	c := execution.Call{Index: 1, Server: "up", Tool: "pay", Args: decode(t, `{"n": 1}`)}
	if v, err := played.CallTool(t.Context(), c); err != nil || v != 7.0 {
		t.Errorf("got %v, %v", v, err)
	}
	if v, err := played.CallTool(t.Context(), c); err == nil {
		t.Errorf("the recording has another call, that returned %v", v)
	}
}
