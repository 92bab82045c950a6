package shape

import (
	"context"
	"fmt"
	"strings"

	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
)

// ruleWalk finds what the vars in the bodies of a rule are read from: the elements of
// map, filter, all, some and none, and what reduce gives its body.
type ruleWalk struct {
	env   *Env
	root  fact
	reads map[string]*jsonlogic.Read // by the places of their strings
	focus map[string]focused         // of those in bodies, by the same
	steps int
}

func newRuleWalk(r *jsonlogic.Rule, env *Env, root fact) *ruleWalk {
	w := &ruleWalk{env: env, root: root, reads: map[string]*jsonlogic.Read{}, focus: map[string]focused{}}
	for i, read := range r.Reads() {
		w.reads[rulePlace(read.Var)] = &r.Reads()[i]
	}
	return w
}

// maxRuleSteps bounds the work on one rule, in parts and bytes of paths: the body of a
// reduce is gone through several times, and there may be another one in it.
const maxRuleSteps = 100_000

func (w *ruleWalk) exhausted() bool { return w.steps > maxRuleSteps }

// focused is what a var in a body is read from.
type focused struct {
	fact
	asked bool // whether it is there is asked, or a default takes its place
}

// body is what is known at a place of a rule: what a body is read from, or nil outside.
type body struct{ fact }

// rulePlace is a place in a rule: the steps from its root.
func rulePlace(path []any) string {
	var b strings.Builder
	for _, step := range path {
		fmt.Fprintf(&b, "%T%v\x00", step, step)
	}
	return b.String()
}

// mostTurns is how often the body of a reduce is gone through; what it gives has most
// often settled in the second turn.
const mostTurns = 4

// value is the shape of a part of a rule: never nothing, which is null in a rule.
func (w *ruleWalk) value(ctx context.Context, rule any, path []any, at *body) Shape {
	if w.steps++; w.exhausted() {
		return Any()
	}
	switch rule := rule.(type) {
	case []any:
		items := make([]Shape, len(rule))
		for i, item := range rule {
			items[i] = w.value(ctx, item, append(path, i), at)
		}
		return shapeOf(alternatives{kinds: kindArray, items: Union(items...), filled: len(items) > 0})
	case map[string]any:
		for op, operand := range rule {
			if len(rule) == 1 {
				return w.operation(ctx, op, operand, append(path, op), at)
			}
		}
		return Any()
	}
	return Constant(value.FromPlain(rule))
}

// operation is the shape of what an operator gives.
func (w *ruleWalk) operation(ctx context.Context, op string, operand any, path []any, at *body) Shape {
	operands, place := operandsAt(operand, path)
	take := func(i int, at *body) Shape {
		if inner, isVar := varIn(operands[i]); isVar && asksFor(op, i, operands) {
			return w.asked(ctx, inner, append(place(i), "var"), at)
		}
		return w.value(ctx, operands[i], place(i), at)
	}
	switch op {
	case "var":
		return w.read(ctx, operands, place, at, false)
	case "missing", "missing_some":
		return Any() // asks for what may not be there
	case "map", "filter", "all", "some", "none":
		if len(operands) == 2 {
			return w.iteration(op, take(0, at), func(at *body) Shape { return take(1, at) })
		}
	case "reduce":
		if len(operands) >= 2 {
			start := Null()
			if len(operands) > 2 {
				start = take(2, at)
			}
			return w.reduce(take(0, at), start, func(at *body) Shape { return take(1, at) })
		}
	}
	all := make([]Shape, len(operands))
	for i := range operands {
		all[i] = take(i, at)
	}
	return outcomeOf(op, all)
}

// operandsAt are the operands of an operator, which may stand without brackets, and
// their places.
func operandsAt(operand any, path []any) (operands []any, place func(i int) []any) {
	if list, listed := operand.([]any); listed {
		return list, func(i int) []any { return append(path, i) }
	}
	return []any{operand}, func(int) []any { return path }
}

