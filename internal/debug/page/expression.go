package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"toolgraph/config"
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
	shown  func(config.Pos) config.Pos
}

// labels are the names of expressions by where a node has them.
var labels = map[string]string{
	"transform": "Expression", "message": "Message", "forEach.items": "Items", "args": "Argument",
	"retry.when": "Retry when", "retry.until": "Retry until", "onError.value": "On error",
}

// expressions returns the expressions of a node, or of one of its parts; chosen is the target of a
// switch that has run. A parallel has none of its own: its branches do.
func (e evaluation) expressions(node graph.Node, chosen, part string) (all []expressionJSON) {
	if node.Type() == config.ParallelNode {
		return nil
	}
	taken := false // the edge of the run was found
	for i, expr := range view.Expressions(node) {
		at := e.shown(expr.Pos)
		out := expressionJSON{
			Label: labels[expr.Key], Kind: "jsonata", Source: e.redact(expr.Source), Line: at.Line, Column: at.Column, Reads: e.reads(expr.Reads),
		}
		if c := expr.Rule; c != nil && i < rulesShown {
			out.Label, out.Kind, out.Source = fmt.Sprintf("Rule %d → %s", i+1, c.Next.ID()), "rule", e.redact(indented(expr.Source))
			if holds, err := c.Rule.Holds(e.ctx, e.scope); err != nil {
				out.Error = e.redact(err.Error())
			} else {
				out.Holds = &holds
				out.Taken = holds && !taken && chosen == c.Next.ID()
				taken = taken || holds
			}
		} else if c != nil {
			break
		}
		if part == "" || expr.Key != "forEach.items" { // which is evaluated once, for all parts
			all = append(all, out)
		}
	}
	if sw, ok := node.(*graph.Switch); ok {
		all = append(all, expressionJSON{
			Label: "Otherwise → " + sw.Default.ID(), Kind: "rule", Reads: []readJSON{}, Taken: !taken && chosen == sw.Default.ID(),
		})
	}
	return all
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
	for _, r := range view.Reads(e.ctx, refs, e.scope, readsShown) {
		out = append(out, readJSON{Path: r.Path, Preview: preview(r.Value, readShown), Missing: r.Value == nil})
	}
	return out
}
