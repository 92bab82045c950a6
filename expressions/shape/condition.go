package shape

import (
	"fmt"
	"slices"

	"toolgraph/expressions/jsonata"
)

// truth returns the truth values of the shape in a JSONata condition: kindTrue, kindFalse
// or both. They are both for a shape of which nothing is known.
func (s Shape) truth() kinds {
	a := s.get()
	if s.IsAny() || s.isNone() {
		return kindBoolean
	}
	out := a.kinds & kindTrue
	add := func(k kinds, canBeTrue, canBeFalse bool) {
		if a.kinds.has(k) && canBeTrue {
			out |= kindTrue
		}
		if a.kinds.has(k) && canBeFalse {
			out |= kindFalse
		}
	}
	add(kindNothing|kindNull|kindFalse|kindFunction, false, true)
	add(kindString, a.strings == nil || !slices.Equal(a.strings, []string{""}), a.strings == nil || slices.Contains(a.strings, ""))
	add(kindNumber, a.numbers == nil || !slices.Equal(a.numbers, []float64{0}), a.numbers == nil || slices.Contains(a.numbers, 0))
	filled := slices.ContainsFunc(a.fields, func(f Field) bool { return !f.Optional })
	add(kindObject, filled || len(a.fields) > 0 || a.rest != closed, !filled)
	if a.kinds.has(kindArray) {
		items := a.items.truth()
		add(kindArray, items != kindFalse, !a.filled || items != kindTrue)
	}
	return out
}

// The logic of truth values that may be both. Their bits are the results that can occur.

func negation(a kinds) kinds {
	switch a {
	case kindTrue:
		return kindFalse
	case kindFalse:
		return kindTrue
	}
	return a
}

func conjunction(a, b kinds) kinds { return a&b&kindTrue | (a|b)&kindFalse }

func disjunction(a, b kinds) kinds { return (a|b)&kindTrue | a&b&kindFalse }

func (in *inferrer) conditional(t *tree, focus *fact) fact {
	condition := in.probe(&t.Parts[0], focus)
	in.constant(&t.Parts[0], condition)
	in.joinedCondition(t)
	truth := condition.shape.truth()
	then := in.branch(truth != kindFalse, condition.ifTrue(), func() fact { return in.infer(&t.Parts[1], focus) })
	otherwise := of(Nothing())
	if len(t.Parts) > 2 {
		otherwise = in.branch(truth != kindTrue, condition.whenFalse, func() fact { return in.infer(&t.Parts[2], focus) })
	}
	// An output is not missing on a branch on which its node is known to have run.
	then, otherwise = in.settled(then, condition.ifTrue()), in.settled(otherwise, condition.whenFalse)
	then = in.guarded(then, &t.Parts[0], &t.Parts[1])
	if len(t.Parts) > 2 {
		otherwise = in.guarded(otherwise, &t.Parts[0], &t.Parts[2])
	}
	switch truth {
	case kindTrue:
		return then
	case kindFalse:
		return otherwise
	default:
		in.env.branched(&t.Parts[1], then)
		if len(t.Parts) > 2 {
			in.env.branched(&t.Parts[2], otherwise)
		}
		return either(then, otherwise)
	}
}

// settled drops reads of nodes that are known to have run at the part.
func (in *inferrer) settled(v fact, present []string) fact {
	v.reads = slices.DeleteFunc(slices.Clone(v.reads), func(r read) bool {
		return slices.Contains(present, r.node) || slices.Contains(in.present, r.node)
	})
	return v
}

// constant reports a condition that does not depend on any value that is read; a literal
// true is the usual way to write a condition that always holds.
func (in *inferrer) constant(t *tree, condition fact) {
	if !condition.written || t.Kind == jsonata.LiteralKind && t.Text == "true" {
		return
	}
	if truth := condition.shape.truth(); truth != kindBoolean {
		in.report(t, CodeConstantCondition, fmt.Sprintf("the condition %s is always %t", in.text(t), truth == kindTrue), "")
	}
}

// choice infers and, or, ?? and ?:.
func (in *inferrer) choice(t *tree, focus *fact) fact {
	asks := in.probe
	if t.Text == "??" || t.Text == "?:" {
		asks = in.replaced
	}
	left := asks(&t.Parts[0], focus)
	truth := left.shape.truth()
	rightAfter := func(taken bool, present []string) fact {
		return in.branch(taken, present, func() fact {
			if t.Text == "and" || t.Text == "or" {
				return in.probe(&t.Parts[1], focus)
			}
			return in.infer(&t.Parts[1], focus)
		})
	}
	switch t.Text {
	case "and":
		right := rightAfter(truth != kindFalse, left.ifTrue())
		in.conjoins(t, left, right)
		return fact{
			shape: simple(conjunction(truth, right.shape.truth())), written: left.written && right.written,
			whenTrue: slices.Concat(left.ifTrue(), right.ifTrue()),
		}
	case "or":
		right := rightAfter(truth != kindTrue, left.whenFalse)
		in.conjoins(t, left, right)
		return fact{
			shape: simple(disjunction(truth, right.shape.truth())), written: left.written && right.written,
			whenFalse: slices.Concat(left.whenFalse, right.whenFalse), values: in.orOfValues(t, left, right),
		}
	}
	in.deadDefault(t)
	if left.shape.IsAny() && len(left.reads) == 0 {
		in.unsure++
		defer func() { in.unsure-- }()
	}
	right := rightAfter(t.Text == "??" && left.shape.MayBeNothing() || t.Text == "?:" && truth != kindTrue, nil)
	if t.Text == "??" && !left.shape.MayBeNothing() {
		left.reads = nil
		return left
	}
	remaining := left.shape.without(kindNothing)
	if t.Text == "?:" {
		remaining = remaining.without(kindNull | kindFalse | kindFunction)
		if remaining.truth() == kindFalse {
			remaining = none
		}
	}
	in.env.branched(&t.Parts[0], of(remaining))
	in.env.branched(&t.Parts[1], right)
	out := either(of(remaining), right)
	out.reads, out.written = right.reads, left.written && right.written
	if len(left.at) > 0 && in.env.Asked != nil && in.env.Asked(left.at) {
		out.reads = nil // a switch has decided by it which of the two there is
	}
	return out
}