// asked is the shape of what a var gives of which it is asked whether it is there.
func (w *ruleWalk) asked(ctx context.Context, operand any, path []any, at *body) Shape {
	operands, place := operandsAt(operand, path)
	return w.read(ctx, operands, place, at, true)
}

// varIn is what stands in a var.
func varIn(rule any) (operand any, isVar bool) {
	m, _ := rule.(map[string]any)
	operand, isVar = m["var"]
	return operand, isVar && len(m) == 1
}

// asksFor tells whether an operator asks whether its operand is there.
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

// outcomeOf is what an operator makes of values, as far as lists come of it.
func outcomeOf(op string, operands []Shape) Shape {
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
		ways := []Shape{Null()}
		for i, s := range operands {
			if i%2 == 1 || i == len(operands)-1 {
				ways = append(ways, s)
			}
		}
		return Union(ways...)
	case "log":
		if len(operands) == 1 {
			return operands[0]
		}
	}
	return Any()
}

// read is the shape of what a var gives.
func (w *ruleWalk) read(ctx context.Context, operands []any, place func(int) []any, at *body, asked bool) Shape {
	otherwise := Null()
	if len(operands) > 1 {
		otherwise, asked = w.value(ctx, operands[1], place(1), at), true
	}
	if len(operands) == 0 {
		return w.whole(at)
	}
	out := w.path(ctx, operands[0], place(0), at, asked)
	if out.MayBeNothing() {
		out = Union(out.without(kindNothing), otherwise)
	}
	return out
}

// whole is what a path without steps gives.
func (w *ruleWalk) whole(at *body) Shape {
	if at == nil {
		return Any()
	}
	return at.shape
}

// path is the shape of what a path leads to, or a choice of paths.
func (w *ruleWalk) path(ctx context.Context, operand any, path []any, at *body, asked bool) Shape {
	if choice, isChoice := operand.(map[string]any); isChoice {
		for op, ways := range choice {
			operands, place := operandsAt(ways, append(path, op))
			for i, way := range operands {
				if i%2 == 1 || i == len(operands)-1 {
					w.path(ctx, way, place(i), at, asked)
				} else {
					w.value(ctx, way, place(i), at)
				}
			}
		}
		return Any()
	}
	if operand == nil || operand == "" {
		return w.whole(at)
	}
	key := rulePlace(path)
	read := w.reads[key]
	if read == nil || read.Expression == nil {
		return Any()
	}
	if w.steps += len(read.Expression.Source()); w.exhausted() {
		return Any()
	}
	from := w.root
	if read.Body {
		if at == nil {
			return Any()
		}
		from = at.fact
		w.focus[key] = focused{from, asked}
	}
	out, _ := inferOver(ctx, read.Expression, w.env, from, ruleVariables(w.root))
	return out
}

// iteration is what an operator makes of the items of a list; do is its body.
func (w *ruleWalk) iteration(op string, list Shape, do func(*body) Shape) Shape {
	items := Any()
	if !list.IsAny() {
		items = list.Items()
	}
	element := body{fact{shape: items, origin: "the element"}}
	if items.get().kinds == 0 {
		element.shape = Any() // there are none
	}
	out := do(&element)
	switch op {
	case "map":
		return Array(out)
	case "filter":
		return Array(items)
	}
	return Boolean()
}

// reduce is what comes of the items of a list; do is the body, which is read from the
// item and what has come of those before.
func (w *ruleWalk) reduce(list, start Shape, do func(*body) Shape) Shape {
	items := Any()
	if !list.IsAny() {
		items = list.Items()
	}
	if items.get().kinds == 0 {
		items = Any()
	}
	sum := start
	for turn := 0; !w.exhausted(); turn++ {
		fields := []Field{{Name: "current", Shape: items}, {Name: "accumulator", Shape: sum}}
		next := Union(sum, do(&body{fact{shape: Object(fields, false), origin: "what reduce gives its body"}}))
		if next.Equal(sum) {
			return sum
		}
		if sum = next; turn >= mostTurns {
			sum = Any()
		}
	}
	return Any()
}
