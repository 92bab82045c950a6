package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/authoring/view"
)

const (
	readsShown = 40  // reads of an expression
	readShown  = 240 // bytes of the value of a read
	givesShown = 400 // bytes of the value of an argument
	rulesShown = 100 // conditions of a switch
)

// expressionJSON is an expression of a step and what it read.
type expressionJSON struct {
	Label  string     `json:"label"`
	Name   string     `json:"name,omitempty"` // of an argument, as in filter.tags[0]
	Kind   string     `json:"kind"`           // jsonata or rule
	Source string     `json:"source"`
	Line   int        `json:"line"`
	Column int        `json:"column"`
	Gives  *string    `json:"gives,omitempty"`  // a preview of its value, where the output or the list does not show it
	Holds  *bool      `json:"holds,omitempty"`  // of a condition
	Taken  bool       `json:"taken"`            // the run took this edge, or would take it
	Beyond bool       `json:"beyond,omitempty"` // a condition before it holds, so the run does not come to it
	Filled string     `json:"filled,omitempty"` // a short condition with the values that it read
	Reads  []readJSON `json:"reads"`
	Error  string     `json:"error,omitempty"`
}

type readJSON struct {
	Path    string `json:"path"`
	Source  string `json:"source,omitempty"` // of a call, when it is written in another way
	Preview string `json:"preview"`
	Missing bool   `json:"missing"`
	Each    bool   `json:"each,omitempty"` // of each element of a list
}

// decisionJSON is the way out of a switch.
type decisionJSON struct {
	Next  string `json:"next"`            // empty: a rule fails before one holds
	Rule  int    `json:"rule"`            // from 1; 0: none holds
	Error string `json:"error,omitempty"` // of the rule that fails
}

// evaluation evaluates what a step read, over the scope that it had.
type evaluation struct {
	ctx    context.Context
	scope  *expressions.Scope
	redact func(string) string
	shown  func(config.Pos) config.Pos

	pending bool // the step has not ended
}

// labels are the names of expressions by where a node or a step has them.
var labels = map[string]string{
	"transform": "Expression", "message": "Message", "forEach.items": "Items", "args": "Argument",
	"retry.when": "Retry when", "retry.until": "Retry until", "onError.value": "On error",
	"if": "If", "each": "Items", "key": "Key", "until": "Until", "repeat.until": "Repeat until", "return": "Return",
}

// expressions returns the expressions of a node, or of one of its parts; chosen is the target of a
// switch that has run. A parallel has none of its own: its branches do.
func (e evaluation) expressions(node graph.Node, chosen, part string) (all []expressionJSON) {
	if node.Type() == config.ParallelNode {
		return nil
	}
	sw, _ := node.(*graph.Switch)
	d := e.decision(sw)
	for i, expr := range view.Expressions(node) {
		if expr.Key == "forEach.items" && part != "" || expr.Rule != nil && i >= rulesShown {
			continue // the list is evaluated once, for all parts
		}
		gives := expr.Key == "forEach.items" || expr.Key == "args" && (part != "" || forEachOf(node) == nil)
		known := gives || expr.Rule != nil || expr.Key == "transform" || expr.Key == "message" || expr.Key == "return" && !e.pending // others read an item or an attempt
		out, got := e.one(expr, e.scope, known, gives)
		if expr.Key == "return" && e.pending {
			out.Reads = []readJSON{} // the steps have not ended
		}
		if c := expr.Rule; c != nil {
			out.Label, out.Kind, out.Source = fmt.Sprintf("Rule %d → %s", i+1, c.Next.ID()), "rule", e.redact(indented(expr.Source))
			out.Beyond = d.Rule > 0 && i >= d.Rule
			out.Taken = i+1 == d.Rule && (chosen == "" || chosen == d.Next)
			if holds, ok := got.Value.(bool); ok && got.Err == nil {
				out.Holds, out.Filled = &holds, filledRule(c.Rule.Data, got.Reads)
			}
		}
		if expr.Key == "return" {
			out.bare()
		}
		all = append(all, out)
	}
	if sw != nil {
		all = append(all, expressionJSON{
			Label: "Otherwise → " + sw.Default.ID(), Kind: "rule", Reads: []readJSON{}, Beyond: d.Rule > 0,
			Taken: d.Rule == 0 && d.Error == "" && (chosen == "" || chosen == sw.Default.ID()),
		})
	}
	return all
}

