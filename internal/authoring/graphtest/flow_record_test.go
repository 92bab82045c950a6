package graphtest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/project"
)

// gathering is a server that answers a number of calls, the last first, once all have come.
type gathering struct {
	mu      sync.Mutex
	waiting []chan struct{}
	all     int
	calls   int
}

func (g *gathering) connect(*project.Project) (execution.ToolCaller, func(), error) {
	return g, func() {}, nil
}

func (g *gathering) CallTool(ctx context.Context, c execution.Call) (value.Value, error) {
	g.mu.Lock()
	g.calls++
	answer := fmt.Sprint("answer ", g.calls)
	mine := make(chan struct{})
	if g.waiting = append(g.waiting, mine); len(g.waiting) >= g.all {
		close(g.waiting[len(g.waiting)-1])
	}
	g.mu.Unlock()
	select {
	case <-mine:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = slices.DeleteFunc(g.waiting, func(c chan struct{}) bool { return c == mine })
	if n := len(g.waiting); n > 0 {
		close(g.waiting[n-1])
	}
	if g.all > 1 { // so that the answers do not depend on which call came first
		path, _ := c.Args.(value.Object).Get("path")
		return path, nil
	}
	return answer, nil
}

// On servers the parts of a run call at the same time; whatever answers first, the calls are compared
// in the order of their addresses.
func TestCallsInTheOrderOfAddresses(t *testing.T) {
	s := flowSuite(t, `tests: [{name: it, tool: pages, args: {paths: [a, b, c, d, e]}, limits: {maxExecutionTimeMs: 60000},
  expect: {value: [a, b, c, d, e], calls: [{args: {path: a}}, {args: {path: b}}, {args: {path: c}}, {args: {path: d}}, {args: {path: e}}]}}]`)
	allPass(t, "at once", reportOf(t, s, Options{Mode: Live, Connect: (&gathering{all: 5}).connect}))
	one := &gathering{all: 1}
	report := reportOf(t, s, Options{Mode: Record, Connect: one.connect})
	if got := report.Results[0].Calls; one.calls != 5 || len(got) != 5 || got[4].At() != "1.4" || got[4].Result != "answer 5" {
		t.Errorf("%d calls: %v", one.calls, got)
	}
}

// A recording, like a replay, makes one call at a time.
func TestRecordOneByOne(t *testing.T) {
	s := flowSuite(t, `tests: [{name: it, tool: pages, args: {paths: [a, b]}, limits: {maxExecutionTimeMs: 200}, expect: {isError: true, code: limit}}]`)
	pair := &gathering{all: 2} // answers none before the second
	if allPass(t, "alone", reportOf(t, s, Options{Mode: Record, Connect: pair.connect})); pair.calls != 1 {
		t.Errorf("%d calls at once", pair.calls)
	}
}

// Equal calls of several parts keep their own answers, in whatever order the parts are run: that of
// the file, which is not that of their addresses.
func TestRecordedPartsKeepTheirAnswers(t *testing.T) {
	s := flowSuite(t, `tests: [{name: it, tool: twins, expect: {value: {z: answer 1, a: answer 2}}}]`)
	allPass(t, "recorded", reportOf(t, s, Options{Mode: Record, Connect: (&gathering{all: 1}).connect}))
	calls, err := LoadCassette(s.Cassette())
	if err != nil || len(calls) != 2 || calls[0].At != "1.a" || calls[1].At != "1.z" || calls[0].Node != "both.a" {
		t.Fatalf("got %v and %+v", err, calls)
	}
	allPass(t, "replayed", reportOf(t, s, Options{}))
	src, err := os.ReadFile(s.Cassette())
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []string{`          "at": "1.a",` + "\n", `          "at": "1.z",` + "\n"} {
		src = []byte(strings.Replace(string(src), cut, "", 1))
	}
	write(t, s.Cassette(), string(src)) // without places only their order distinguishes them
	if r := reportOf(t, s, Options{}).Results[0]; r.Status != Failed || exactText(r.Value) != `{"z":"answer 2","a":"answer 1"}` {
		t.Errorf("got %s %s", r.Status, exactText(r.Value))
	}
}

// A recording has each attempt, each part and the steps in frames; the value of a failed result
// is in it, redacted, when a node can read it.
func TestRecordFlow(t *testing.T) {
	s := flowSuite(t, `tests: [{name: it, tool: trip, args: {paths: [a, gone]}, env: {GRAPHTEST_TOKEN: sesame-open}, expect: {value: {}}}]`)
	tries := 0
	server := execution.CallerFunc(func(_ context.Context, c execution.Call) (value.Value, error) {
		path, _ := c.Args.(value.Object).Get("path")
		switch path {
		case "weather":
			if tries++; tries < 2 {
				return nil, &toolError{Code: "timeout", Message: "late"}
			}
		case "gone":
			return nil, &toolError{Code: "tool-error", Message: "gone", Result: value.JSON{Value: "no sesame-open"}}
		}
		return path, nil
	})
	connect := func(*project.Project) (execution.ToolCaller, func(), error) { return server, func() {}, nil }
	write(t, s.Graph, strings.ReplaceAll(flowYAML, "3600000", "1")) // on servers a run waits
	recorded := reportOf(t, s, Options{Mode: Record, Connect: connect})
	src, err := os.ReadFile(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	updated, names, err := recorded.Update(src)
	if err != nil || len(names) != 1 {
		t.Fatalf("%v: updated %v: %s", err, names, problems(recorded.Results[0]))
	}
	write(t, s.Path, string(updated))
	if s, err = Load(s.Path); err != nil {
		t.Fatal(err)
	}
	allPass(t, "replayed", reportOf(t, s, Options{}))
	calls, err := LoadCassette(s.Cassette())
	var got []string
	for _, c := range calls {
		got = append(got, fmt.Sprintf("%s %s %d", c.At, c.Node, c.Attempt))
	}
	if want := "1.news/1.0 pages:read 0, 1.news/1.1 pages:read 0, 1.weather facts.weather 0, 1.weather facts.weather 2"; err != nil || strings.Join(got, ", ") != want {
		t.Errorf("%v: recorded %s, want %s", err, strings.Join(got, ", "), want)
	}
	text, err := os.ReadFile(s.Cassette())
	if err != nil || strings.Contains(string(text), "sesame") || !strings.Contains(string(text), `"result": "no [redacted]"`) {
		t.Errorf("%v: %s", err, text)
	}
	if !strings.Contains(string(updated), `{lost: "no [redacted]"}`) {
		t.Errorf("the expectation is %s", updated)
	}
	// Another output in a frame is where it diverges.
	write(t, s.Graph, strings.Replace(flowYAML, ": [$.read]'", `: [$.read, 1]'`, 1))
	if got := problems(reportOf(t, s, Options{}).Results[0]); !strings.Contains(got, `first divergence: step 1.news/2: the output of node "pages:tidy" is not the recorded one`) {
		t.Errorf("got %s", got)
	}
}

// The value of a failed result is recorded only where a node can read it.
func TestRecordUnreadFailure(t *testing.T) {
	s := flowSuite(t, `tests: [{name: it, tool: down, args: {n: 0}, expect: {isError: true}}]`)
	reportOf(t, s, Options{Mode: Record, Connect: func(*project.Project) (execution.ToolCaller, func(), error) {
		return execution.CallerFunc(func(context.Context, execution.Call) (value.Value, error) {
			return nil, &toolError{Code: "tool-error", Message: "gone", Result: value.JSON{Value: "gone"}}
		}), func() {}, nil
	}})
	calls, err := LoadCassette(s.Cassette())
	if err != nil || len(calls) != 1 || calls[0].Error == nil || calls[0].Error.Result.Value != nil {
		t.Errorf("got %v and %+v", err, calls)
	}
}
