package debug_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions"
	"toolgraph/graph"
	"toolgraph/internal/debug"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// loop counts from 0 to entry.n by calls that add one.
const loop = `version: "1.0"
server: {name: test, version: 1.0.0}
executionLimits: {maxExecutionTimeMs: 60000}
mcpServers: {up: {command: up}}
tools:
- name: count
  description: counts
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: begin}
  - {id: begin, type: transform, transform: {expr: '0'}, next: more}
  - id: more
    type: switch
    conditions: [{rule: {"<": [{var: '$exists($.add) ? $.add : 0'}, {var: $.entry.n}]}, next: add}]
    next: end
  - {id: add, type: mcp, server: up, tool: inc, args: {n: {expr: '$exists($.add) ? $.add : $.begin'}}, next: more}
  - {id: end, type: transform, transform: {expr: '{"n": $.add, "turns": $executionCount("add"), "all": $nodeExecutions("add")}'}, next: exit}
  - {id: exit, type: exit}
`

type callerFunc func(ctx context.Context, args expressions.Value) (expressions.Value, error)

func (f callerFunc) CallTool(ctx context.Context, _, _ string, args expressions.Value, _ map[string]any) (expressions.Value, error) {
	return f(ctx, args)
}

// inc answers n+1.
var inc = callerFunc(func(_ context.Context, args expressions.Value) (expressions.Value, error) {
	n, _ := args.(expressions.Object).Get("n")
	f, _ := n.(float64)
	return f + 1, nil
})