// one returns an expression with what it read in a scope, and when its value is known there, that or its error; gives
// shows the value.
func (e evaluation) one(expr view.Expression, scope *expressions.Scope, known, gives bool) (out expressionJSON, got view.Evaluated) {
	at := e.shown(expr.Pos)
	out = expressionJSON{
		Label: labels[expr.Key], Name: expr.Name, Kind: "jsonata", Source: e.redact(expr.Source), Line: at.Line, Column: at.Column,
	}
	if known {
		got = view.Evaluate(e.ctx, expr, scope, readsShown)
	} else {
		got.Reads = view.Reads(e.ctx, expr.Reads, scope, readsShown)
	}
	out.Reads = readsOf(got.Reads)
	switch {
	case got.Err != nil:
		out.Error = e.redact(got.Err.Error())
	case gives:
		text := preview(got.Value, givesShown)
		out.Gives = &text
	}
	return out, got
}

// bare writes the paths that it read as steps write them: by the names of steps.
func (e *expressionJSON) bare() {
	for i := range e.Reads {
		e.Reads[i].Path = strings.TrimPrefix(e.Reads[i].Path, "$.")
	}
}

// decision returns the way that a switch goes: the first condition that holds, else the default.
func (e evaluation) decision(sw *graph.Switch) (d decisionJSON) {
	if sw == nil {
		return d
	}
	for i, c := range sw.Conditions {
		holds, err := c.Rule.Holds(e.ctx, e.scope)
		if err != nil {
			return decisionJSON{Rule: i + 1, Error: e.redact(err.Error())}
		}
		if holds {
			return decisionJSON{Next: c.Next.ID(), Rule: i + 1}
		}
	}
	return decisionJSON{Next: sw.Default.ID()}
}

// foreseen returns what the whole of a step that has not run would give, as far as that can be known
// without a call: the value of a transform, the list of a forEach, the arguments of each branch, the
// result of an exit. It is false for any other.
func (e evaluation) foreseen(node graph.Node, part string) (v value.Value, known bool, err error) {
	if part != "" {
		return nil, false, nil
	}
	switch node := node.(type) {
	case *graph.Transform:
		v, err = node.Expr.Eval(e.ctx, e.scope)
		return v, true, err
	case *graph.Parallel:
		var names []string
		var args []value.Value
		for _, b := range node.Branches {
			one, err := view.InputOf(b.Node, "").Eval(e.ctx, e.scope)
			if err != nil {
				return nil, true, fmt.Errorf("branch %s: %w", b.Name, err)
			}
			names, args = append(names, b.Name), append(args, one)
		}
		return value.NewObject(names, args), true, nil
	case *graph.Exit:
		v, _ = e.scope.History.Previous(1)
		return v, true, nil
	case *graph.MCP, *graph.SubGraph:
		if each := forEachOf(node); each != nil {
			items, err := each.List(e.ctx, e.scope)
			return items, true, err
		}
	case *graph.Entry, *graph.Ask, *graph.Switch, *graph.Steps:
	}
	return nil, false, nil
}

var errNotForeseen = errors.New("what the step would give cannot be known before it runs")

// indented returns a rule on several lines, a short one on one line.
func indented(raw string) string {
	const short = 160
	var out bytes.Buffer
	if len(raw) <= short || json.Indent(&out, []byte(raw), "", "  ") != nil {
		return raw
	}
	return out.String()
}

func readsOf(reads []view.Read) []readJSON {
	out := []readJSON{}
	for _, r := range reads {
		out = append(out, readJSON{Path: r.Path, Source: r.Source, Preview: preview(r.Value, readShown), Missing: r.Value == nil, Each: r.Each})
	}
	return out
}
