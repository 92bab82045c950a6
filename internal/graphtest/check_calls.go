package graphtest

import (
	"fmt"
	"strings"

	"toolgraph/internal/diff"
	"toolgraph/internal/wording"
)

// checkCalls compares the calls of a run, in their order.
func (e *Expect) checkCalls(calls []Call) []Problem {
	if e.Calls == nil {
		return nil
	}
	fit, ok := walks(e.Calls, calls,
		func(want ExpectedCall) bool { return want.Any },
		func(want ExpectedCall, c Call) bool { return want.names(c) && len(want.differences(c)) == 0 })
	if ok {
		return nil
	}
	p := Problem{Pos: e.at("calls"), What: "calls", Older: "expected", Newer: "got"}
	anywhere := false
	for _, want := range e.Calls {
		anywhere = anywhere || want.Any
	}
	switch {
	case anywhere:
		p.Message = fmt.Sprintf("the %d calls of the run are not the expected ones: they were %s", len(calls), callNames(calls))
	case fit >= len(calls):
		p.Pos = e.Calls[fit].Pos
		p.Message = fmt.Sprintf("the run made %s, expected %d; the next was to be %s", wording.Count(len(calls), "call"), len(e.Calls), e.Calls[fit].String())
	case fit >= len(e.Calls):
		p.Message = fmt.Sprintf("the run made %s, expected %d; the next was %s", wording.Count(len(calls), "call"), len(e.Calls), callNames(calls[fit:fit+1]))
	case e.Calls[fit].names(calls[fit]):
		p.Pos = e.Calls[fit].Pos
		p.Message = fmt.Sprintf("call %d, %s, has other arguments than expected", fit+1, callNames(calls[fit:fit+1]))
		p.Changes = e.Calls[fit].differences(calls[fit])
	default:
		p.Pos = e.Calls[fit].Pos
		p.Message = fmt.Sprintf("call %d is %s, expected %s", fit+1, callNames(calls[fit:fit+1]), e.Calls[fit].String())
	}
	return []Problem{p}
}

// names reports whether a call is of the node, server and tool that are expected.
func (want ExpectedCall) names(c Call) bool {
	return (want.Node == "" || want.Node == c.Node) && (want.Server == "" || want.Server == c.Server) && (want.Tool == "" || want.Tool == c.Tool)
}

// differences are where the arguments of a call are not the expected ones.
func (want ExpectedCall) differences(c Call) []diff.Change {
	var found []diff.Change
	if want.Args != nil {
		found = diff.Values(want.Args, c.Args)
	}
	if want.Partial != nil {
		found = append(found, within(want.Partial, c.Args)...)
	}
	return found
}

// String tells the call in a message.
func (want ExpectedCall) String() string {
	var parts []string
	if want.Server != "" || want.Tool != "" {
		parts = append(parts, strings.Trim(want.Server+"."+want.Tool, "."))
	}
	if want.Node != "" {
		parts = append(parts, fmt.Sprintf("of node %q", want.Node))
	}
	if len(parts) == 0 {
		return "any call"
	}
	return strings.Join(parts, " ")
}

// callNames tells calls in a message.
func callNames(calls []Call) string {
	const shown = 8
	var parts []string
	for i, c := range calls {
		if i == shown {
			parts = append(parts, fmt.Sprintf("%d more", len(calls)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%s.%s of node %q", c.Server, c.Tool, c.Node))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}
