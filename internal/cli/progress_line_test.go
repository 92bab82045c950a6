package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/internal/base/terminal"
)

func newLine(to *bytes.Buffer) *progress {
	p := newProgress(to, &config.Secrets{})
	p.w, p.screen = to, terminal.Sized(200, 24, false)
	return p
}

// The events of runs, with nothing but what the line reads.

func calls(at execution.Address, graph, node string) execution.Event {
	frame, index, part := at.Split()
	return execution.Event{Kind: execution.CallStarted, Step: &execution.Visit{Frame: frame, Index: index, Part: part, Graph: graph, NodeID: node}}
}

func parts(at execution.Address, graph, node string, count int) execution.Event {
	e := calls(at, graph, node)
	e.Kind, e.Parts = execution.PartsStarted, &execution.Parts{Count: count}
	return e
}

// stepParts are the steps of a tool or a block that begin.
func stepParts(at execution.Address, graph string, names ...string) execution.Event {
	e := parts(at, graph, "$steps", len(names))
	e.Parts.Branches = names
	return e
}

func ends(at execution.Address, tool, node string) execution.Event {
	frame, index, part := at.Split()
	return execution.Event{Kind: execution.StepFinished, Record: &execution.Record{Frame: frame, Index: index, Part: part, Tool: tool, NodeID: node}}
}

// The line names the call that has taken longest, and the parts that it is one of.
func TestProgressLine(t *testing.T) {
	began := time.Now()
	at := func(e execution.Event, seconds int) execution.Event {
		e.Time = began.Add(time.Duration(seconds) * time.Second)
		if e.Step != nil {
			e.Step.Server, e.Step.Tool = "up", "read"
		}
		return e
	}
	p := newLine(&bytes.Buffer{})
	defer p.clear()
	for i, step := range []struct {
		event execution.Event
		heard func()
		want  string
	}{
		{event: at(ends("0", "", "entry"), 0), want: "0 entry"},
		{event: at(calls("1", "", "one"), 0), want: "1 one: calling up read, 9s"},
		{heard: func() { p.heard("1", 3, 0, "page 3") }, want: "1 one: calling up read, 9s, 3 page 3"},
		{heard: func() { p.heard("7", 3, 0, "not known") }, want: "1 one: calling up read, 9s, 3 page 3"},
		{event: at(ends("1", "", "one"), 1), want: "1 one"},
		{event: at(parts("2", "", "all", 20), 1), want: "1 one"},
		{event: at(calls("2.0", "", "all"), 1), want: "2 all: 0 of 20 parts done, 1 in flight; 2.0 all: calling up read, 8s"},
		{event: at(calls("2.1/0", "sub", "all"), 3), want: "2 all: 0 of 20 parts done, 2 in flight; 2.0 all: calling up read, 8s"},
		{heard: func() { p.heard("2.1/0", 1, 4, "") }, want: "2 all: 0 of 20 parts done, 2 in flight; 2.0 all: calling up read, 8s"},
		{event: at(ends("2.0", "", "all"), 4), want: "2 all: 1 of 20 parts done, 1 in flight; 2.1/0 sub:all: calling up read, 6s, 1/4"},
		{event: at(ends("2", "", "all"), 5), want: "2 all"}, // with a call that has ended without a record
		// Of steps, the items around the call are counted, too.
		{event: at(stepParts("3", "", "a", "b"), 5), want: "2 all"},
		{event: at(ends("3.a", "", "$steps"), 5), want: "3.a 1/2"},
		{event: at(parts("3.b", "", "$steps", 4), 5), want: "3.a 1/2"},
		{event: at(stepParts("3.b.0", "", "x"), 5), want: "3.a 1/2"},
		{event: at(calls("3.b.0.x", "", "$steps"), 5), want: "3 steps: 1 of 2 steps done, 1 in flight; 3.b: 0 of 4 items done; 3.b.0.x: calling up read, 4s"},
		{event: at(ends("3.b.0.x", "", "$steps"), 6), want: "3.b.0.x 1/1"},
		{event: at(ends("3.b.0", "", "$steps"), 6), want: "3.b.0 1/4"},
		{event: at(calls("3.b.1.x@2", "other", "$steps"), 6), want: "3 steps: 1 of 2 steps done, 1 in flight; 3.b: 1 of 4 items done; 3.b.1.x@2 other: calling up read, 3s"},
		{event: at(ends("3", "", "$steps"), 7), want: "3 steps"},
	} {
		if step.heard != nil {
			step.heard()
		} else {
			p.Observe(step.event)
		}
		if got := p.line(began.Add(9 * time.Second)); got != step.want {
			t.Errorf("%d: got %q, want %q", i, got, step.want)
		}
	}
	if len(p.calls)+len(p.parts) > 0 {
		t.Errorf("left over: %v %v", p.calls, p.parts)
	}
}

// The timer draws the line while a call is in flight, and not over a question; then it ends.
func TestProgressLineIsDrawnAgain(t *testing.T) {
	var to bytes.Buffer
	p := newLine(&to)
	drawn := func() string {
		to.Reset()
		p.tick()
		return strings.TrimPrefix(to.String(), "\r\x1b[2K")
	}
	p.Observe(calls("1", "", "one"))
	if got := drawn(); !strings.HasPrefix(got, "1 one: calling") {
		t.Errorf("drawn %q", got)
	}
	show := p.hide()
	if got := drawn(); got != "" {
		t.Errorf("drawn over a question: %q", got)
	}
	show()
	if got := drawn(); got == "" {
		t.Error("not drawn after the question")
	}
	p.Observe(ends("1", "", "one"))
	if drawn(); p.timer != nil {
		t.Error("the timer goes on without a call")
	}
	p.Observe(calls("2", "", "two"))
	p.clear()
	if got := drawn(); got != "" {
		t.Errorf("drawn after the end: %q", got)
	}
}
