package graphtest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/diff"
	"toolgraph/internal/base/wording"
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

	// Result is the value of a result with isError. A cassette has it when the graph can read
	// it: when one of its nodes handles failures.
	Result value.JSON `json:"result,omitzero"`
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

// FailedResult returns the value of the failed result, nil when it has none.
func (e *toolError) FailedResult() value.Value { return e.Result.Value }

// toolErrorOf returns the text, the code, the structured content and the result of an error.
func toolErrorOf(err error) *toolError {
	e := &toolError{Code: codeOf(err), Message: err.Error()}
	var failed interface{ StructuredContent() json.RawMessage }
	if errors.As(err, &failed) && failed.StructuredContent() != nil {
		e.Structured.Value, _ = value.Decode(failed.StructuredContent()) // without it when it is not JSON
	}
	var result interface{ FailedResult() value.Value }
	if errors.As(err, &result) {
		e.Result.Value = result.FailedResult()
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

// caller answers the calls of one run: by a mock, by the cassette, by a server; and its questions:
// by a mock.
type caller struct {
	naming naming
	mocks  []*Mock              // the first that has an answer gives it
	server execution.ToolCaller // nil: none
	tests  bool                 // it is of a case, which can record calls
	fills  places               // whose paths servers get, and mocks return
	known  places               // whose names are in the arguments that mocks are matched with

	through Through // around what the tape answers; nil: nothing is

	mu         sync.Mutex // guards all below: on servers the parts of a run call at the same time
	used       map[*Rule]int
	tape       *tape // nil: none
	made       []Call
	unanswered *Problem // the first call without an answer
}

func newCaller(g *graph.Graph, c *Case, s *Suite, t *tape, in surroundings) *caller {
	return &caller{
		naming: namingOf(g), mocks: slices.Concat(c.Mocks, s.Mocks), used: map[*Rule]int{},
		tape: t, server: in.caller, tests: true, fills: in.fills, known: in.known,
	}
}

// CallTool answers a call.
func (c *caller) CallTool(ctx context.Context, asked execution.Call) (value.Value, error) {
	call := Call{Call: asked}
	if c.answer(&call) {
		if c.through != nil && call.Source != FromMock {
			return c.through(ctx, asked, call.Result, call.Err)
		}
		return call.Result, call.Err
	}
	call.Source = FromServer
	call.Result, call.Err = c.server.CallTool(ctx, asked)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made = append(c.made, call)
	return call.Result, call.Err
}

// CallGraph answers the call of a graph node that has a mock, in place of the graph.
func (c *caller) CallGraph(_ context.Context, asked execution.Call) (v value.Value, answered bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	call := Call{Call: asked}
	mock, rule := c.mockFor(&call)
	if rule == nil {
		return nil, false, nil
	}
	c.byMock(&call, mock, rule)
	c.made = append(c.made, call)
	return call.Result, true, call.Err
}

// answer answers a call without a server; it reports false when a server has to.
func (c *caller) answer(call *Call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	mock, rule := c.mockFor(call)
	var recorded *Recorded
	if rule == nil {
		recorded = c.tape.next(call.Call)
	}
	switch {
	case rule != nil:
		c.byMock(call, mock, rule)
	case recorded != nil:
		call.Source, call.Result = FromCassette, recorded.Result.Value
		if recorded.Error != nil {
			call.Err = recorded.Error
		}
	case c.server != nil:
		return false
	default:
		c.refuse(call, c.withoutAnswer(call))
	}
	c.made = append(c.made, *call)
	return true
}

// calls returns the calls that a run made, each attempt of its own, in the order of their
// addresses: it does not depend on which of the calls at the same time came first.
func (c *caller) calls(run *execution.Result) []Call {
	slices.SortStableFunc(c.made, func(a, b Call) int {
		return cmp.Or(run.Compare(a.At(), b.At()), cmp.Compare(a.Attempt, b.Attempt))
	})
	return c.made
}

// mockFor returns the rule for a call, or nil. A mock of the node goes before one of the
// tool, and one of the case before one of the file.
func (c *caller) mockFor(call *Call) (*Mock, *Rule) {
	ofNode := func(name string) bool { return c.naming.isOfCall(name, &call.Call) }
	ofTool := func(name string) bool { return call.Server != "" && name == call.Server+"."+call.Tool }
	for _, means := range []func(string) bool{ofNode, ofTool} {
		for _, m := range c.mocks {
			if !means(m.Name.Value) {
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
	call.Source = FromMock
	switch answer, found := c.next(call, "makes call", mock, rule); {
	case !found:
	case answer.Failed:
		call.Err = answer.failure(call)
	default:
		call.Result = c.fills.fill(answer.Value)
	}
}

// next returns the answer of a rule that is next. Without one it refuses the call; does says what
// the node does, before a number.
func (c *caller) next(call *Call, does string, mock *Mock, rule *Rule) (a *Answer, found bool) {
	n := c.used[rule]
	c.used[rule]++
	switch {
	case n < len(rule.Answers):
		return &rule.Answers[n], true
	case rule.Repeat:
		return &rule.Answers[len(rule.Answers)-1], true
	}
	c.refuse(call, Problem{
		Pos: rule.Pos, What: "call",
		Message: fmt.Sprintf("%s %s %d, but the sequence of mock %q has %s; add answers, or write repeat: last",
			callerText(&call.Call), does, n+1, mock.Name.Value, wording.Count(len(rule.Answers), "answer")),
	})
	return nil, false
}

// failure returns the error of a call that a mock lets fail, as a server's would be.
func (a *Answer) failure(call *Call) *toolError {
	code := cmp.Or(a.Code, config.FailToolError)
	e := &toolError{Code: string(code), Message: fmt.Sprintf("server %q, tool %q: %s", call.Server, call.Tool, a.Error)}
	switch {
	case call.Server == "":
		e.Message = fmt.Sprintf("tool %q: %s", call.Tool, a.Error)
	case code == config.FailToolError: // the value of a result with this text
		e.Result.Value = a.Error
		if v, err := value.Decode([]byte(a.Error)); err == nil {
			e.Result.Value = v
		}
	}
	return e
}

// callerText names the node that makes a call; of a part or in a frame also its address.
func callerText(c *execution.Call) string {
	if c.Frame == "" && c.Part == "" {
		return fmt.Sprintf("node %q", c.Node)
	}
	return fmt.Sprintf("node %q (step %s)", c.Name(), c.At())
}

// refuse fails a call without an answer, and with it the case.
func (c *caller) refuse(call *Call, p Problem) {
	call.Source = FromNowhere
	call.Err = &toolError{Code: "no-answer", Message: p.Message}
	if c.unanswered == nil {
		c.unanswered = &p
	}
}

// withoutAnswer is the problem of a call without an answer.
func (c *caller) withoutAnswer(call *Call) Problem {
	p, t := Problem{What: "call"}, c.tape
	asked := fmt.Sprintf("%s calls %s.%s with %s", callerText(&call.Call), call.Server, call.Tool, encoded(call.Args))
	switch n, nearest := t.near(call.Call); {
	case !c.tests:
		p.Message = fmt.Sprintf("%s, but no mock answers it; write %s: {\"result\": …} into the mocks", asked, strconv.Quote(call.Name()))
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
			asked, quoteKey(call.Name()))
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
	What    string     // call, question, error, value, partial, contains, path, calls, nodes, nothing, executions or spilled
	Message string
	Changes []diff.Change // the parts that differ
	Older   string        // what Old of the changes is called: expected or recorded
	Newer   string        // what New of them is called
}
