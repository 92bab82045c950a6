package execution_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// usedGraph calls two servers: one in a loop of parts, with a called graph, and one that fails once.
const usedGraph = `tools:
- name: work
  description: d
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: list}
  - {id: list, type: mcp, server: up, tool: list, args: {n: 0}, next: read}
  - {id: read, type: graph, tool: one, forEach: {items: '[1, 2, 3]', maxParallel: 1}, args: {n: {expr: $item}}, next: put}
  - {id: put, type: mcp, server: other, tool: put, args: {n: 4}, retry: {attempts: 2, codes: [tool-error], delayMs: 0}, next: exit}
  - {id: exit, type: exit}
- name: one
  description: d
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: get}
  - {id: get, type: mcp, server: up, tool: get, effect: read, args: {n: {expr: $.entry.n}}, next: again}
  - {id: again, type: mcp, server: up, tool: get, effect: read, args: {n: {expr: $.entry.n}}, next: more}
  - {id: more, type: mcp, server: up, tool: more, effect: read, args: {n: {expr: $.entry.n}}, next: exit}
  - {id: exit, type: exit}
`

// buildOver makes the first graph of a file over servers.
func buildOver(t *testing.T, servers []string, body string) *graph.Graph {
	t.Helper()
	src := "version: \"1.0\"\nserver: {name: test, version: 1.0.0}\nmcpServers:\n"
	for _, name := range servers {
		src += "  " + name + ": {command: up}\n"
	}
	file, err := config.Parse("graph.yaml", []byte(src+body), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, _ := graph.Build(t.Context(), file)
	if found.Err() != nil {
		t.Fatal(found)
	}
	return graphs[0]
}

// busyError is the first answer of the other server.
type busyError struct{}

func (busyError) Error() string             { return "busy" }
func (busyError) ErrorCode() string         { return "tool-error" }
func (busyError) FailedResult() value.Value { return "busy" }

// busyOnce answers calls with their arguments, and fails the first one of the other server.
func busyOnce() execution.ToolCaller {
	return execution.CallerFunc(func(_ context.Context, c execution.Call) (value.Value, error) {
		if c.Server == "other" && c.Attempt <= 1 {
			return nil, busyError{}
		}
		return c.Args, nil
	})
}

// The end of a run has what it has used, by server, and its chain, whatever it was interrupted between.
func TestUsedOfResumedRun(t *testing.T) {
	g := buildOver(t, []string{"up", "other"}, usedGraph)
	j := &journal.Memory{}
	result, err := execution.New(busyOnce(), execution.WithJournal(j), execution.WithRunID("r")).Run(t.Context(), g, decode(t, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	n := len(`{"n":0}`)
	want := &execution.Used{
		Calls: 12, BytesIn: 11*n + len(`"busy"`), BytesOut: n,
		Servers: []execution.ServerUse{{Server: "other", Calls: 2, BytesIn: n + len(`"busy"`)}, {Server: "up", Calls: 10, BytesIn: 10 * n}},
		Chain:   []string{"up.list", "up.get", "up.more", "other.put"},
	}
	events, err := j.Load(t.Context(), "r")
	if end := events[len(events)-1].End; err != nil || !reflect.DeepEqual(end.Used, want) || result.Used != end.Used {
		t.Fatalf("%v, got %+v\nwant %+v", err, end.Used, want)
	}
	by := execution.UsedBy(events)
	if by.BytesOut = n; !reflect.DeepEqual(by, want) {
		t.Errorf("by events: %+v", by)
	}
	for at := 1; at < len(events); at++ {
		if events[at-1].Kind == execution.CallStarted { // the in-doubt call is made again, and counts again
			continue
		}
		again := &journal.Memory{}
		resumed, err := execution.New(busyOnce(), execution.WithJournal(again)).Resume(t.Context(), g, events[:at])
		if err != nil || !reflect.DeepEqual(resumed.Used, want) {
			t.Errorf("resumed after event %d: %+v, %v", at, resumed.Used, err)
		}
	}
	ended, err := execution.New(busyOnce()).Ended(t.Context(), g, events)
	if err != nil || !reflect.DeepEqual(ended.Used, want) {
		t.Errorf("ended: %+v, %v", ended.Used, err)
	}
	earlier := slices.Clone(events)
	earlier[len(events)-1].End = &execution.End{Value: events[len(events)-1].End.Value}
	if ended, err := execution.New(busyOnce()).Ended(t.Context(), g, earlier); err != nil || ended.Used != nil {
		t.Errorf("of an earlier version: %+v, %v", ended.Used, err)
	}
}

// The calls that a fork has copied are those of the other run.
func TestUsedOfFork(t *testing.T) {
	g := buildOver(t, []string{"up", "other"}, usedGraph)
	j := &journal.Memory{}
	if _, err := execution.New(busyOnce(), execution.WithJournal(j), execution.WithRunID("r")).Run(t.Context(), g, decode(t, `{}`)); err != nil {
		t.Fatal(err)
	}
	events, err := j.Load(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	result, err := execution.New(busyOnce(), execution.WithJournal(j)).Fork(t.Context(), g, events, execution.Fork{At: execution.AddressOf("", 3, "")})
	if err != nil {
		t.Fatal(err)
	}
	want := &execution.Used{
		Calls: 2, BytesIn: len(`"busy"{"n":4}`), BytesOut: len(`{"n":4}`),
		Servers: []execution.ServerUse{{Server: "other", Calls: 2, BytesIn: len(`"busy"{"n":4}`)}}, Chain: []string{"other.put"},
	}
	if !reflect.DeepEqual(result.Used, want) {
		t.Errorf("got %+v", result.Used)
	}
}

// What an end records is bounded, whatever a graph calls: the rest is one sum, and one sign.
func TestUsedIsBounded(t *testing.T) {
	var src strings.Builder
	src.WriteString("tools:\n- name: work\n  description: d\n  inputSchema: {type: object}\n  nodes:\n  - {id: entry, type: entry, next: n0}\n")
	const calls = 40
	var servers []string
	for i := range 20 {
		servers = append(servers, fmt.Sprintf("s%02d", i))
	}
	for i := range calls {
		next := fmt.Sprintf("n%d", i+1)
		if i == calls-1 {
			next = "exit"
		}
		fmt.Fprintf(&src, "  - {id: n%d, type: mcp, server: s%02d, tool: get, args: {n: 1}, next: %s}\n", i, i%20, next)
	}
	src.WriteString("  - {id: exit, type: exit}\n")
	result, err := execution.New(echo).Run(t.Context(), buildOver(t, servers, src.String()), decode(t, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	u := result.Used
	rest := u.Servers[len(u.Servers)-1]
	if len(u.Servers) != execution.MostServers+1 || rest != (execution.ServerUse{Calls: 8, BytesIn: 8 * len(`{"n":1}`)}) || u.Calls != calls {
		t.Errorf("the servers are %+v", u)
	}
	if len(u.Chain) != execution.MostChain || u.Chain[0] != "s00.get" || u.Chain[execution.MostChain-1] != "…" {
		t.Errorf("the chain is %v", u.Chain)
	}
}

// The bytes that go out are those that the door counts, and a count that panics fails no run.
func TestBytesOut(t *testing.T) {
	g := build(t, `tools:
- name: work
  description: d
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: make}
  - {id: make, type: transform, transform: {expr: '$.entry.fail ? $error("no") : {"a": "é"}'}, next: exit}
  - {id: exit, type: exit}
`)
	for _, c := range []struct {
		args  string
		count func(*execution.Result, error) int
		want  int
	}{
		{`{}`, nil, len(`{"a":"é"}`)},
		{`{}`, func(r *execution.Result, err error) int { return 1000 + r.Size() }, 1000 + len(`{"a":"é"}`)},
		{`{}`, func(*execution.Result, error) int { panic("no") }, 0},
		{`{"fail":true}`, func(r *execution.Result, err error) int { return 2000 + len(err.Error()) }, -1},
		{`{"fail":true}`, nil, -2},
	} {
		var opts []execution.Option
		if c.count != nil {
			opts = append(opts, execution.WithBytesOut(c.count))
		}
		panics := 0
		opts = append(opts, execution.WithPanicReport(func(string, *execution.PanicError) { panics++ }))
		result, err := execution.New(echo).Run(t.Context(), g, decode(t, c.args), opts...)
		want := c.want
		var failed *execution.StepError
		if errors.As(err, &failed) {
			want = map[int]int{-1: 2000, -2: 0}[want] + len(err.Error())
		}
		if result.Used.BytesOut != want || (err != nil) != (c.want < 0) || panics > 1 || (panics == 1) != (c.want == 0) {
			t.Errorf("%+v: %+v, %v, %d panics", c, result.Used, err, panics)
		}
	}
}
