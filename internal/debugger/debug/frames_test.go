package debug_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/debugger/debug"
)

// trip calls a parallel, a graph for each item of a list, and a tool that is attempted again.
const trip = `version: "1.0"
server: {name: test, version: 1.0.0}
executionLimits: {maxExecutionTimeMs: 60000}
mcpServers: {up: {command: up}}
tools:
- name: trip
  description: plans
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: facts}
  - id: facts
    type: parallel
    branches:
      weather: {type: graph, tool: stop, args: {n: 7}}
      news: {type: mcp, server: up, tool: inc, args: {n: 1}}
    next: list
  - {id: list, type: transform, transform: {expr: '[1..$.entry.n]'}, next: stops}
  - {id: stops, type: graph, tool: stop, forEach: {items: $.list, maxParallel: 8}, args: {n: {expr: $item}}, next: again}
  - {id: again, type: mcp, server: up, tool: busy, args: {}, retry: {delayMs: 1, codes: [tool-error]}, onError: {}, next: exit}
  - {id: exit, type: exit}
- name: stop
  description: one
  hidden: true
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: read}
  - {id: read, type: mcp, server: up, tool: inc, args: {n: {expr: $.entry.n}}, next: each}
  - {id: each, type: mcp, server: up, tool: inc, forEach: {items: '[1, 2]'}, args: {n: {expr: '$.read * 10 + $item'}}, next: sum}
  - {id: sum, type: transform, transform: {expr: '$sum($.each)'}, next: exit}
  - {id: exit, type: exit}
`

// errBusy is the error of a tool that the caller may call again.
type errBusy struct{ error }

func (errBusy) ErrorCode() string { return "tool-error" }

// upstream is inc, and a tool that is always busy.
func upstream(_ context.Context, c execution.Call) (value.Value, error) {
	if c.Tool == "busy" {
		return nil, errBusy{errors.New("busy")}
	}
	n, _ := c.Args.(value.Object).Get("n")
	f, _ := n.(float64)
	return f + 1, nil
}

// oneByOne are the options of a run whose parts run one after the other.
var oneByOne = []execution.Option{execution.WithSequentialParts()}