func build(t testing.TB) *graph.Graph {
	t.Helper()
	file, err := config.Parse("graph.yaml", []byte(loop), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found := graph.Build(file)
	if found.Err() != nil {
		t.Fatal(found)
	}
	return graphs[0]
}

func count(n int) expressions.Value {
	return expressions.NewObject([]string{"n"}, []expressions.Value{float64(n)})
}

// start begins a run that counts to 3.
func start(t *testing.T, caller execution.ToolCaller, o debug.StartOptions) *debug.Session {
	t.Helper()
	c := debug.New(debug.Options{})
	t.Cleanup(c.Close)
	s, err := c.Start(t.Context(), build(t), count(3), execution.New(caller), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// at waits until the run is held and checks where and why.
func at(t *testing.T, s *debug.Session, node string, by debug.Reason) debug.State {
	t.Helper()
	wait(t, s)
	state := s.State()
	if state.Status != debug.Paused || state.Next.NodeID != node || state.PausedBy != by {
		t.Fatalf("the run is %s at %+v by %q, want paused at %s by %q", state.Status, state.Next, state.PausedBy, node, by)
	}
	return state
}

func wait(t *testing.T, s *debug.Session) {
	t.Helper()
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// ended waits for the end and checks the result.
func ended(t *testing.T, s *debug.Session, status debug.Status, result string) debug.State {
	t.Helper()
	<-s.Done()
	state := s.State()
	if state.Status != status || status == debug.Finished && encode(t, state.Result) != result {
		t.Fatalf("the run is %s with %s (%s), want %s with %s", state.Status, encode(t, state.Result), state.Message, status, result)
	}
	return state
}

func encode(t *testing.T, v expressions.Value) string {
	t.Helper()
	src, err := expressions.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const counted = `{"n":3,"turns":3,"all":[1,2,3]}`

func TestRunsFreely(t *testing.T) {
	s := start(t, inc, debug.StartOptions{})
	state := ended(t, s, debug.Finished, counted)
	if state.Steps != 11 || len(s.Records(0)) != 11 || len(s.Records(9)) != 2 {
		t.Errorf("%d steps, %d records", state.Steps, len(s.Records(0)))
	}
	for name, err := range map[string]error{"pause": s.Pause(), "resume": s.Resume(), "step": s.Step(), "run to": s.RunTo("end"), "edit": s.Edit(t.Context(), "add", 1.0)} {
		if err == nil {
			t.Errorf("%s of a run that has ended was taken", name)
		}
	}
}

// Steps go through the loop node by node.
func TestStep(t *testing.T) {
	s := start(t, inc, debug.StartOptions{Pause: true})
	at(t, s, "entry", debug.AtStart)
	for i, node := range []string{"begin", "more", "add", "more", "add", "more", "add", "more", "end", "exit"} {
		do(t, s.Step())
		if state := at(t, s, node, debug.AfterStep); state.Steps != i+1 {
			t.Errorf("%d steps before %s, want %d", state.Steps, node, i+1)
		}
	}
	do(t, s.Step())
	ended(t, s, debug.Finished, counted)
}

func TestBreakpoints(t *testing.T) {
	s := start(t, inc, debug.StartOptions{Breakpoints: []debug.Breakpoint{
		{Node: "end", Disabled: true}, {Node: "add"},
	}})
	for range 3 {
		at(t, s, "add", debug.AtBreakpoint)
		do(t, s.Resume())
	}
	ended(t, s, debug.Finished, counted)
	if got := s.Breakpoints(); got[0].Hits != 0 || got[1].Hits != 3 {
		t.Errorf("hits: %+v", got)
	}
}

func TestConditionalBreakpoint(t *testing.T) {
	s := start(t, inc, debug.StartOptions{Breakpoints: []debug.Breakpoint{{Node: "add", Condition: "$.add >= 2"}}})
	at(t, s, "add", debug.AtBreakpoint)
	if got, err := s.Evaluate(t.Context(), "$.add", -1); err != nil || got != 2.0 {
		t.Errorf("held with add = %v, %v", got, err)
	}
	do(t, s.SetBreakpoints([]debug.Breakpoint{{Node: "end", Condition: `$sum("x")`}}))
	do(t, s.Resume())
	if state := at(t, s, "end", debug.AtBreakpoint); !strings.Contains(state.Problem, `breakpoint at "end"`) {
		t.Errorf("a condition that fails is told as %q", state.Problem)
	}
	do(t, s.Resume())
	ended(t, s, debug.Finished, counted)
}

func TestRunTo(t *testing.T) {
	s := start(t, inc, debug.StartOptions{RunTo: "more"})
	at(t, s, "more", debug.AtRunTo)
	do(t, s.RunTo("end"))
	at(t, s, "end", debug.AtRunTo)
	do(t, s.Resume())
	ended(t, s, debug.Finished, counted)
}

func TestRefusals(t *testing.T) {
	s := start(t, inc, debug.StartOptions{Pause: true})
	at(t, s, "entry", debug.AtStart)
	do(t, s.Step())
	at(t, s, "begin", debug.AfterStep)
	for _, test := range []struct {
		what string
		err  error
		want string
	}{
		{"run to", s.RunTo("ad"), `did you mean "add"?`},
		{"breakpoint", s.SetBreakpoints([]debug.Breakpoint{{Node: "more?"}}), `no node "more?"`},
		{"condition", s.SetBreakpoints([]debug.Breakpoint{{Node: "more", Condition: "1 +"}}), "condition"},
		{"condition in two parts", s.SetBreakpoints([]debug.Breakpoint{{Node: "more", Condition: "1) or (2"}}), "condition"},
		{"edit of what has not run", s.Edit(t.Context(), "add", 1.0), "no output yet"},
		{"edit of what is not there", s.Edit(t.Context(), "adds", 1.0), `no node "adds"`},
		{"edit by a function", s.Edit(t.Context(), "entry", func() {}), "JSON"},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.what, test.err, test.want)
		}
	}
	do(t, s.Resume())
	ended(t, s, debug.Finished, counted)
	c := debug.New(debug.Options{})
	if _, err := c.Start(t.Context(), build(t), count(1), execution.New(inc), debug.StartOptions{RunTo: "nowhere"}); err == nil {
		t.Error("a run to nowhere was started")
	}
	c.Close()
	if _, err := c.Start(t.Context(), build(t), count(1), execution.New(inc), debug.StartOptions{}); !errors.Is(err, debug.ErrClosed) {
		t.Errorf("a closed controller answers %v", err)
	}
}

// An edit changes what comes after it, is a record and an event, and a run resumed from
// the journal has it too.
func TestEdit(t *testing.T) {
	kept := &journal.Memory{}
	s := start(t, inc, debug.StartOptions{
		Breakpoints: []debug.Breakpoint{{Node: "more", Condition: "$.add = 1"}},
		Run:         []execution.Option{execution.WithJournal(kept)},
	})
	at(t, s, "more", debug.AtBreakpoint)
	do(t, s.Edit(t.Context(), "add", 2.0))
	do(t, s.Edit(t.Context(), "add", 0.5))
	if got := s.Context(-1)["add"]; got != 0.5 {
		t.Errorf("add is %v after the edit", got)
	}
	if got := s.Context(4)["add"]; got != 1.0 {
		t.Errorf("add was %v before the edit", got)
	}
	state := at(t, s, "more", debug.AtBreakpoint)
	if edit := s.Records(0)[5]; !edit.Edited || edit.NodeID != "add" || state.Steps != 4 || state.Records != 6 {
		t.Errorf("the edit is %+v after %d steps of %d records", edit, state.Steps, state.Records)
	}
	do(t, s.Resume())
	const want = `{"n":3.5,"turns":4,"all":[0.5,1.5,2.5,3.5]}`
	ended(t, s, debug.Finished, want)
	events, err := kept.Load(t.Context(), s.ID())
	do(t, err)
	for n := 1; n <= len(events); n++ {
		result, err := execution.New(inc).Resume(t.Context(), s.Graph(), events[:n],
			execution.WithRepeatable(func(string, string) bool { return true }))
		do(t, err)
		if got := encode(t, result.Value); n > 10 && got != want { // the edits are events 8 and 9
			t.Errorf("resumed after event %d: %s", n, got)
		}
	}
}

// Editing a switch that has just run takes the run elsewhere.
func TestEditOfSwitch(t *testing.T) {
	s := start(t, inc, debug.StartOptions{RunTo: "add"})
	at(t, s, "add", debug.AtRunTo)
	if err := s.Edit(t.Context(), "more", "begin"); err == nil || !strings.Contains(err.Error(), `"add" "end"`) {
		t.Errorf("a way that the switch does not have: %v", err)
	}
	do(t, s.Edit(t.Context(), "more", "end"))
	if next := s.State().Next; next.NodeID != "end" {
		t.Errorf("next is %s", next.NodeID)
	}
	do(t, s.Resume())
	ended(t, s, debug.Finished, `{"turns":0,"all":[]}`)
}

func TestWatches(t *testing.T) {
	s := start(t, inc, debug.StartOptions{Watches: []string{"$.add", "1 +", "$.begin"}, RunTo: "more"})
	state := at(t, s, "more", debug.AtRunTo)
	if w := state.Watches; len(w) != 3 || w[0].Value != nil || w[1].Error == "" || w[2].Value != 0.0 {
		t.Errorf("watches: %+v", w)
	}
	s.SetWatches(t.Context(), []string{"$.entry.n"})
	if w := s.State().Watches; len(w) != 1 || w[0].Value != 3.0 {
		t.Errorf("watches: %+v", w)
	}
	do(t, s.Resume())
	state = ended(t, s, debug.Finished, counted)
	if state.Watches[0].Value != 3.0 {
		t.Errorf("watches at the end: %+v", state.Watches)
	}
}

// blocked is a caller whose calls wait to be let go.
func blocked() (caller callerFunc, called, letGo chan struct{}) {
	called, letGo = make(chan struct{}), make(chan struct{})
	return func(ctx context.Context, args expressions.Value) (expressions.Value, error) {
		called <- struct{}{}
		select {
		case <-letGo:
			return inc(ctx, args)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}, called, letGo
}

// A pause that is asked for during a call takes effect after it.
func TestPauseDuringCall(t *testing.T) {
	caller, called, letGo := blocked()
	s := start(t, caller, debug.StartOptions{})
	<-called
	do(t, s.Pause())
	if state := s.State(); state.Status != debug.Running || !state.Pausing || state.Current.Tool != "inc" {
		t.Errorf("during the call: %+v", state)
	}
	close(letGo)
	at(t, s, "more", debug.OnPause)
	do(t, s.Resume())
	<-called
	<-called
	ended(t, s, debug.Finished, counted)
}

func TestStop(t *testing.T) {
	caller, called, _ := blocked()
	s := start(t, caller, debug.StartOptions{})
	<-called
	s.Stop()
	state := ended(t, s, debug.Stopped, "")
	if state.Error == nil || state.Error.Code != execution.CodeCancelled {
		t.Errorf("stopped: %+v", state)
	}
	held := start(t, inc, debug.StartOptions{Pause: true})
	at(t, held, "entry", debug.AtStart)
	held.Stop()
	held.Stop()
	ended(t, held, debug.Stopped, "")
}

// A run that fails by itself is told apart from one that was stopped.
func TestFailure(t *testing.T) {
	broken := callerFunc(func(context.Context, expressions.Value) (expressions.Value, error) {
		return nil, errors.New("out of paper")
	})
	state := ended(t, start(t, broken, debug.StartOptions{}), debug.Failed, "")
	if state.Error.Code != execution.CodeTool || !strings.Contains(state.Message, "out of paper") || !strings.Contains(state.Message, "path: ") {
		t.Errorf("failed: %+v", state)
	}
}

// Time in which a run is held does not count for its time limit.
func TestPausesCostNoTime(t *testing.T) {
	now := time.Now()
	var mu sync.Mutex // guards now
	clock := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}
	s := start(t, inc, debug.StartOptions{
		Breakpoints: []debug.Breakpoint{{Node: "add"}}, Run: []execution.Option{execution.WithClock(clock)},
	})
	for range 3 {
		at(t, s, "add", debug.AtBreakpoint)
		mu.Lock()
		now = now.Add(time.Hour)
		mu.Unlock()
		do(t, s.Resume())
	}
	ended(t, s, debug.Finished, counted)
}

// Many sessions at once do not disturb each other.
func TestManyAtOnce(t *testing.T) {
	c := debug.New(debug.Options{Keep: 1000})
	g, engine := build(t), execution.New(inc)
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			s, err := c.Start(context.Background(), g, count(i+1), engine, debug.StartOptions{
				Breakpoints: []debug.Breakpoint{{Node: "add", Condition: fmt.Sprintf("$.add = %d", i/2)}},
			})
			if err != nil {
				t.Error(err)
				return
			}
			for s.State().Status != debug.Finished {
				if err := s.Wait(context.Background()); err != nil {
					t.Error(err)
				}
				_ = s.Resume() // has ended, or goes on
			}
			if n, _ := s.State().Result.(expressions.Object).Get("n"); n != float64(i+1) {
				t.Errorf("counted to %v, want %d", n, i+1)
			}
		})
	}
	all.Wait()
	if len(c.Sessions()) != 40 {
		t.Errorf("%d sessions", len(c.Sessions()))
	}
	c.Close()
}

