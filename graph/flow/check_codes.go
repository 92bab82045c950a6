package flow

import (
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// leftOut warns of an onError whose codes leave out a failure that the node has by what the file itself says: not-yet of
// a retry with until, and raised of $error(…). The run then fails with what onError seems to be for.
func (c *checker) leftOut(n graph.Node, on *config.OnError) {
	o := graph.OnErrorOf(n)
	if o == nil || o.Codes == nil || len(on.Codes) == 0 {
		return
	}
	report := func(code config.FailureCode, because string) {
		if !slices.Contains(o.Codes, code) {
			c.found.Warn(on.Codes[0].Pos, "code-left-out", fmt.Sprintf("codes of onError of node %q leaves out %s, %s", n.ID(), code, because),
				"add "+string(code)+" to codes, which is now "+wording.Or(o.Codes))
		}
	}
	if m, isMCP := n.(*graph.MCP); isMCP && m.Retry != nil && m.Retry.Until != nil {
		report(config.FailNotYet, "which a retry with until gives when all attempts are used up")
	}
	if code := comparedCode(o); code != "" {
		report(code, "which its expression compares with $failure.code")
	}
	if by := raises(n, map[*graph.Graph]bool{}); by != "" {
		report(config.FailRaised, "which $error(…) in "+by+" gives")
	}
}

// comparedCode returns the first code of a failure that an expression of an onError compares with the only code that it
// takes; "" when there is none. Of several codes, the comparison itself is reported.
func comparedCode(o *graph.OnError) (code config.FailureCode) {
	if o.Value == nil || len(o.Codes) != 1 {
		return ""
	}
	var look func(t *jsonata.Tree)
	look = func(t *jsonata.Tree) {
		if t.Kind == jsonata.OperatorKind && len(t.Parts) == 2 {
			for i := range t.Parts {
				other := config.FailureCode(t.Parts[1-i].Text)
				if isFailureCode(&t.Parts[i]) && t.Parts[1-i].Kind == jsonata.StringKind && other.Catchable() && other != o.Codes[0] && code == "" {
					code = other
				}
			}
		}
		for i := range t.Parts {
			look(&t.Parts[i])
		}
	}
	for _, e := range o.Value.Expressions() {
		if t := e.Tree(); t != nil {
			look(t)
		}
	}
	return code
}

// isFailureCode reports whether a part of an expression is $failure.code.
func isFailureCode(t *jsonata.Tree) bool {
	return t.Kind == jsonata.PathKind && len(t.Parts) == 2 && t.Parts[0].Kind == jsonata.VariableKind && t.Parts[0].Text == expressions.VarFailure && t.Parts[1].Text == "code"
}

// raises says which expression of a node, or of a graph that it calls, calls $error outside of what takes that failure;
// "" when none does. inside has the graphs around it.
func raises(n graph.Node, inside map[*graph.Graph]bool) string {
	switch n := n.(type) {
	case *graph.Transform:
		if callsError(n.Expr) {
			return "its expression"
		}
	case *graph.SubGraph:
		if n.Graph == nil || inside[n.Graph] {
			return ""
		}
		inside[n.Graph] = true
		for _, inner := range n.Graph.Nodes {
			if !graph.OnErrorOf(inner).Catches(config.FailRaised) && raises(inner, inside) != "" {
				return fmt.Sprintf("node %q of tool %q", inner.ID(), n.Tool)
			}
		}
	case *graph.MCP, *graph.Parallel, *graph.Ask, *graph.Entry, *graph.Switch, *graph.Steps, *graph.Exit:
	}
	if call := graph.CallingOf(n); call != nil && slices.ContainsFunc(call.Args.Expressions(), callsError) {
		return "its args"
	}
	return ""
}

// callsError reports whether an expression calls $error.
func callsError(e *graph.Expr) bool {
	var calls func(t *jsonata.Tree) bool
	calls = func(t *jsonata.Tree) bool {
		if t.Kind == jsonata.CallKind && len(t.Parts) > 0 && t.Parts[0].Kind == jsonata.VariableKind && t.Parts[0].Text == "error" {
			return true
		}
		for i := range t.Parts {
			if calls(&t.Parts[i]) {
				return true
			}
		}
		return false
	}
	t := e.Tree()
	return t != nil && calls(t)
}
