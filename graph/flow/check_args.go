package flow

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/shape"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/wording"
)

// args tells what is wrong with the arguments of a call: with their expressions, and by
// what the upstream tool refuses.
func (c *checker) args(ctx context.Context, node int, m *graph.MCP) {
	defined := c.graph.Tool.Nodes[node]
	data := defined.Args
	if data == nil {
		data = &config.Data{Kind: config.KindObject}
	}
	a := argsChecker{checker: c, tool: m.Tool, shapes: map[config.Pos]shape.Shape{}, needs: map[config.Pos]need{}, required: map[config.Pos]string{}, told: map[string]bool{}}
	a.upstreamSchema = newUpstreamSchema(knownTool(c.up, m.Server, m.Tool))
	a.need(data, a.root, needed, nil)
	for i, e := range m.Args.Expressions() {
		c.expression(ctx, node, i, e, a.needs[e.Text.Pos], func(env *shape.Env) { env.Required = a.required[e.Text.Pos] })
	}
	for i, e := range m.Args.Expressions() {
		if !c.faulty[node] {
			a.shapes[e.Text.Pos] = c.argument(ctx, node, i, e)
		}
	}
	if a.root == nil {
		return
	}
	a.object(ctx, data, a.resolved(a.root), nil, defined.Tool.Pos)
	if !hasExpression(data) {
		a.constant(ctx, data, a.root, nil)
	}
}

// argument is the shape of what an expression among the arguments gives.
func (c *checker) argument(ctx context.Context, node, number int, e *graph.Expr) shape.Shape {
	var all []shape.Shape
	for _, w := range c.distinct(node, number) {
		env, _ := c.env(w, number)
		one, _ := shape.Infer(ctx, e.Expression, env)
		all = append(all, one)
	}
	return shape.Union(all...)
}

// argsChecker checks arguments against an upstream tool's inputSchema: what is constant
// as the server will, expressions by their shapes.
type argsChecker struct {
	*checker
	tool string
	upstreamSchema
	shapes   map[config.Pos]shape.Shape // of expressions, by their places
	needs    map[config.Pos]need        // likewise
	required map[config.Pos]string      // likewise: by what a value is
	told     map[string]bool            // paths of what was refused
}

// need finds how much each expression's value is needed, by a part of the schema.
func (a *argsChecker) need(d *config.Data, part any, own need, path []string) {
	s, _ := part.(map[string]any)
	s = a.resolved(s)
	switch d.Kind {
	case config.KindExpression:
		a.needs[d.Expr.Pos] = own
	case config.KindArray:
		for i, item := range d.Items {
			a.need(item, s["items"], needed, below(path, strconv.Itoa(i))) // it would be null
		}
	case config.KindObject:
		properties, _ := s["properties"].(map[string]any)
		required, _ := s["required"].([]any)
		for i, key := range d.Keys {
			inner := afterwards
			at := below(path, key.Value)
			switch {
			case slices.Contains(required, any(key.Value)):
				inner = needed
				if value := d.Items[i]; value.Kind == config.KindExpression {
					a.required[value.Expr.Pos] = fmt.Sprintf("argument %q of tool %q is required", pathText(at), a.tool)
				}
			case properties[key.Value] != nil:
				inner = needless
			}
			a.need(d.Items[i], properties[key.Value], inner, at)
		}
	case config.KindScalar:
	}
}

func (a *argsChecker) refuse(pos config.Pos, severity config.Severity, path []string, message, hint string) {
	what := "the arguments"
	if len(path) > 0 {
		what = fmt.Sprintf("argument %q", pathText(path))
	}
	a.told[pathText(path)] = true
	a.found = append(a.found, config.Diagnostic{
		Pos: pos, Severity: severity, Code: "argument-refused", Message: fmt.Sprintf("%s of tool %q: %s", what, a.tool, message), Hint: hint,
	})
}

// value checks one part of the arguments against its part of the schema.
func (a *argsChecker) value(ctx context.Context, d *config.Data, part any, path []string) {
	s, isObject := part.(map[string]any)
	if !isObject {
		return // true, or a schema that refuses everything, which is no argument
	}
	s = a.resolved(s)
	switch d.Kind {
	case config.KindExpression:
		a.expression(d, s, path)
	case config.KindObject:
		if a.kind(d, s, path, "object") {
			a.object(ctx, d, s, path, d.Pos)
		}
	case config.KindArray:
		if a.kind(d, s, path, "array") {
			for i, item := range d.Items {
				a.value(ctx, item, s["items"], below(path, strconv.Itoa(i)))
			}
		}
	case config.KindScalar:
	}
	if !hasExpression(d) {
		a.constant(ctx, d, s, path)
	}
}

// kind checks what can be told of an object or an array that has expressions in it.
func (a *argsChecker) kind(d *config.Data, s map[string]any, path []string, is string) bool {
	of := shape.Array(shape.Any())
	if is == "object" {
		of = shape.Object(nil, true)
	}
	conflict, conflicts := of.Conflict(shape.OfSchema(a.document(s)))
	if conflicts && len(conflict.Path) == 0 {
		a.refuse(d.Pos, config.Error, path, "expected "+conflict.Expected+", found an "+is, "")
		return false
	}
	return true
}

