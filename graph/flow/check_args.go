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
	"toolgraph/internal/base/wording"
)

// args reports what is wrong with the arguments of a call: with their expressions, and by the
// inputSchema of the called tool.
func (c *checker) args(ctx context.Context, node int, call graph.Node, defined *config.Node) {
	a, data := c.argsOf(call, defined)
	for i, use := range c.uses[node] {
		if e := use.expr; use.call == call && use.at == inArgs {
			c.expression(ctx, node, i, e, a.needs[e.Text.Pos], func(env *shape.Env) { env.Required, env.Asked = a.required[e.Text.Pos], c.asksHere(node) })
		}
	}
	for i, use := range c.uses[node] {
		if use.call == call && use.at == inArgs && !c.faulty[node] {
			a.shapes[use.expr.Text.Pos], _ = c.valueOf(ctx, node, i, use.expr)
			a.trees[use.expr.Text.Pos] = use.expr
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

// argsOf returns the arguments of a call, and what checks them.
func (c *checker) argsOf(call graph.Node, defined *config.Node) (argsChecker, *config.Data) {
	data := defined.Args
	if data == nil {
		data = &config.Data{Kind: config.KindObject}
	}
	a := argsChecker{
		checker: c, tool: defined.Tool.Value, shapes: map[config.Pos]shape.Shape{}, trees: map[config.Pos]*graph.Expr{},
		needs: map[config.Pos]need{}, required: map[config.Pos]string{}, reported: map[string]bool{},
	}
	switch n := call.(type) {
	case *graph.MCP:
		a.inputSchema = newInputSchema(knownTool(c.all.up, n.Server, n.Tool).InputSchema)
	case *graph.SubGraph:
		if n.Graph != nil { // nil: package graph reports it
			a.inputSchema = newInputSchema(n.Graph.Input.JSON())
			a.input, a.callee = n.Graph.Input, n.Graph
		}
	case *graph.Entry, *graph.Parallel, *graph.Ask, *graph.Transform, *graph.Switch, *graph.Steps, *graph.Exit:
	}
	a.handled = graph.OnErrorOf(call).Catches(config.FailInvalidArguments)
	a.need(data, a.root, needed, nil)
	return a, data
}

// argsChecker checks arguments against the inputSchema of the called tool: constants as the tool
// will, expressions by their shapes.
type argsChecker struct {
	*checker
	inputSchema
	tool     string
	input    *schema.Schema             // of a tool of the file, whose defaults are filled in before the check; else nil
	callee   *graph.Graph               // the tool of the file; nil for an upstream tool
	shapes   map[config.Pos]shape.Shape // of expressions, by place
	trees    map[config.Pos]*graph.Expr // expressions, by place
	needs    map[config.Pos]need        // of expressions, by place
	required map[config.Pos]string      // why the value of an expression is required, by place
	reported map[string]bool            // paths of parts with a finding
	handled  bool                       // onError takes arguments that are refused
}

// need finds by the schema whether the value of each expression may be missing.
func (a *argsChecker) need(d *config.Data, part any, own need, path []string) {
	s, _ := part.(map[string]any)
	s = a.resolved(s)
	switch d.Kind {
	case config.KindExpression:
		a.needs[d.Expr.Pos] = own
	case config.KindArray:
		for i, item := range d.Items {
			a.need(item, s["items"], needed, below(path, strconv.Itoa(i))) // a missing item would be null
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

func (a *argsChecker) refuse(pos config.Pos, severity config.Severity, path []string, message, hint string) *config.Diagnostic {
	what := "the arguments"
	if len(path) > 0 {
		what = fmt.Sprintf("argument %q", pathText(path))
	}
	a.reported[pathText(path)] = true
	d := a.found.Add(pos, "argument-refused", fmt.Sprintf("%s of tool %q: %s", what, a.tool, message), hint)
	d.Severity = severity
	return d
}

// value checks one part of the arguments against its part of the schema.
func (a *argsChecker) value(ctx context.Context, d *config.Data, part any, path []string) {
	s, isObject := part.(map[string]any)
	if !isObject {
		return // true allows everything; false is reported with the key
	}
	s = a.resolved(s)
	switch d.Kind {
	case config.KindExpression:
		a.expression(ctx, d, s, path)
		a.enumerated(ctx, d, s, path)
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

// kind checks that an object or an array is allowed, whatever its expressions give.
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

// object checks the keys of an object; missing ones are reported at a place.
func (a *argsChecker) object(ctx context.Context, d *config.Data, s map[string]any, path []string, at config.Pos) {
	properties, _ := s["properties"].(map[string]any)
	_, hasPatterns := s["patternProperties"]
	closed := s["additionalProperties"] == false && !hasPatterns
	known := slices.Sorted(maps.Keys(properties))
	lacking := a.lacking(d, s, properties)
	var undeclared []config.Text
	for i, key := range d.Keys {
		if part, declared := properties[key.Value]; declared {
			a.value(ctx, d.Items[i], part, below(path, key.Value))
		} else {
			undeclared = append(undeclared, key)
		}
	}
	if len(lacking) == 1 && len(undeclared) == 1 && !hasPatterns { // one has the other's name
		a.refuse(undeclared[0].Pos, config.Error, below(path, undeclared[0].Value), fmt.Sprintf("unknown argument, and the required %q is missing", lacking[0]), wording.Meant(lacking[0])).
			Meant(undeclared[0], lacking[0])
		a.reported[pathText(below(path, lacking[0]))] = true
		return
	}
	for _, key := range undeclared {
		a.unknown(key, below(path, key.Value), known, closed, d)
	}
	if len(d.Keys) > 0 {
		at = d.Pos
	}
	for _, name := range lacking {
		a.refuse(at, config.Error, below(path, name), "required, but missing", fmt.Sprintf("add %s: … to args", name)).
			Fixed(a.adding(d, name, properties[name], at))
	}
}

// lacking returns the required properties that an object does not have.
func (a *argsChecker) lacking(d *config.Data, s, properties map[string]any) (names []string) {
	required, _ := s["required"].([]any)
	for _, name := range required {
		if name, isText := name.(string); isText && d.Get(name) == nil && !a.fills(properties[name]) {
			names = append(names, name)
		}
	}
	return names
}

// fills reports whether a missing property gets a default.
func (a *argsChecker) fills(property any) bool {
	s, _ := property.(map[string]any)
	_, has := s["default"]
	return has && a.input != nil
}

// constant checks a value without expressions as the tool will, and reports what is not yet
// reported.
func (a *argsChecker) constant(ctx context.Context, d *config.Data, s map[string]any, path []string) {
	a.accepts(ctx, d, value.FromPlain(d.Value()), s, path)
}

// accepts is constant for the value of the expression at the place of d.
func (a *argsChecker) accepts(ctx context.Context, d *config.Data, whole value.Value, s map[string]any, path []string) {
	compiled, err := schema.Compile(a.document(s))
	if err != nil {
		return
	}
	if len(path) == 0 && a.input != nil {
		compiled = a.input
	}
	if a.input != nil {
		whole, _ = compiled.Complete(ctx, whole)
	}
	// An error means that validation took too long here; a run has more time for it.
	problems, _ := compiled.Check(ctx, whole)
	for _, p := range problems {
		at, message := dataAt(d, p.Path), p.Expected
		if a.reported[pathText(below(path, p.Path...))] {
			continue
		}
		if p.Given != "" {
			message += ", found " + p.Given
		}
		refused := a.refuse(at, config.Error, below(path, p.Path...), message, p.Hint)
		if text := keyOrValue(d, p.Path, p.Unknown); text.IsSet() {
			refused.Fixed(config.ReplaceWord(text, 0, len(text.Value), p.Meant))
			if p.Unknown && p.Meant == "" {
				refused.Fixed(config.RemoveKey(text.Pos))
			}
		}
	}
}

// expression checks the shape of an expression's value.
func (a *argsChecker) expression(ctx context.Context, d *config.Data, s map[string]any, path []string) {
	given, known := a.shapes[d.Expr.Pos]
	if !known {
		return
	}
	want := shape.OfSchema(a.document(s))
	conflict, conflicts := given.Conflict(want)
	severity := a.certainly()
	if !conflicts {
		if conflict, conflicts = given.Filled().Conflict(want); !conflicts || len(conflict.Path) == 0 {
			a.chance(d, given, want, path)
			a.partly(ctx, d, given, want, path)
			a.lackedByItem(d, s, given, path)
			return
		}
		severity = config.Warning // an empty array fits
	}
	message, near := fmt.Sprintf("expected %s, but the expression gives %s", conflict.Expected, conflict.Found), ""
	switch {
	case conflict.Found == "missing":
		message = "required, but missing in the value of the expression"
	case conflict.Expected == "missing":
		message = "unknown argument, expected one of " + wording.List(conflict.Allowed)
		near = wording.Nearest(conflict.Path[len(conflict.Path)-1], conflict.Allowed)
	}
	at, made := d.Expr.At(0), piece{}
	if e := a.trees[d.Expr.Pos]; e != nil && e.Tree() != nil && len(conflict.Path) > 0 {
		made = piece{e.Text, partOf(e.Tree(), conflict.Path, want)}
		at = a.place(e.Text, made.tree.Offset)
	}
	refused := a.refuse(at, severity, below(path, conflict.Path...), message, wording.Meant(near))
	if near != "" {
		refused.Fixed(made.word(conflict.Path[len(conflict.Path)-1], near))
	}
}

// chance warns of lists in the value of an expression that are lists only by chance.
func (a *argsChecker) chance(d *config.Data, given, want shape.Shape, path []string) {
	e := a.trees[d.Expr.Pos]
	if e == nil {
		return
	}
	for _, slip := range slipsOf(e, given, want) {
		slip.None = slip.None && (len(slip.Path) > 0 || a.needs[d.Expr.Pos] == needed)
		a.slip(e, slip, want, fmt.Sprintf("argument %q of tool %q is %s", pathText(below(path, slip.Path...)), a.tool, slip.Wanted))
	}
}

func hasExpression(d *config.Data) bool {
	return d.Kind == config.KindExpression || slices.ContainsFunc(d.Items, hasExpression)
}

// dataAt returns the place of a part of d, or of its nearest ancestor when it is missing.
func dataAt(d *config.Data, path []string) config.Pos {
	pos := d.Pos
	for _, step := range path {
		next := childOf(d, step)
		if next == nil {
			return pos
		}
		d, pos = next, next.Pos
	}
	return pos
}

// childOf returns the value of a key or of an index in data, or nil.
func childOf(d *config.Data, step string) *config.Data {
	switch d.Kind {
	case config.KindObject:
		return d.Get(step)
	case config.KindArray:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(d.Items) {
			return d.Items[i]
		}
	case config.KindScalar, config.KindExpression:
	}
	return nil
}

// below returns a path with more steps.
func below[T any](path []T, more ...T) []T { return slices.Concat(path, more) }

// inputSchema is the inputSchema of a tool as plain values.
type inputSchema struct {
	root map[string]any // nil when it is unknown
}

func newInputSchema(raw []byte) inputSchema {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var root map[string]any
	if decoder.Decode(&root) != nil {
		return inputSchema{}
	}
	return inputSchema{root}
}

// resolved follows references to other parts of the schema.
func (u *inputSchema) resolved(s map[string]any) map[string]any {
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

// document returns a part of the schema as a schema of its own.
func (u *inputSchema) document(s map[string]any) []byte {
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
