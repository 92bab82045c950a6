package runtime

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"toolgraph/execution"
	"toolgraph/internal/serving/server"
)

// reports are those of a run, as text.
type reports struct{ lines []string }

func (t *reports) watch() server.Watch {
	add := func(format string, args ...any) { t.lines = append(t.lines, fmt.Sprintf(format, args...)) }
	return server.Watch{
		Step:     func(node string, index int) { add("step %s %d", node, index) },
		Call:     func(node string) { add("call %s", node) },
		Part:     func(node string, done, count int) { add("part %s %d/%d", node, done, count) },
		Progress: func(done, total float64, message string) { add("reported %.2f/%v %s", done, total, message) },
	}
}

// The events of runs, with nothing but what a reporter reads.

func calls(at execution.Address, graph, node string) execution.Event {
	frame, index, part := at.Split()
	return execution.Event{Kind: execution.CallStarted, Step: &execution.Visit{Frame: frame, Index: index, Part: part, Graph: graph, NodeID: node}}
}

func parts(at execution.Address, graph, node string, count int) execution.Event {
	e := calls(at, graph, node)
	e.Kind, e.Parts = execution.PartsStarted, &execution.Parts{Count: count}
	return e
}

func ends(at execution.Address, tool, node string) execution.Event {
	frame, index, part := at.Split()
	return execution.Event{Kind: execution.StepFinished, Record: &execution.Record{Frame: frame, Index: index, Part: part, Tool: tool, NodeID: node}}
}

func TestReporter(t *testing.T) {
	// upstreamProgress stands for a report of a server among the events.
	type reported struct {
		at          execution.Address
		done, total float64
		message     string
	}
	for _, c := range []struct {
		name string
		run  []any
		want []string
	}{
		{
			"a call that is a step",
			[]any{ends("0", "", "entry"), calls("1", "", "read"), reported{"1", 3, 4, "page 3"}, ends("1", "", "read"), reported{"1", 4, 4, "late"}},
			[]string{"step entry 0", "call read", "reported 3.00/4 page 3", "step read 1"},
		},
		{
			"items in parallel",
			[]any{
				parts("1", "", "read", 4), calls("1.0", "", "read"), calls("1.1", "", "read"), calls("1.2", "", "read"),
				reported{"1.1", 50, 100, "half"},
				reported{"1.2", 1, 4, ""},
				reported{"1.1", 40, 100, "back"},
				ends("1.1", "", "read"),
				reported{"1.1", 9, 9, "late"},
				reported{"1.2", 2, 0, "who knows"},
				reported{"1.0", math.NaN(), 1, ""},
				ends("1.2", "", "read"), ends("1.0", "", "read"), calls("1.3", "", "read"), ends("1.3", "", "read"),
				ends("1", "", "read"),
			},
			[]string{
				"reported 0.50/4 item 1: half", "reported 0.75/4 ", "reported 0.75/4 item 1: back",
				"part read 1/4", "reported 1.25/4 item 2: who knows", "reported 1.25/4 ",
				"part read 2/4", "part read 3/4", "part read 4/4", "step read 1",
			},
		},
		{
			"branches",
			[]any{
				parts("1", "", "facts", 2), calls("1.news", "", "facts"), calls("1.sky", "", "facts"),
				reported{"1.sky", 1, 2, "clouds"},
				ends("1.sky", "", "facts"), ends("1.news", "", "facts"), ends("1", "", "facts"),
			},
			[]string{"reported 0.50/2 branch sky: clouds", "part facts 1/2", "part facts 2/2", "step facts 1"},
		},
		{
			"a graph for each item: its frames are parts of a part",
			[]any{
				parts("1", "", "todos", 2),
				calls("1.0/1", "todos_of_file", "read"),
				reported{"1.0/1", 1, 2, "half a file"},
				ends("1.0/1", "todos_of_file", "read"),
				parts("1.0/2", "todos_of_file", "ask", 9), calls("1.0/2.0", "todos_of_file", "ask"),
				reported{"1.0/2.0", 1, 2, "deep"},
				ends("1.0/2.0", "todos_of_file", "ask"), ends("1.0/2", "todos_of_file", "ask"),
				ends("1.0", "", "todos"), ends("1.1", "", "todos"), ends("1", "", "todos"),
			},
			[]string{"reported 0.00/2 item 0: half a file", "reported 0.00/2 item 0: deep", "part todos 1/2", "part todos 2/2", "step todos 1"},
		},
		{
			"a graph whose frame has the parts",
			[]any{
				calls("1/1", "walk", "list"),
				reported{"1/1", 1, 2, "half the list"},
				ends("1/1", "walk", "list"),
				parts("1/2", "walk", "read", 2), ends("1/2.1", "walk", "read"), ends("1/2.0", "walk", "read"), ends("1/2", "walk", "read"),
				ends("1", "", "sub"),
			},
			[]string{"call walk:list", "reported 0.00/0 half the list", "part walk:read 1/2", "part walk:read 2/2", "step sub 1"},
		},
		{
			"a failure below a step ends its parts, recorded or not",
			[]any{
				parts("1/2", "walk", "read", 8), calls("1/2.0", "walk", "read"), calls("1/2.1", "walk", "read"), ends("1/2.0", "walk", "read"),
				ends("1", "", "sub"),
				reported{"1/2.1", 1, 2, "late"},
				calls("2", "", "next"),
				reported{"2", 1, 2, ""},
				ends("2", "", "next"),
				parts("3", "", "read", 1), ends("3.0", "", "read"), ends("3", "", "read"),
			},
			[]string{"part walk:read 1/8", "step sub 1", "call next", "reported 1.00/2 ", "step next 2", "part read 1/1", "step read 3"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := &reports{}
			r := newReporter(got.watch())
			for _, what := range c.run {
				switch what := what.(type) {
				case execution.Event:
					r.Observe(what)
				case reported:
					r.upstreamProgress(what.at, what.done, what.total, what.message)
				}
			}
			if !slices.Equal(got.lines, c.want) {
				t.Errorf("got\n%q\nwant\n%q", got.lines, c.want)
			}
		})
	}
}