// object checks the keys of an object; at is where one is missed.
func (a *argsChecker) object(ctx context.Context, d *config.Data, s map[string]any, path []string, at config.Pos) {
	properties, _ := s["properties"].(map[string]any)
	_, hasPatterns := s["patternProperties"]
	closed := s["additionalProperties"] == false && !hasPatterns
	known := slices.Sorted(maps.Keys(properties))
	for i, key := range d.Keys {
		at := below(path, key.Value)
		if part, declared := properties[key.Value]; declared {
			a.value(ctx, d.Items[i], part, at)
			continue
		}
		a.unknown(key, at, known, closed, d)
	}
	required, _ := s["required"].([]any)
	for _, name := range required {
		name, isText := name.(string)
		if !isText || d.Get(name) != nil {
			continue
		}
		a.refuse(at, config.Error, below(path, name), "it is required, and missing", fmt.Sprintf("add %s: … to args", name))
	}
}

// unknown tells of a key that the schema does not declare. A server that takes any key
// ignores one that it does not know, so there only what looks misspelt is told.
func (a *argsChecker) unknown(key config.Text, path, known []string, closed bool, d *config.Data) {
	var free []string
	for _, name := range known {
		if d.Get(name) == nil {
			free = append(free, name)
		}
	}
	near := wording.Nearest(key.Value, free)
	hint := ""
	if near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	switch {
	case closed && len(known) == 0:
		a.refuse(key.Pos, config.Error, path, "there is no such argument, expected none", hint)
	case closed:
		a.refuse(key.Pos, config.Error, path, "there is no such argument, expected one of "+wording.List(known), hint)
	case near != "":
		a.found.Warn(key.Pos, "argument-refused",
			fmt.Sprintf("argument %q of tool %q is none that the tool declares, and it has %s", pathText(path), a.tool, wording.List(known)), hint)
	}
}

// constant checks a value without expressions as the server will, and tells what is left
// to be told of it.
func (a *argsChecker) constant(ctx context.Context, d *config.Data, s map[string]any, path []string) {
	compiled, err := schema.Compile(a.document(s))
	if err != nil {
		return
	}
	// A value that cannot be validated is the run's to find: it has the time to try.
	problems, _ := compiled.Check(ctx, value.FromPlain(d.Value()))
	for _, p := range problems {
		at, message := dataAt(d, p.Path), p.Expected
		if a.told[pathText(below(path, p.Path...))] {
			continue
		}
		if p.Given != "" {
			message += ", found " + p.Given
		}
		a.refuse(at, config.Error, below(path, p.Path...), message, p.Hint)
	}
}

// expression checks what an expression can give.
func (a *argsChecker) expression(d *config.Data, s map[string]any, path []string) {
	given, known := a.shapes[d.Expr.Pos]
	if !known {
		return
	}
	conflict, conflicts := given.Conflict(shape.OfSchema(a.document(s)))
	if !conflicts {
		return
	}
	a.refuse(d.Expr.At(0), a.certainly(), below(path, conflict.Path...),
		fmt.Sprintf("expected %s, and the expression gives %s", conflict.Expected, conflict.Found), "")
}

func hasExpression(d *config.Data) bool {
	return d.Kind == config.KindExpression || slices.ContainsFunc(d.Items, hasExpression)
}

// dataAt is the place of a part of d, or of what lacks it when it is not there.
func dataAt(d *config.Data, path []string) config.Pos {
	pos := d.Pos
	for _, step := range path {
		var next *config.Data
		switch d.Kind {
		case config.KindObject:
			next = d.Get(step)
		case config.KindArray:
			if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(d.Items) {
				next = d.Items[i]
			}
		case config.KindScalar, config.KindExpression:
		}
		if next == nil {
			return pos
		}
		d, pos = next, next.Pos
	}
	return pos
}

// below is a path with more steps.
func below[T any](path []T, more ...T) []T { return slices.Concat(path, more) }

// upstreamSchema is an upstream tool's inputSchema, to be gone through part by part.
type upstreamSchema struct {
	root map[string]any // nil when it is not known
}

func newUpstreamSchema(t Tool) upstreamSchema {
	decoder := json.NewDecoder(bytes.NewReader(t.InputSchema))
	decoder.UseNumber()
	var root map[string]any
	if decoder.Decode(&root) != nil {
		return upstreamSchema{}
	}
	return upstreamSchema{root}
}

// resolved follows references to definitions of the schema.
func (u *upstreamSchema) resolved(s map[string]any) map[string]any {
	for range 8 {
		ref, isRef := s["$ref"].(string)
		if !isRef {
			return s
		}
		var at any = u.root
		for _, step := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
			m, _ := at.(map[string]any)
			at = m[step]
		}
		next, isObject := at.(map[string]any)
		if !isObject {
			return map[string]any{}
		}
		s = next
	}
	return map[string]any{}
}

// document is a part of the schema as a schema of its own.
func (u *upstreamSchema) document(s map[string]any) []byte {
	whole := maps.Clone(s)
	for _, name := range []string{"$defs", "definitions", "$schema"} {
		if part, has := u.root[name]; has && whole[name] == nil {
			whole[name] = part
		}
	}
	raw, err := json.Marshal(whole)
	if err != nil {
		return []byte("{}")
	}
	return raw
}
