package flow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// mostDefaults bounds how many constants are tried one by one as the cause of a finding.
const mostDefaults = 16

// withDefaults returns what goes wrong with the declared values of the constants of vars, though it need not with others that may be given:
// the graphs are checked once more as if the constants had no other values. first are the flows before, and before is what is found whatever their values are.
func withDefaults(ctx context.Context, graphs []*graph.Graph, first *flows, before config.Diagnostics) (config.Diagnostics, error) {
	names := readConstants(graphs)
	if len(names) == 0 {
		return nil, nil
	}
	again := func(names ...string) (config.Diagnostics, error) {
		all := newFlows(first.up)
		all.known, all.defaults = first.known, names
		found, err := all.check(ctx, graphs)
		return slices.DeleteFunc(found, func(d config.Diagnostic) bool {
			return !decidedByValues[d.Code] || slices.ContainsFunc(before, func(known config.Diagnostic) bool { return known.Pos == d.Pos })
		}), err
	}
	found, err := again(names...)
	found = slices.CompactFunc(found, func(a, b config.Diagnostic) bool { return a.Pos == b.Pos && a.Code == b.Code })
	causes := make([]string, len(found))
	for i := 0; err == nil && i < min(len(names), mostDefaults) && slices.Contains(causes, ""); i++ {
		var alone config.Diagnostics
		alone, err = again(names[i])
		for k, d := range found {
			if causes[k] == "" && slices.ContainsFunc(alone, func(one config.Diagnostic) bool { return one.Pos == d.Pos && one.Code == d.Code }) {
				causes[k] = "the default of $vars." + names[i]
			}
		}
	}
	for i := range found {
		if causes[i] == "" {
			causes[i] = "the defaults of vars"
		}
		found[i].Severity, found[i].Message = config.Warning, fmt.Sprintf("with %s: %s", causes[i], found[i].Message)
	}
	return found, err
}

// choosesElsewhere reports whether a finding is about a condition or a field that a constant decides, and the part that is wrong does not read the
// constant: what is there by the default, and what is not, is the author's choice.
func (c *checker) choosesElsewhere(code string, text config.Text, f shape.Finding) bool {
	if len(c.defaults.names) == 0 || code != "constant-condition" && code != "impossible-path" {
		return false
	}
	return f.End > len(text.Value) || f.Offset > f.End || !strings.Contains(text.Value[f.Offset:f.End], "$vars.")
}

// decidedByValues are the codes of findings that a value of a constant makes. Which ways a switch never takes by
// a constant is the author's choice: that is no finding.
var decidedByValues = map[string]bool{
	"argument-refused": true, "output-mismatch": true, "wrong-argument": true, "wrong-operand": true, "impossible-path": true, "maybe-missing": true,
	"constant-condition": true, "limit-too-low": true, "not-a-list": true,
}

