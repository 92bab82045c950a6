package debug_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/debugger/debug"
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

type callerFunc func(ctx context.Context, args value.Value) (value.Value, error)

func (f callerFunc) CallTool(ctx context.Context, c execution.Call) (value.Value, error) {
	return f(ctx, c.Args)
}

// inc answers n+1.
var inc = callerFunc(func(_ context.Context, args value.Value) (value.Value, error) {
	n, _ := args.(value.Object).Get("n")
	f, _ := n.(float64)
	return f + 1, nil
})

func build(t testing.TB) *graph.Graph {
	t.Helper()
	file, err := config.Parse("graph.yaml", []byte(loop), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, _ := graph.Build(t.Context(), file)
	if found.Err() != nil {
		t.Fatal(found)
	}
	return graphs[0]
}

func count(n int) value.Value {
	return value.NewObject([]string{"n"}, []value.Value{float64(n)})
}

// start begins a run that counts to 3.
func start(t *testing.T, caller execution.ToolCaller, o debug.StartOptions) *debug.Session {
	t.Helper()
	c := debug.New()
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

func encode(t *testing.T, v value.Value) string {
	t.Helper()
	src, err := value.Encode(v)
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
	for name, err := range map[string]error{"pause": s.Pause(), "resume": s.Resume(""), "step": s.Step(""), "run to": s.RunTo("end"), "edit": s.Edit(t.Context(), "", "add", 1.0)} {
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
		do(t, s.Step(""))
		if state := at(t, s, node, debug.AfterStep); state.Steps != i+1 {
			t.Errorf("%d steps before %s, want %d", state.Steps, node, i+1)
		}
	}
	do(t, s.Step(""))
	ended(t, s, debug.Finished, counted)
}

func TestBreakpoints(t *testing.T) {
	s := start(t, inc, debug.StartOptions{Breakpoints: []debug.Breakpoint{
		{Node: "end", Disabled: true}, {Node: "add"},
	}})
	for range 3 {
		at(t, s, "add", debug.AtBreakpoint)
		do(t, s.Resume(""))
	}
	ended(t, s, debug.Finished, counted)
	if got := s.Breakpoints(); got[0].Hits != 0 || got[1].Hits != 3 {
		t.Errorf("hits: %+v", got)
	}
}

func TestConditionalBreakpoint(t *testing.T) {
	s := start(t, inc, debug.StartOptions{Breakpoints: []debug.Breakpoint{{Node: "add", Condition: "$.add >= 2"}}})
	at(t, s, "add", debug.AtBreakpoint)
	if got, err := s.Evaluate(t.Context(), "$.add", ""); err != nil || got != 2.0 {
		t.Errorf("held with add = %v, %v", got, err)
	}
	do(t, s.SetBreakpoints(t.Context(), []debug.Breakpoint{{Node: "end", Condition: `$sum("x")`}}))
	do(t, s.Resume(""))
	if state := at(t, s, "end", debug.AtBreakpoint); !strings.Contains(state.Problem, `breakpoint at "end"`) {
		t.Errorf("a condition that fails is reported as %q", state.Problem)
	}
	do(t, s.Resume(""))
	ended(t, s, debug.Finished, counted)
}

func TestRunTo(t *testing.T) {
	s := start(t, inc, debug.StartOptions{RunTo: "more"})
	at(t, s, "more", debug.AtRunTo)
	do(t, s.RunTo("end"))
	at(t, s, "end", debug.AtRunTo)
	do(t, s.Resume(""))
	ended(t, s, debug.Finished, counted)
}

func TestRefusals(t *testing.T) {
	s := start(t, inc, debug.StartOptions{Pause: true})
	at(t, s, "entry", debug.AtStart)
	do(t, s.Step(""))
	at(t, s, "begin", debug.AfterStep)
	for _, test := range []struct {
		what string
		err  error
		want string
	}{
		{"run to", s.RunTo("ad"), `did you mean "add"?`},
		{"breakpoint", s.SetBreakpoints(t.Context(), []debug.Breakpoint{{Node: "more?"}}), `no node "more?"`},
		{"condition", s.SetBreakpoints(t.Context(), []debug.Breakpoint{{Node: "more", Condition: "1 +"}}), "condition"},
		{"condition in two parts", s.SetBreakpoints(t.Context(), []debug.Breakpoint{{Node: "more", Condition: "1) or (2"}}), "condition"},
		{"edit of what has not run", s.Edit(t.Context(), "", "add", 1.0), "no output yet"},
		{"edit of what is not there", s.Edit(t.Context(), "", "adds", 1.0), `no node "adds"`},
		{"edit by a function", s.Edit(t.Context(), "", "entry", func() {}), "JSON"},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.what, test.err, test.want)
		}
	}
	do(t, s.Resume(""))
	ended(t, s, debug.Finished, counted)
	c := debug.New()
	if _, err := c.Start(t.Context(), build(t), count(1), execution.New(inc), debug.StartOptions{RunTo: "nowhere"}); err == nil {
		t.Error("a run to nowhere was started")
	}
	c.Close()
	if _, err := c.Start(t.Context(), build(t), count(1), execution.New(inc), debug.StartOptions{}); !errors.Is(err, debug.ErrClosed) {
		t.Errorf("a closed controller answers %v", err)
	}
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
	do(t, s.Resume(""))
	state = ended(t, s, debug.Finished, counted)
	if state.Watches[0].Value != 3.0 {
		t.Errorf("watches at the end: %+v", state.Watches)
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
		do(t, s.Resume(""))
	}
	ended(t, s, debug.Finished, counted)
}
