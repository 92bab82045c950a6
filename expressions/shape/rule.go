package shape

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
)

// RuleFinding is a Finding in a rule. Path leads from the rule's root to the string in
// which Offset and End count.
type RuleFinding struct {
	Finding
	Path []any
}

// InferRule returns the findings about the values that a rule reads over env; plain is the
// rule as JSON, from which r was compiled. A missing value is a finding only where it is compared
// by size without a default, and nothing else in the rule reads what it is a part of: such a
// comparison is false. In the bodies of map, filter, all, some, none and reduce, paths
// are read from the values that these operators pass, as far as they are known.
func InferRule(ctx context.Context, r *jsonlogic.Rule, plain any, env Env) []RuleFinding {
	root := fact{shape: env.root(), root: true}
	bodies := bodiesOf(ctx, r, plain, &env, root)
	var found []RuleFinding
	for _, read := range r.Reads() {
		if read.Expression == nil {
			continue
		}
		from, asked := root, false
		if read.Body {
			from = unknown()
			if body, known := bodies[rulePlace(read.Var)]; known {
				from, asked = body.fact, body.asked
			}
		}
		env.Needed, env.Required = false, ""
		if read.Ordered && !read.Body && !asksElsewhere(r, read) {
			env.Needed, env.Required = true, "the comparison is false then"
		}
		_, findings := inferOver(ctx, read.Expression, &env, from, ruleVariables(root), asked)
		if env.Needed {
			findings = append(findings, yieldsNothing(r, read, &env)...)
		}
		for _, f := range findings {
			f.Fails = false // a rule evaluates only the parts that it needs
			if f.Code == CodeMayBeMissing || f.Code == CodeOptionalField {
				f.Hint = fmt.Sprintf(`give it a default: {"var": [%q, value]}`, read.Expression.Source())
			}
			found = append(found, RuleFinding{Finding: f, Path: read.Var})
		}
	}
	return found
}

// asksElsewhere reports whether a rule reads the node of an ordered read also in another way, which
// may be a test.
func asksElsewhere(r *jsonlogic.Rule, read jsonlogic.Read) bool {
	for _, ref := range r.References() {
		if !slices.Equal(ref.Var, read.Var) || len(ref.Path) == 0 {
			continue
		}
		if slices.ContainsFunc(r.References(), func(other jsonlogic.Reference) bool {
			return !other.Ordered && !other.Body && len(other.Path) > 0 && other.Path[0] == ref.Path[0]
		}) {
			return true
		}
	}
	return false
}

// yieldsNothing returns a finding where an ordered read is a path into the output of a node that
// has run and may have yielded nothing.
func yieldsNothing(r *jsonlogic.Rule, read jsonlogic.Read, env *Env) []Finding {
	var found []Finding
	for _, ref := range r.References() {
		if !slices.Equal(ref.Var, read.Var) || ref.Function != "" || len(ref.Path) == 0 {
			continue
		}
		node := env.Context[ref.Path[0]]
		plain := read.Expression.Source()[ref.Offset:] == strings.Join(ref.Path, ".")
		if !plain || node.Presence != Always || node.Shape.IsAny() || !node.Shape.MayBeNothing() || env.Asked != nil && env.Asked(ref.Path[:1]) {
			continue
		}
		found = append(found, Finding{
			Offset: ref.Offset, End: len(read.Expression.Source()), Code: CodeOptionalField,
			Message: fmt.Sprintf("node %q may yield nothing, and %s", ref.Path[0], env.Required),
		})
	}
	return found
}

// ruleVariables returns the variables of every expression in a rule.
func ruleVariables(root fact) map[string]fact {
	return map[string]fact{jsonata.RuleContext: root}
}

// bodiesOf returns what the vars in the bodies of a rule are read from, by their places.
func bodiesOf(ctx context.Context, r *jsonlogic.Rule, plain any, env *Env, root fact) map[string]focused {
	if !slices.ContainsFunc(r.Reads(), func(read jsonlogic.Read) bool { return read.Body }) {
		return nil
	}
	w := newRuleWalk(r, env, root)
	if w.value(ctx, plain, nil, nil); w.exhausted() {
		return nil
	}
	return w.focus
}

