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
)

const (
	readsShown = 40  // paths of an expression
	readShown  = 240 // bytes of what a path reads
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
	Taken  bool       `json:"taken"`           // the run went this way
	Reads  []readJSON `json:"reads"`
	Error  string     `json:"error,omitempty"`
}

type readJSON struct {
	Path    string `json:"path"`
	Preview string `json:"preview"`
	Missing bool   `json:"missing"`
}

// look evaluates what a step read, over what it saw.
type look struct {
	ctx   context.Context
	scope *expressions.Scope
	hide  func(string) string
}

func (l look) expression(label string, e *graph.Expr) expressionJSON {
	out := expressionJSON{Label: label, Kind: "jsonata", Source: l.hide(e.Source()), Reads: l.reads(e.References())}
	at := e.Text.At(0)
	out.Line, out.Column = at.Line, at.Column
	return out
}

// rules are the conditions of a switch, and which of them was taken.
func (l look) rules(node *graph.Switch, taken string) []expressionJSON {
	var out []expressionJSON
	gone := false // the way was found
	for i, c := range node.Conditions {
		if i == rulesShown {
			break
		}
		e := expressionJSON{Label: fmt.Sprintf("Rule %d → %s", i+1, c.Next.ID()), Kind: "rule", Source: l.hide(indented(c.Rule.Data.JSON()))}
		e.Line, e.Column = c.Rule.Data.Pos.Line, c.Rule.Data.Pos.Column
		var refs []jsonata.Reference
		for _, r := range c.Rule.References() {
			if !r.Body { // that is read from an element
				refs = append(refs, r.Reference)
			}
		}
		e.Reads = l.reads(refs)
		if holds, err := c.Rule.Holds(l.ctx, l.scope); err != nil {
			e.Error = l.hide(err.Error())
		} else {
			e.Holds = &holds
			e.Taken = holds && !gone && taken == c.Next.ID()
			gone = gone || holds
		}
		out = append(out, e)
	}
	return append(out, expressionJSON{Label: "Otherwise → " + node.Default.ID(), Kind: "rule", Reads: []readJSON{}, Taken: !gone && taken == node.Default.ID()})
}

// indented is a rule as people read it: short ones on one line.
func indented(raw []byte) string {
	const short = 160
	var out bytes.Buffer
	if len(raw) <= short || json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}

// reads are the values of the paths.
func (l look) reads(refs []jsonata.Reference) []readJSON {
	out := []readJSON{}
	seen := map[string]bool{}
	for _, ref := range refs {
		path, source := pathText(ref)
		if path == "" || seen[path] || len(out) == readsShown {
			continue
		}
		seen[path] = true
		e, err := jsonata.Compile(l.ctx, source)
		if err != nil {
			continue // a name that cannot be quoted
		}
		v, err := e.Eval(l.ctx, l.scope)
		if err != nil {
			continue // the expression's own error tells more
		}
		out = append(out, readJSON{Path: path, Preview: preview(v, readShown), Missing: v == nil})
	}
	return out
}

// pathText is a path as people write it, and as an expression.
func pathText(ref jsonata.Reference) (text, source string) {
	if len(ref.Path) == 0 {
		return "", ""
	}
	switch ref.Function {
	case "":
	case "executionCount":
		source = "$executionCount(" + strconv.Quote(ref.Path[0]) + ")"
		return source, source
	default:
		source = "$nodeExecutions(" + strconv.Quote(ref.Path[0]) + ")"
		return source, source
	}
	quoted := make([]string, len(ref.Path))
	for i, name := range ref.Path {
		quoted[i] = "`" + name + "`"
	}
	return "$." + strings.Join(ref.Path, "."), "$." + strings.Join(quoted, ".")
}
