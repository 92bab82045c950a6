package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
)

// shownOn returns a progress on a screen whose writes go to a buffer.
func shownOn(to *bytes.Buffer, secrets *config.Secrets) *progress {
	p := newProgress(terminal.SizedLive(to, terminal.Sized(200, 24, false)), secrets, "collect")
	p.lists = true
	return p
}

// tree is what a progress shows at a time.
func tree(p *progress, now time.Time) string {
	var lines []string
	for _, row := range p.rows(now) {
		line := ""
		for _, part := range row {
			line += part.Text
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// The events of runs, with nothing but what is shown.

func calling(at execution.Address, graph, node string) execution.Event {
	frame, index, part := at.Split()
	return execution.Event{Kind: execution.CallStarted, Step: &execution.Visit{Frame: frame, Index: index, Part: part, Graph: graph, NodeID: node, Server: "up", Tool: "read"}}
}

func parts(at execution.Address, graph, node string, count int) execution.Event {
	e := calling(at, graph, node)
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
	return execution.Event{Kind: execution.StepFinished, Record: &execution.Record{Frame: frame, Index: index, Part: part, Tool: tool, NodeID: node, NodeType: config.MCPNode}}
}

func of(kind execution.EventKind, e execution.Event) execution.Event {
	e.Kind = kind
	return e
}

func failing(e execution.Event, handled bool) execution.Event {
	failure := &execution.Failure{Message: "no hunter2-hunter2\x1b[31m page"}
	if e.Record.Handled = failure; !handled {
		e.Record.Error, e.Record.Handled = failure, nil
	}
	return e
}

// What is in flight is a tree below the name of the tool; parts are counted, and what has ended goes away.
func TestProgressTree(t *testing.T) {
	began := time.Now()
	at := func(e execution.Event, seconds int) execution.Event {
		e.Time = began.Add(time.Duration(seconds) * time.Second)
		return e
	}
	p := shownOn(&bytes.Buffer{}, config.NewSecrets("hunter2-hunter2"))
	defer p.clear()
	for i, step := range []struct {
		event execution.Event
		heard func()
		want  string
	}{
		{event: at(ends("0", "", "entry"), 0), want: ""},
		{event: at(calling("1", "", "one"), 0), want: "collect  1 step done  9.0 s\n  1 one  up.read  9.0 s"},
		{heard: func() { p.heard("1", 3, 0, "page 3\n\x1b[2J") }, want: "collect  1 step done  9.0 s\n  1 one  up.read  9.0 s  3, page 3 \\x1b[2J"},
		{heard: func() { p.heard("7", 3, 0, "not known") }, want: "collect  1 step done  9.0 s\n  1 one  up.read  9.0 s  3, page 3 \\x1b[2J"},
		{event: at(of(execution.AttemptFailed, calling("1", "", "one")), 1), want: "collect  1 step done  9.0 s\n  1 one  waits for the next attempt  8.0 s"},
		{event: at(ends("1", "", "one"), 1), want: "collect  2 steps done  9.0 s"},
		{event: at(parts("2", "", "all", 20), 1), want: "collect  2 steps done  9.0 s\n  2 all  0 of 20 parts done  8.0 s"},
		// A question about all parts leaves their number.
		{event: at(of(execution.QuestionAsked, calling("2", "", "all")), 1), want: "collect  2 steps done  9.0 s\n  2 all  waits for an answer  0 of 20 parts done  8.0 s"},
		{event: at(of(execution.Answered, calling("2", "", "all")), 1), want: "collect  2 steps done  9.0 s\n  2 all  0 of 20 parts done  8.0 s"},
		{event: at(calling("2.0", "", "all"), 1), want: "collect  2 steps done  9.0 s\n  2 all  0 of 20 parts done  8.0 s\n    2.0 all  up.read  8.0 s"},
		{event: at(calling("2.1/0", "sub", "all"), 3), want: "collect  2 steps done  9.0 s\n  2 all  0 of 20 parts done  8.0 s\n    2.0 all  up.read  8.0 s\n    2.1/0 sub:all  up.read  6.0 s"},
		{heard: func() { p.heard("2.1/0", 1, 4, "hunter2-hunter2") }, want: "collect  2 steps done  9.0 s\n  2 all  0 of 20 parts done  8.0 s\n    2.0 all  up.read  8.0 s\n    2.1/0 sub:all  up.read  6.0 s  1 of 4, [redacted]"},
		{event: at(failing(ends("2.0", "", "all"), true), 4), want: "collect  2 steps done  9.0 s\n  2 all  1 of 20 parts done, 1 failed  8.0 s\n    2.1/0 sub:all  up.read  6.0 s  1 of 4, [redacted]"},
		{event: at(ends("2", "", "all"), 5), want: "collect  3 steps done  9.0 s"}, // with a call that has ended without a record
		{event: at(stepParts("3", "", "a", "b"), 5), want: "collect  3 steps done  9.0 s\n  3 steps  0 of 2 steps done  4.0 s"},
		{event: at(ends("3.a", "", "$steps"), 5), want: "collect  4 steps done  9.0 s\n  3 steps  1 of 2 steps done  4.0 s"},
		{event: at(parts("3.b", "", "$steps", 4), 5), want: "collect  4 steps done  9.0 s\n  3 steps  1 of 2 steps done  4.0 s\n    3.b  0 of 4 items done  4.0 s"},
		{event: at(calling("3.b.0.x", "", "$steps"), 5), want: "collect  4 steps done  9.0 s\n  3 steps  1 of 2 steps done  4.0 s\n    3.b  0 of 4 items done  4.0 s\n      3.b.0.x  up.read  4.0 s"},
		{event: at(ends("3.b.0", "", "$steps"), 6), want: "collect  4 steps done  9.0 s\n  3 steps  1 of 2 steps done  4.0 s\n    3.b  1 of 4 items done  4.0 s"},
		{event: at(ends("3", "", "$steps"), 7), want: "collect  5 steps done  9.0 s"},
	} {
		if step.heard != nil {
			step.heard()
		} else {
			p.Observe(step.event)
		}
		if got := tree(p, began.Add(9*time.Second)); got != step.want {
			t.Errorf("%d: got\n%s\nwant\n%s", i, got, step.want)
		}
	}
	if len(p.flight) > 0 {
		t.Errorf("left over: %v", p.flight)
	}
}

// Each call that has ended has one line, with what onError has taken; items, which their step counts, and steps that call
// nothing have none. Neither secrets nor control characters are shown.
func TestProgressLines(t *testing.T) {
	var to bytes.Buffer
	p := shownOn(&to, config.NewSecrets("hunter2-hunter2"))
	nothing := ends("3", "", "sum")
	nothing.Record.NodeType = config.TransformNode
	skipped := ends("4", "", "never")
	skipped.Record.Skipped = true
	for _, e := range []execution.Event{
		calling("1", "", "one"), ends("1", "", "one\x1b[2J"), parts("2", "", "all", 2), calling("2.0", "", "all"), ends("2.0", "", "all"), failing(ends("2.1", "", "all"), false),
		ends("2", "", "all"), nothing, skipped, failing(ends("5", "", "read"), true), failing(ends("6", "", "write"), false), ends("7.b", "to\x1b[2Jol", "$steps"),
	} {
		p.Observe(e)
	}
	p.clear()
	got := ""
	for line := range strings.Lines(to.String()) {
		for _, word := range []string{"ok ", "failed ", "handled "} {
			if i := strings.Index(line, word); i >= 0 {
				got += line[i:]
			}
		}
	}
	if want := "ok       1 one\\x1b[2J  0.00 ms\nok       2 all  0.00 ms\nhandled  5 read  0.00 ms  no [redacted]\\x1b[31m page\nfailed   6 write  0.00 ms\nok       7.b to\\x1b[2Jol  0.00 ms\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s\nall\n%q", got, want, to.String())
	}
	for _, r := range strings.NewReplacer("\x1b[K", "", "\x1b[?7l", "", "\x1b[?7h", "", "\x1b[1A", "", "\x1b[2A", "", "\x1b[3A", "", "\x1b[1B", "", "\r", "", "\n", "").Replace(to.String()) {
		if wording.IsHidden(r) {
			t.Errorf("%q on the terminal: %q", r, to.String())
		}
	}
}
