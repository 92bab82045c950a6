package graphtest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolgraph/internal/base/diff"
	"toolgraph/internal/base/wording"
)

// checkCalls compares the calls of a run, in the order of their addresses.
func (e *Expect) checkCalls(r *Result) []Problem {
	if e.Calls == nil {
		return nil
	}
	calls := r.Calls
	named := func(want ExpectedCall, c Call) bool {
		return (want.Node == "" || r.naming.isOfCall(want.Node, &c.Call)) &&
			(want.Server == "" || want.Server == c.Server) && (want.Tool == "" || want.Tool == c.Tool)
	}
	fit, ok := walks(e.Calls, calls,
		func(want ExpectedCall) bool { return want.Any },
		func(want ExpectedCall, c Call) bool { return named(want, c) && len(want.differences(c)) == 0 })
	if ok {
		return nil
	}
	p := Problem{Pos: e.at("calls"), What: "calls", Older: "expected", Newer: "got"}
	switch {
	case slices.ContainsFunc(e.Calls, func(want ExpectedCall) bool { return want.Any }):
		p.Message = fmt.Sprintf("the %d calls of the run are not the expected ones: they were %s", len(calls), callNames(calls))
	case fit >= len(calls):
		p.Pos = e.Calls[fit].Pos
		p.Message = fmt.Sprintf("the run made %s, expected %d; the next expected call is %s",
			wording.Count(len(calls), "call"), len(e.Calls), e.Calls[fit].String())
	case fit >= len(e.Calls):
		p.Message = fmt.Sprintf("the run made %s, expected %d; the first that is too many is %s",
			wording.Count(len(calls), "call"), len(e.Calls), callNames(calls[fit:fit+1]))
	case named(e.Calls[fit], calls[fit]):
		p.Pos = e.Calls[fit].Pos
		p.Message = fmt.Sprintf("call %d, %s, has other arguments than expected", fit+1, callNames(calls[fit:fit+1]))
		p.Changes = e.Calls[fit].differences(calls[fit])
	default:
		p.Pos = e.Calls[fit].Pos
		p.Message = fmt.Sprintf("call %d is %s, expected %s", fit+1, callNames(calls[fit:fit+1]), e.Calls[fit].String())
	}
	return []Problem{p}
}

// differences returns where the arguments of a call differ from the expected ones.
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

// String describes the call in a message.
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

// callNames lists calls in a message.
func callNames(calls []Call) string {
	var parts []string
	for _, c := range calls {
		parts = append(parts, fmt.Sprintf("%s of %s", strings.Trim(c.Server+"."+c.Tool, "."), callerText(&c.Call)))
	}
	return cmp.Or(wording.List(parts), "none")
}