func buildTrip(t testing.TB, src string) *graph.Graph {
	t.Helper()
	file, err := config.Parse("graph.yaml", []byte(src), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, _ := graph.Build(t.Context(), file)
	if found.Err() != nil {
		t.Fatal(found)
	}
	return graphs[0]
}

func startTrip(t *testing.T, n int, o debug.StartOptions) *debug.Session {
	t.Helper()
	return startOf(t, trip, n, upstream, o)
}

func startOf(t *testing.T, src string, n int, caller execution.CallerFunc, o debug.StartOptions) *debug.Session {
	t.Helper()
	c := debug.New()
	t.Cleanup(c.Close)
	s, err := c.Start(t.Context(), buildTrip(t, src), count(n), execution.New(caller), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// here is a command for where the run is.
func here(command func(at execution.Address) error) func() error {
	return func() error { return command("") }
}

// walk gives a command until the run ends, and returns where it was held before each.
func walk(t *testing.T, s *debug.Session, command func() error) string {
	t.Helper()
	var seen []string
	for {
		wait(t, s)
		state := s.State()
		if state.Status.Ended() {
			return strings.Join(seen, " ")
		}
		seen = append(seen, fmt.Sprintf("%s=%s", state.Next.At(), state.Next.Name()))
		if len(seen) > 200 {
			t.Fatalf("held too often: %s", seen)
		}
		do(t, command())
	}
}

const inStop = "%[1]s/0=stop:entry %[1]s/1=stop:read %[1]s/2=stop:each %[1]s/2.0=stop:each %[1]s/2.1=stop:each %[1]s/3=stop:sum %[1]s/4=stop:exit"

// step goes into parts and frames, next over them.
func TestStepsGoIntoParts(t *testing.T) {
	into := startTrip(t, 2, debug.StartOptions{Pause: true})
	want := "0=entry 1=facts 1.weather=facts.weather " + fmt.Sprintf(inStop, "1.weather") + " 1.news=facts.news 2=list 3=stops" +
		" 3.0=stops " + fmt.Sprintf(inStop, "3.0") + " 3.1=stops " + fmt.Sprintf(inStop, "3.1") + " 4=again 5=exit"
	if got := walk(t, into, here(into.Step)); got != want {
		t.Errorf("step:\ngot  %s\nwant %s", got, want)
	}
	over := startTrip(t, 2, debug.StartOptions{Pause: true})
	if got := walk(t, over, here(over.Next)); got != "0=entry 1=facts 2=list 3=stops 4=again 5=exit" {
		t.Errorf("next: %s", got)
	}
}

// next of a part goes to the part after it, out to the end of its frame, or of all parts.
func TestOut(t *testing.T) {
	s := startTrip(t, 3, debug.StartOptions{Run: oneByOne, RunTo: "stop:each[]", Breakpoints: []debug.Breakpoint{{Node: "stops[]", Condition: "$index = 1"}}})
	for _, step := range []struct {
		what string
		do   func() error
		at   execution.Address
	}{
		{"start", nil, "1.weather/2.0"},
		{"next", here(s.Next), "1.weather/2.1"},
		{"next", here(s.Next), "1.weather/3"},
		{"out of a frame", here(s.Out), "1.news"},
		{"out of the parts", here(s.Out), "2"},
		{"to a breakpoint", here(s.Out), "3.1"},
		{"into", here(s.Step), "3.1/0"},
		{"to a place", func() error { return s.RunTo("stop:each[]") }, "3.1/2.0"},
		{"out of the parts", here(s.Out), "3.1/3"},
		{"out of a frame", here(s.Out), "3.2"},
		{"out of the parts", here(s.Out), "4"},
		{"next", here(s.Next), "5"},
	} {
		if step.do != nil {
			do(t, step.do())
		}
		wait(t, s)
		if state := s.State(); state.Next == nil || state.Next.At() != step.at {
			t.Fatalf("%s: the run is %s at %+v, want %s", step.what, state.Status, state.Next, step.at)
		}
		if _, err := s.Context(""); err != nil { // also before the first step of a frame
			t.Errorf("%s: %v", step.what, err)
		}
	}
	do(t, s.Out(""))
	wait(t, s)
	if state := s.State(); state.Status != debug.Finished {
		t.Errorf("out of the run's own frame: %s %s", state.Status, state.Message)
	}
}

// Breakpoints name nodes, parts, branches and nodes of other tools; a call that is attempted
// again pauses once.
func TestBreakpointNames(t *testing.T) {
	for name, want := range map[string]string{
		"stops":         "3=stops",
		"stops[]":       "3.0=stops 3.1=stops",
		"facts":         "1=facts",
		"facts.weather": "1.weather=facts.weather",
		"facts.news":    "1.news=facts.news",
		"stop:read":     "1.weather/1=stop:read 3.0/1=stop:read 3.1/1=stop:read",
		"stop:each[]":   "1.weather/2.0=stop:each 1.weather/2.1=stop:each 3.0/2.0=stop:each 3.0/2.1=stop:each 3.1/2.0=stop:each 3.1/2.1=stop:each",
		"again":         "4=again",
	} {
		s := startTrip(t, 2, debug.StartOptions{Run: oneByOne, Breakpoints: []debug.Breakpoint{{Node: name}}})
		if got := walk(t, s, here(s.Resume)); got != want {
			t.Errorf("%s: held at %s, want %s", name, got, want)
		}
		if last := s.Records(0)[s.State().Records-2]; last.NodeID != "again" || len(last.Attempts) != 2 || last.Handled == nil {
			t.Errorf("%s: the call that was attempted again is %+v", name, last)
		}
	}
}

func TestUnknownNames(t *testing.T) {
	s := startTrip(t, 1, debug.StartOptions{Pause: true})
	at(t, s, "entry", debug.AtStart)
	for name, want := range map[string]string{
		"stpos[]":       `did you mean "stops[]"?`,
		"list[]":        `node "list" of tool "trip" has no forEach`,
		"facts.wether":  `node "facts" of tool "trip" has no branch "wether"; did you mean "weather"?`,
		"stop:raed":     `tool "stop" has no node "raed"; did you mean "read"?`,
		"read":          `tool "trip" has no node "read"`,
		"stopp:read":    `did you mean "stop:read"?`,
		"stop:":         `tool "stop" has no node ""`,
		"facts[]":       "no forEach",
		"":              "no node",
		"stop:each.one": `no node "each.one"`,
	} {
		err := s.SetBreakpoints(t.Context(), []debug.Breakpoint{{Node: name}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
		if err := s.RunTo(name); err == nil {
			t.Errorf("%q: the run went there", name)
		}
	}
}

// An exact id goes before what else the name could mean.
func TestExactIDGoesFirst(t *testing.T) {
	src := strings.Replace(trip, "{id: list, type: transform, transform: {expr: '[1..$.entry.n]'}, next: stops}",
		"{id: 'stop:read', type: transform, transform: {expr: '[1..$.entry.n]'}, next: stops}", 1)
	src = strings.Replace(strings.Replace(src, "next: list", "next: 'stop:read'", 1), "$.list", "$.`stop:read`", 1)
	file, err := config.Parse("graph.yaml", []byte(src), config.Options{})
	do(t, err)
	graphs, found, _ := graph.Build(t.Context(), file)
	do(t, found.Err())
	c := debug.New()
	t.Cleanup(c.Close)
	s, err := c.Start(t.Context(), graphs[0], count(1), execution.New(execution.CallerFunc(upstream)), debug.StartOptions{Breakpoints: []debug.Breakpoint{{Node: "stop:read"}}})
	do(t, err)
	if got := walk(t, s, here(s.Resume)); got != "2=stop:read" {
		t.Errorf("held at %s", got)
	}
}

// What an address saw can be evaluated, in the frame of the run and in those of its callers.
func TestEvaluateByAddress(t *testing.T) {
	s := startTrip(t, 3, debug.StartOptions{Run: oneByOne, Breakpoints: []debug.Breakpoint{{Node: "stop:each[]", Condition: "$item = 2 and $.entry.n = 2"}}})
	wait(t, s)
	state := s.State()
	if state.Next.At() != "3.1/2.1" || state.Graph.Tool.Name.Value != "stop" {
		t.Fatalf("held at %+v of %s: %s", state.Next, state.Graph.Tool.Name.Value, state.Problem)
	}
	if got := fmt.Sprint(state.Stack); got != "[{3.1 trip stops}]" {
		t.Errorf("called by %s", got)
	}
	for _, e := range []struct {
		at   execution.Address
		expr string
		want string
	}{
		{"", "[$item, $index, $.entry.n, $.read]", "[2,1,2,3]"},
		{"3.1/2.0", "[$item, $index]", "[1,0]"},
		{"3.1/2", "[$exists($item), $.read]", "[false,3]"},
		{"3.1/1", "$keys($)", `"entry"`},
		{"3.1", "[$item, $index, $.list[1]]", "[2,1,2]"},
		{"3.2", "$item", "3"},
		{"3", "[$exists($item), $.list[2]]", "[false,3]"},
		{"3.0/4", "$.sum", "45"},
		{"1.weather/3", "$.each", "[82,83]"},
		{"1", "$keys($)", `"entry"`},
		{"1.news", "$previousNode().n", "3"},
	} {
		got, err := s.Evaluate(t.Context(), e.expr, e.at)
		if err != nil || encode(t, got) != e.want {
			t.Errorf("%s at %s: %s, %v, want %s", e.expr, e.at, encode(t, got), err, e.want)
		}
	}
	for _, at := range []execution.Address{"9", "3.1/9", "3.9/0", "2/0", "3.7"} {
		if got, err := s.Evaluate(t.Context(), "$", at); err == nil {
			t.Errorf("%s: %s", at, encode(t, got))
		}
	}
	s.SetWatches(t.Context(), []string{"$item", "$.entry.n"})
	if w := s.State().Watches; w[0].Value != 2.0 || w[1].Value != 2.0 {
		t.Errorf("watched: %+v", w)
	}
}

// An edit is of the frame that is held, a list of parts is replaced as a whole, and at a part
// nothing can be edited.
func TestEditInFrame(t *testing.T) {
	s := startTrip(t, 2, debug.StartOptions{Run: oneByOne, RunTo: "stop:sum"})
	at(t, s, "sum", debug.AtRunTo)
	if err := s.Edit(t.Context(), "", "facts", 1.0); err == nil || !strings.Contains(err.Error(), `tool "stop" has no node "facts"`) {
		t.Errorf("a node of the caller: %v", err)
	}
	do(t, s.Edit(t.Context(), "", "each", []any{1.0, 2.0, 3.0}))
	if got := s.State().Next.At(); got != "1.weather/4" {
		t.Errorf("held at %s after the edit", got)
	}
	if got := s.History().NodeID("1.weather/4"); got != "sum" {
		t.Errorf("the node about to run after the edit is %q", got)
	}
	do(t, s.RunTo("stops[]"))
	at(t, s, "stops", debug.AtRunTo)
	if err := s.Edit(t.Context(), "", "list", []any{9.0}); err == nil || !strings.Contains(err.Error(), `3.0, a part of node "stops"`) {
		t.Errorf("an edit at a part: %v", err)
	}
	do(t, s.Out(""))
	at(t, s, "again", debug.AfterStep)
	do(t, s.Edit(t.Context(), "", "stops", []any{"one"}))
	if got, err := s.Evaluate(t.Context(), "[$.facts.weather, $.stops[0], $executionCount('stops')]", ""); err != nil || encode(t, got) != `[6,"one",1]` {
		t.Errorf("after the edits: %s %v", encode(t, got), err)
	}
	edits := 0
	for _, r := range s.Records(0) {
		if r.Edited {
			edits++
			if r.NodeID == "each" && r.At() != "1.weather/3" {
				t.Errorf("the edit in a frame is at %s", r.At())
			}
		}
	}
	if edits != 2 {
		t.Errorf("%d edits", edits)
	}
	do(t, s.Resume(""))
	<-s.Done()
	if state := s.State(); state.Status != debug.Finished {
		t.Error(state.Message)
	}
}
