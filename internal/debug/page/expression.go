package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/graph"
	"toolgraph/internal/view"
)

const (
	readsShown = 40  // paths of an expression
	readShown  = 240 // bytes of the value of a path
	rulesShown = 100 // conditions of a switch
)

// expressionJSON is an expression of a step and what it read.
type expressionJSON struct {
	Label  string     `json:"label"`
	Kind   string     `json:"kind"` // jsonata or rule
	Source string     `json:"source"`
	Line   int        `json:"line"`
	Column int        `json:"column"`
	Holds  *bool      `json:"holds,omitempty"` // of a condition
	Taken  bool       `json:"taken"`           // the run took this edge
	Reads  []readJSON `json:"reads"`
	Error  string     `json:"error,omitempty"`
}

type readJSON struct {
	Path    string `json:"path"`
	Preview string `json:"preview"`
	Missing bool   `json:"missing"`
}

// evaluation evaluates what a step read, over the scope that it had.
type evaluation struct {
	ctx    context.Context
	scope  *expressions.Scope
	redact func(string) string
}

// expressions returns the expressions of a node, or of one of its parts; chosen is the target of a
// switch that has run.
func (e evaluation) expressions(node graph.Node, chosen, part string) []expressionJSON {
	switch node := node.(type) {
	case *graph.Switch:
		return e.rules(node, chosen)
	case *graph.Transform:
		return append([]expressionJSON{e.expression("Expression", node.Expr)}, e.caught(node)...)
	case *graph.MCP, *graph.SubGraph:
		return e.call(node, part)
	case *graph.Entry, *graph.Exit, *graph.Parallel:
	}
	return nil
}

func (e evaluation) expression(label string, expr *graph.Expr) expressionJSON {
	at := expr.Text.At(0)
	return expressionJSON{
		Label: label, Kind: "jsonata", Source: e.redact(expr.Source()), Line: at.Line, Column: at.Column, Reads: e.reads(expr.References()),
	}
}

// call returns the expressions of a call: of a forEach its list, of a part or a single call what is
// evaluated for it.
func (e evaluation) call(node graph.Node, part string) (all []expressionJSON) {
	call := graph.CallingOf(node)
	if call.ForEach != nil && part == "" {
		all = append(all, e.expression("Items", call.ForEach.Items))
	}
	for _, expr := range call.Args.Expressions() {
		all = append(all, e.expression("Argument", expr))
	}
	if call.ForEach != nil && part == "" {
		return all
	}
	if mcp, ok := node.(*graph.MCP); ok && mcp.Retry != nil {
		if mcp.Retry.When != nil {
			all = append(all, e.expression("Retry when", mcp.Retry.When))
		}
		if mcp.Retry.Until != nil {
			all = append(all, e.expression("Retry until", mcp.Retry.Until))
		}
	}
	return append(all, e.caught(node)...)
}

// caught returns the expressions of onError.
func (e evaluation) caught(node graph.Node) (all []expressionJSON) {
	if on := graph.OnErrorOf(node); on != nil && on.Value != nil {
		for _, expr := range on.Value.Expressions() {
			all = append(all, e.expression("On error", expr))
		}
	}
	return all
}

// rules returns the rules of a switch.
func (e evaluation) rules(node *graph.Switch, chosen string) (all []expressionJSON) {
	taken := false // the edge of the run was found
	for i, expr := range view.Expressions(node) {
		if i == rulesShown {
			break
		}
		c := expr.Rule
		out := expressionJSON{
			Label: fmt.Sprintf("Rule %d → %s", i+1, c.Next.ID()), Kind: "rule", Source: e.redact(indented(expr.Source)),
			Line: expr.Pos.Line, Column: expr.Pos.Column, Reads: e.reads(expr.Reads),
		}
		if holds, err := c.Rule.Holds(e.ctx, e.scope); err != nil {
			out.Error = e.redact(err.Error())
		} else {
			out.Holds = &holds
			out.Taken = holds && !taken && chosen == c.Next.ID()
			taken = taken || holds
		}
		all = append(all, out)
	}
	return append(all, expressionJSON{
		Label: "Otherwise → " + node.Default.ID(), Kind: "rule", Reads: []readJSON{}, Taken: !taken && chosen == node.Default.ID(),
	})
}

// indented returns a rule on several lines, a short one on one line.
func indented(raw string) string {
	const short = 160
	var out bytes.Buffer
	if len(raw) <= short || json.Indent(&out, []byte(raw), "", "  ") != nil {
		return raw
	}
	return out.String()
}

// reads returns the values of the paths that an expression reads.
func (e evaluation) reads(refs []jsonata.Reference) []readJSON {
	out := []readJSON{}
	seen := map[string]bool{}
	for _, ref := range refs {
		path, source := pathText(ref)
		if path == "" || seen[path] || len(out) == readsShown {
			continue
		}
		seen[path] = true
		compiled, err := jsonata.Compile(e.ctx, source)
		if err != nil {
			continue // a name that cannot be quoted
		}
		v, err := compiled.Eval(e.ctx, e.scope)
		if err != nil {
			continue // the expression's own error is more specific
		}
		out = append(out, readJSON{Path: path, Preview: preview(v, readShown), Missing: v == nil})
	}
	return out
}

// pathText returns a path as people write it, and as an expression.
func pathText(ref jsonata.Reference) (text, source string) {
	switch {
	case len(ref.Path) == 0:
		return "", ""
	case ref.Function == "executionCount":
		source = "$executionCount(" + strconv.Quote(ref.Path[0]) + ")"
		return source, source
	case ref.Function != "":
		source = "$nodeExecutions(" + strconv.Quote(ref.Path[0]) + ")"
		return source, source
	}
	return "$." + strings.Join(ref.Path, "."), "$.`" + strings.Join(ref.Path, "`.`") + "`"
}