// ruleWalk infers what the vars in the bodies of a rule are read from: the elements of
// map, filter, all, some and none, and the object that reduce passes to its body. In its
// methods, path is the place of a part, and body is what the body around it is read from,
// or nil outside of bodies.
type ruleWalk struct {
	env   *Env
	root  fact
	reads map[string]*jsonlogic.Read // by the places of their strings
	focus map[string]focused         // of the vars in bodies, by the same places
	steps int
}

func newRuleWalk(r *jsonlogic.Rule, env *Env, root fact) *ruleWalk {
	w := &ruleWalk{env: env, root: root, reads: map[string]*jsonlogic.Read{}, focus: map[string]focused{}}
	for i, read := range r.Reads() {
		w.reads[rulePlace(read.Var)] = &r.Reads()[i]
	}
	return w
}

// focused is what a var in a body is read from.
type focused struct {
	fact
	asked bool // the rule tests whether it exists, or has a default for it
}

const (
	// maxRuleSteps bounds the work on one rule, in parts and bytes of paths: the body of a
	// reduce is walked several times, and may contain another one.
	maxRuleSteps = 100_000
	// maxTurns bounds how often the body of a reduce is walked; its result rarely changes
	// after the second time.
	maxTurns = 4
)

func (w *ruleWalk) exhausted() bool { return w.steps > maxRuleSteps }

// rulePlace returns a key for a place in a rule: the steps from its root.
func rulePlace(path []any) string {
	var b strings.Builder
	for _, step := range path {
		fmt.Fprintf(&b, "%T%v\x00", step, step)
	}
	return b.String()
}

// value returns the shape of a part of a rule. Nothing counts as null: the two differ in
// comparisons by size, which yield no list.
func (w *ruleWalk) value(ctx context.Context, rule any, path []any, body *fact) Shape {
	if w.steps++; w.exhausted() {
		return Any()
	}
	switch rule := rule.(type) {
	case []any:
		items := make([]Shape, len(rule))
		for i, item := range rule {
			items[i] = w.value(ctx, item, append(path, i), body)
		}
		return array(Union(items...), len(items) > 0)
	case map[string]any:
		for op, operand := range rule {
			if len(rule) == 1 {
				return w.operation(ctx, op, operand, append(path, op), body)
			}
		}
		return Any()
	}
	return Constant(value.FromPlain(rule))
}

// operation returns the shape of the result of an operator.
func (w *ruleWalk) operation(ctx context.Context, op string, operand any, path []any, body *fact) Shape {
	operands, place := operandsAt(operand, path)
	take := func(i int, body *fact) Shape {
		rule, _ := operands[i].(map[string]any)
		if inner, isVar := rule["var"]; isVar && len(rule) == 1 && asksFor(op, i, operands) {
			paths, placeOfPath := operandsAt(inner, append(place(i), "var"))
			return w.read(ctx, paths, placeOfPath, body, true)
		}
		return w.value(ctx, operands[i], place(i), body)
	}
	switch op {
	case "var":
		return w.read(ctx, operands, place, body, false)
	case "missing", "missing_some":
		return Any() // tests for existence
	case "map", "filter", "all", "some", "none":
		if len(operands) == 2 {
			return iteration(op, take(0, body), func(body *fact) Shape { return take(1, body) })
		}
	case "reduce":
		if len(operands) >= 2 {
			start := Null()
			if len(operands) > 2 {
				start = take(2, body)
			}
			return w.reduce(take(0, body), start, func(body *fact) Shape { return take(1, body) })
		}
	}
	all := make([]Shape, len(operands))
	for i := range operands {
		all[i] = take(i, body)
	}
	return resultOf(op, all)
}

// operandsAt returns the operands of an operator, a single one of which needs no list, and
// a function that returns their places.
func operandsAt(operand any, path []any) (operands []any, place func(i int) []any) {
	if list, listed := operand.([]any); listed {
		return list, func(i int) []any { return append(path, i) }
	}
	return []any{operand}, func(int) []any { return path }
}

