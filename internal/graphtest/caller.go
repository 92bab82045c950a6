package graphtest

import (
	"context"
	"encoding/json"
	"errors"
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

// Source is what answered a call.
type Source string

// The sources of answers.
const (
	FromMock     Source = "mock"
	FromCassette Source = "cassette"
	FromServer   Source = "server"
	FromNowhere  Source = "nowhere" // there was no answer, which fails the case
)

// Call is a call that a run has made.
type Call struct {
	execution.Call
	Result value.Value // nil when it has no value, or Err is set
	Err    error
	Source Source
}

// toolError is a failed call: of a mock, of a cassette, or what a recording keeps of the
// error of a server. Its JSON form is that of cassettes.
type toolError struct {
	Code       string     `json:"code,omitempty"` // such as tool-error
	Message    string     `json:"message"`
	Structured value.JSON `json:"structuredContent,omitzero"`
}

func (e *toolError) Error() string { return e.Message }

// ErrorCode returns the code for the failure of the run.
func (e *toolError) ErrorCode() string { return e.Code }

// StructuredContent returns what the tool reported beside the text, nil when it did not.
func (e *toolError) StructuredContent() json.RawMessage {
	if e.Structured.Value == nil {
		return nil
	}
	return json.RawMessage(exactText(e.Structured.Value))
}

// toolErrorOf returns the text, the code and the structured content of an error.
func toolErrorOf(err error) *toolError {
	e := &toolError{Code: codeOf(err), Message: err.Error()}
	var failed interface{ StructuredContent() json.RawMessage }
	if errors.As(err, &failed) && failed.StructuredContent() != nil {
		e.Structured.Value, _ = value.Decode(failed.StructuredContent()) // without it when it is not JSON
	}
	return e
}

// codeOf returns the code of an error, or "".
func codeOf(err error) string {
	var coded interface{ ErrorCode() string }
	if errors.As(err, &coded) {
		return coded.ErrorCode()
	}
	return ""
}

// caller answers the calls of one run, which are made one after the other: by a mock,
// by the cassette, by a server.
type caller struct {
	mocks  []*Mock // the first that has an answer gives it
	used   map[*Rule]int
	tape   *tape                // nil: none
	server execution.ToolCaller // nil: none
	fills  places               // whose paths servers get, and mocks return
	known  places               // whose names are in the arguments that mocks are matched with

	made       []Call
	unanswered *Problem // the first call without an answer
}

func newCaller(c *Case, s *Suite, t *tape, in surroundings) *caller {
	return &caller{
		mocks: slices.Concat(c.Mocks, s.Mocks), used: map[*Rule]int{},
		tape: t, server: in.caller, fills: in.fills, known: in.known,
	}
}

// CallTool answers a call.
func (c *caller) CallTool(ctx context.Context, asked execution.Call) (value.Value, error) {
	call := Call{Call: asked}
	mock, rule := c.mockFor(&call)
	var recorded *Recorded
	if rule == nil {
		recorded = c.tape.next(asked)
	}
	switch {
	case rule != nil:
		call.Source = FromMock
		c.byMock(&call, mock, rule)
	case recorded != nil:
		call.Source, call.Result = FromCassette, recorded.Result.Value
		if recorded.Error != nil {
			call.Err = recorded.Error
		}
	case c.server != nil:
		call.Source = FromServer
		call.Result, call.Err = c.server.CallTool(ctx, asked)
	default:
		c.refuse(&call, unanswered(&call, c.tape))
	}
	c.made = append(c.made, call)
	return call.Result, call.Err
}

// mockFor returns the rule for a call, or nil. A mock of the node goes before one of the
// tool, and one of the case before one of the file.
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
				Message: fmt.Sprintf("node %q makes call %d, but the sequence of mock %q has %s; add answers, or write repeat: last",
					call.Node, n+1, mock.Name.Value, wording.Count(len(rule.Answers), "answer")),
			})
			return
		}
		n = len(rule.Answers) - 1
	}
	if answer := rule.Answers[n]; answer.Failed {
		call.Err = &toolError{Code: "tool-error", Message: fmt.Sprintf("server %q, tool %q: %s", call.Server, call.Tool, answer.Error)}
	} else {
		call.Result = c.fills.fill(answer.Value)
	}
}

// refuse fails a call without an answer, and with it the case.
func (c *caller) refuse(call *Call, p Problem) {
	call.Source = FromNowhere
	call.Err = &toolError{Code: "no-answer", Message: p.Message}
	if c.unanswered == nil {
		c.unanswered = &p
	}
}

// unanswered is the problem of a call without an answer.
func unanswered(call *Call, t *tape) Problem {
	p := Problem{What: "call"}
	asked := fmt.Sprintf("node %q calls %s.%s with %s", call.Node, call.Server, call.Tool, encoded(call.Args))
	switch n, nearest := t.near(call.Call); {
	case nearest != nil:
		p.Message = fmt.Sprintf("%s, but the cassette has %s of this tool with other arguments; record again with toolgraph test --record, or mock it",
			asked, wording.Count(n, "call"))
		p.Changes = diff.Values(t.places.empty(nearest.Args.Value), t.places.empty(call.Args))
		p.Older, p.Newer = "recorded", "now"
		if slices.ContainsFunc(p.Changes, movedPath) {
			p.Message += "; write {" + directoryPlace + "} for the directory of the graph file"
		}
	case n > 0:
		p.Message = fmt.Sprintf("%s once more than the cassette has answers (%d); record again with toolgraph test --record", asked, n)
	default:
		p.Message = fmt.Sprintf("%s, but no mock or recorded call answers it; write mocks: {%s: {result: …}}, or record the calls once with toolgraph test --record",
			asked, quoteKey(call.Node))
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

// Problem is one way in which a result differs from what the case expects.
type Problem struct {
	Pos     config.Pos // in the test file; invalid when it has no line of its own
	What    string     // call, error, value, partial, contains, path, calls, nodes, nothing or executions
	Message string
	Changes []diff.Change // the parts that differ
	Older   string        // what Old of the changes is called: expected or recorded
	Newer   string        // what New of them is called
}