// Close ends what is held and what is called, and waits for it.
func TestClose(t *testing.T) {
	c := debug.New(debug.Options{})
	caller, called, _ := blocked()
	calling, err := c.Start(context.Background(), build(t), count(1), execution.New(caller), debug.StartOptions{})
	do(t, err)
	held, err := c.Start(context.Background(), build(t), count(1), execution.New(inc), debug.StartOptions{Pause: true})
	do(t, err)
	<-called
	at(t, held, "entry", debug.AtStart)
	events, _ := held.Subscribe(0)
	c.Close()
	for range events { // closed at last
	}
	for _, s := range []*debug.Session{calling, held} {
		ended(t, s, debug.Stopped, "")
	}
}

// Of the sessions that have ended, the last ones are kept.
func TestKeep(t *testing.T) {
	c := debug.New(debug.Options{Keep: 2})
	defer c.Close()
	var ids []string
	for range 5 {
		s, err := c.Start(t.Context(), build(t), count(1), execution.New(inc), debug.StartOptions{})
		do(t, err)
		<-s.Done()
		ids = append(ids, s.ID())
	}
	var kept []string
	for _, s := range c.Sessions() {
		kept = append(kept, s.ID())
	}
	if !slices.Equal(kept, ids[3:]) {
		t.Errorf("kept %v of %v", kept, ids)
	}
	if _, there := c.Session(ids[0]); there {
		t.Error("the oldest is still there")
	}
	if _, there := c.Session(ids[4]); !there {
		t.Error("the newest is gone")
	}
}