// readConstants returns the names of the constants that expressions of the graphs read, without the names of imports.
func readConstants(graphs []*graph.Graph) (names []string) {
	for _, g := range graphs {
		read, isObject := g.ReadVars(nil).(value.Object)
		if !isObject {
			continue
		}
		for _, name := range read.Keys() {
			names = append(names, name[strings.LastIndexByte(name, '.')+1:])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// defaults are the constants of a graph that are followed with their declared values.
type defaults struct {
	graph *graph.Graph
	names []string // see flows
}

// has reports whether a constant is followed with its declared value. One that is declared null has no value yet.
func (f defaults) has(name string) bool {
	if f.graph.Vars == nil || !slices.Contains(f.names, name) || f.graph.IsUnsure(name) {
		return false
	}
	v, has := f.graph.Vars.Get(name)
	return has && v != value.Null
}

// valueOf returns the value of an expression that reads nothing but constants which are followed with their declared values.
func (f defaults) valueOf(ctx context.Context, e *jsonata.Expression) (v value.Value, known bool) {
	t := e.Tree()
	if len(f.names) == 0 || t == nil || len(e.References()) > 0 || !mentionsConstants(t) || !f.make(t) {
		return nil, false
	}
	scope := expressions.NewScope(nil, nil)
	scope.Variables = f.graph.Variables(nil)
	v, err := e.Eval(ctx, scope)
	return v, err == nil && v != nil
}

// make reports whether a part consists of constants with their declared values, of operators and of what is written.
func (f defaults) make(t *jsonata.Tree) bool {
	switch t.Kind {
	case jsonata.PathKind:
		first := &t.Parts[0]
		return len(t.Parts) > 1 && first.Kind == jsonata.VariableKind && first.Text == expressions.VarVars && t.Parts[1].Kind == jsonata.NameKind && f.has(t.Parts[1].Text) &&
			!slices.ContainsFunc(t.Parts[1:], func(step jsonata.Tree) bool { return step.Kind != jsonata.NameKind })
	case jsonata.StringKind, jsonata.NumberKind, jsonata.LiteralKind:
		return true
	case jsonata.OperatorKind:
		if !slices.Contains([]string{"&", "+", "-", "*", "/", "%"}, t.Text) {
			return false
		}
	case jsonata.ArrayKind, jsonata.ObjectKind, jsonata.BlockKind:
	default:
		return false
	}
	return !slices.ContainsFunc(t.Parts, func(part jsonata.Tree) bool { return !f.make(&part) })
}

// at returns the value of a path that make reports: the declared value of a constant, or a part of it.
func (f defaults) at(t *jsonata.Tree) value.Value {
	var at value.Value = f.graph.Vars
	for _, step := range t.Parts[1:] {
		object, isObject := at.(value.Object)
		if !isObject {
			return nil
		}
		at, _ = object.Get(step.Text)
	}
	return at
}

// mentionsConstants reports whether a part reads $vars.
func mentionsConstants(t *jsonata.Tree) bool {
	return t.Kind == jsonata.VariableKind && t.Text == expressions.VarVars || slices.ContainsFunc(t.Parts, func(part jsonata.Tree) bool { return mentionsConstants(&part) })
}

// constantsOf returns the variables that every expression of a graph has: $vars with the declared fields
// and the kinds of their values, since other values can be given. The map is nil without constants.
func constantsOf(of defaults) map[string]shape.Shape {
	g := of.graph
	if g.Vars == nil {
		return nil
	}
	fields := make([]shape.Field, 0, g.Vars.Len())
	for _, name := range g.Vars.Keys() {
		v, _ := g.Vars.Get(name)
		s := shape.OfValue(v)
		switch {
		case v == value.Null || g.IsUnsure(name): // it has no type
			s = shape.Value()
		case of.has(name):
			s = shape.Constant(v)
		}
		fields = append(fields, shape.Field{Name: name, Shape: s})
	}
	return map[string]shape.Shape{expressions.VarVars: shape.Object(fields, false)}
}

// operand returns what a rule compares with: the declared value in place of a var that reads a constant alone, when that is followed with it.
func (f defaults) operand(ctx context.Context, d *config.Data) *config.Data {
	text := sideText(d)
	if len(f.names) == 0 || d.Kind != config.KindObject || len(d.Keys) != 1 || d.Keys[0].Value != "var" || !strings.HasPrefix(text, "$vars.") {
		return d
	}
	e, err := jsonata.Compile(ctx, text)
	if err != nil {
		return d
	}
	v, known := f.valueOf(ctx, e)
	if !known {
		return d
	}
	return dataOf(v, d.Pos)
}

// dataOf returns a value of scalars and lists as it would be written at a place; an object as a list without items.
func dataOf(v value.Value, at config.Pos) *config.Data {
	d := &config.Data{Pos: at, Scalar: v}
	if items, isArray := v.([]any); isArray {
		d = &config.Data{Pos: at, Kind: config.KindArray}
		for _, item := range items {
			d.Items = append(d.Items, dataOf(item, at))
		}
	}
	return d
}

// enumerated checks the value of an expression as a constant where it is made of defaults, or is an item of a list that is.
func (a *argsChecker) enumerated(ctx context.Context, d *config.Data, s map[string]any, path []string) {
	e := a.trees[d.Expr.Pos]
	if e == nil {
		return
	}
	if v, known := a.defaults.valueOf(ctx, e.Expression); known {
		a.accepts(ctx, d, v, s, path)
		return
	}
	if t := e.Tree(); t == nil || t.Kind != jsonata.VariableKind || t.Text != expressions.VarItem {
		return
	}
	for _, uses := range a.uses {
		for _, u := range uses {
			call := graph.CallingOf(u.call)
			if u.expr != e || call == nil || call.ForEach == nil {
				continue
			}
			items, _ := a.defaults.valueOf(ctx, call.ForEach.Items.Expression)
			list, _ := items.([]any)
			for _, item := range list {
				a.accepts(ctx, d, item, s, path)
			}
		}
	}
}