// asksFor reports whether an operator tests its operand for existence.
func asksFor(op string, i int, operands []any) bool {
	switch op {
	case "!", "!!", "and", "or":
		return true
	case "if", "?:":
		return i%2 == 0 && i < len(operands)-1
	case "filter", "all", "some", "none":
		return i == 1
	case "==", "===", "!=", "!==":
		return len(operands) == 2 && operands[1-i] == nil
	}
	return false
}

// resultOf returns the shape of the result of an operator for values, as far as it may be
// a list.
func resultOf(op string, operands []Shape) Shape {
	switch op {
	case "merge":
		items := make([]Shape, len(operands))
		for i, s := range operands {
			if s.IsAny() {
				return Array(Any())
			}
			items[i] = s.item()
		}
		return Array(Union(items...))
	case "and", "or":
		return Union(operands...)
	case "if", "?:":
		branches := []Shape{Null()}
		for i, s := range operands {
			if i%2 == 1 || i == len(operands)-1 {
				branches = append(branches, s)
			}
		}
		return Union(branches...)
	case "log":
		if len(operands) == 1 {
			return operands[0]
		}
	}
	return Any()
}

// read returns the shape of the result of a var.
func (w *ruleWalk) read(ctx context.Context, operands []any, place func(int) []any, body *fact, asked bool) Shape {
	if len(operands) == 0 {
		return whole(body)
	}
	otherwise := Null()
	if len(operands) > 1 {
		otherwise, asked = w.value(ctx, operands[1], place(1), body), true
	}
	out := w.path(ctx, operands[0], place(0), body, asked)
	if out.MayBeNothing() {
		out = Union(out.without(kindNothing), otherwise)
	}
	return out
}

// whole returns the shape of the result of a path without steps.
func whole(body *fact) Shape {
	if body == nil {
		return Any()
	}
	return body.shape
}

// path returns the shape of the result of a path, or of a choice of paths.
func (w *ruleWalk) path(ctx context.Context, operand any, path []any, body *fact, asked bool) Shape {
	if choice, isChoice := operand.(map[string]any); isChoice {
		for op, branches := range choice {
			operands, place := operandsAt(branches, append(path, op))
			for i, branch := range operands {
				if i%2 == 1 || i == len(operands)-1 {
					w.path(ctx, branch, place(i), body, asked)
				} else {
					w.value(ctx, branch, place(i), body)
				}
			}
		}
		return Any()
	}
	if operand == nil || operand == "" {
		return whole(body)
	}
	key := rulePlace(path)
	read := w.reads[key]
	if read == nil || read.Expression == nil || read.Body && body == nil {
		return Any()
	}
	if w.steps += len(read.Expression.Source()); w.exhausted() {
		return Any()
	}
	from := w.root
	if read.Body {
		from = *body
		w.focus[key] = focused{from, asked}
	}
	out, _ := inferOver(ctx, read.Expression, w.env, from, ruleVariables(w.root), false)
	return out
}

// itemsOf returns the shape of the items of a list; of a list without items, Any.
func itemsOf(list Shape) Shape {
	if items := list.Items(); !list.IsAny() && !items.isNone() {
		return items
	}
	return Any()
}

// iteration returns the shape of the result of an operator over the items of a list; do
// walks its body.
func iteration(op string, list Shape, do func(body *fact) Shape) Shape {
	out := do(&fact{shape: itemsOf(list), origin: "the element"})
	switch op {
	case "map":
		return Array(out)
	case "filter":
		return Array(list.Items())
	}
	return Boolean()
}

// reduce returns the shape of the result of a reduce; do walks its body, which reads the
// item and the result of the items before.
func (w *ruleWalk) reduce(list, start Shape, do func(body *fact) Shape) Shape {
	items, accumulator := itemsOf(list), start
	for turn := 0; !w.exhausted(); turn++ {
		fields := []Field{{Name: "current", Shape: items}, {Name: "accumulator", Shape: accumulator}}
		next := Union(accumulator, do(&fact{shape: Object(fields, false), origin: "the argument of the reduce body"}))
		if next.Equal(accumulator) {
			return accumulator
		}
		if accumulator = next; turn >= maxTurns {
			accumulator = Any()
		}
	}
	return Any()
}
