package graphtest

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/diff"
	"toolgraph/internal/wording"
)

// caller answers the calls of one run, which are made one after the other: by a mock,
// by the cassette, by a server.
type caller struct {
	mocks  []*Mock // the first that has an answer gives it
	used   map[*Rule]int
	tape   *tape                // nil: none
	server execution.ToolCaller // nil: none
	fills  places               // whose paths a server gets, and mocks give
	known  places               // whose names mocks are asked with

	made       []Call
	unanswered *Problem // the first call that nothing answered
}

func newCaller(c *Case, s *Suite, t *tape, in surroundings) *caller {
	return &caller{
		mocks: append(c.Mocks[:len(c.Mocks):len(c.Mocks)], s.Mocks...), used: map[*Rule]int{},
		tape: t, server: in.caller, fills: in.fills, known: in.known,
	}
}

// CallTool answers a call.
func (c *caller) CallTool(ctx context.Context, asked execution.Call) (value.Value, error) {
	call := Call{Call: asked}
	c.answer(ctx, &call)
	c.made = append(c.made, call)
	return call.Result, call.Err
}

func (c *caller) answer(ctx context.Context, call *Call) {
	if mock, rule := c.mockFor(call); rule != nil {
		call.Source = FromMock
		c.byMock(call, mock, rule)
		return
	}
	if c.tape != nil {
		if recorded := c.tape.next(call.Server, call.Tool, call.Args); recorded != nil {
			call.Source = FromCassette
			call.Result, call.Err = recorded.Result, recorded.err()
			return
		}
	}
	if c.server != nil {
		call.Source = FromServer
		call.Result, call.Err = c.server.CallTool(ctx, call.Call)
		return
	}
	c.refuse(call, nothingAnswers(call, c.tape))
}

// mockFor is the rule that is for a call, or nil. A mock of the node goes before one
// of the tool, and one of the case before one of the file.
func (c *caller) mockFor(call *Call) (*Mock, *Rule) {
	for _, name := range []string{call.Node, call.Server + "." + call.Tool} {
		for _, m := range c.mocks {
			if m.Name.Value != name {
				continue
			}
			for i := range m.Rules {
				if rule := &m.Rules[i]; rule.When == nil || len(within(c.known.empty(rule.When), c.known.empty(call.Args))) == 0 {
					return m, rule
				}
			}
		}
	}
	return nil, nil
}

func (c *caller) byMock(call *Call, mock *Mock, rule *Rule) {
	n := c.used[rule]
	c.used[rule]++
	if n >= len(rule.Answers) {
		if !rule.Repeat {
			c.refuse(call, Problem{
				Pos: rule.Pos, What: "call",
				Message: fmt.Sprintf("node %q makes call %d, and the sequence of mock %q has %s; add answers, or write repeat: last", call.Node, n+1, mock.Name.Value, wording.Count(len(rule.Answers), "answer")),
			})
			return
		}
		n = len(rule.Answers) - 1
	}
	if answer := rule.Answers[n]; answer.Failed {
		call.Err = mockedError(call.Server, call.Tool, answer.Error)
	} else {
		call.Result = c.fills.fill(answer.Value)
	}
}

// refuse fails a call that nothing answers, and with it the case.
func (c *caller) refuse(call *Call, p Problem) {
	call.Source = FromNowhere
	call.Err = &toolError{code: "no-answer", text: p.Message}
	if c.unanswered == nil {
		c.unanswered = &p
	}
}

func nothingAnswers(call *Call, t *tape) Problem {
	p := Problem{What: "call"}
	asked := fmt.Sprintf("node %q calls %s.%s with %s", call.Node, call.Server, call.Tool, encoded(call.Args))
	switch n, nearest := t.near(call.Server, call.Tool, call.Args); {
	case nearest != nil:
		p.Message = fmt.Sprintf("%s, and the cassette has %s of it with other arguments; record again with toolgraph test --record, or mock it", asked, wording.Count(n, "call"))
		p.Changes = diff.Values(t.places.empty(nearest.Args), t.places.empty(call.Args))
		p.Older, p.Newer = "recorded", "now"
		if slices.ContainsFunc(p.Changes, movedPath) {
			p.Message += "; write {" + directoryPlace + "} for the directory of the graph file"
		}
	case n > 0:
		p.Message = fmt.Sprintf("%s once more than the cassette has answers (%d); record again with toolgraph test --record", asked, n)
	default:
		p.Message = fmt.Sprintf("%s, and nothing answers it; write mocks: {%s: {result: …}}, or record the calls once with toolgraph test --record", asked, quoteKey(call.Node))
	}
	return p
}

// movedPath reports whether an argument is a path of one machine where a path below the
// graph's directory was recorded.
func movedPath(c diff.Change) bool {
	was, _ := c.Old.(string)
	is, _ := c.New.(string)
	return strings.HasPrefix(was, "{"+directoryPlace+"}") && filepath.IsAbs(is)
}

// Problem is one way in which a case is not as expected.
type Problem struct {
	Pos     config.Pos // in the test file; invalid when no line is concerned
	What    string     // call, error, value, partial, contains, path, calls, nodes, nothing or executions
	Message string
	Changes []diff.Change // the parts that differ
	Older   string        // what Old of the changes is called: expected or recorded
	Newer   string        // what New of them is called
}
