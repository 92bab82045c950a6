package shape

import (
	"fmt"
	"slices"
)

// truth is what JSONata makes of the shape where it asks for true or false.
func (s Shape) truth() Presence {
	a := s.get()
	if s.IsAny() || a.kinds == 0 {
		return Maybe
	}
	yes, no := false, false
	add := func(k kinds, isTrue, isFalse bool) {
		if a.kinds.has(k) {
			yes, no = yes || isTrue, no || isFalse
		}
	}
	add(kindNothing|kindNull|kindFalse|kindFunction, false, true)
	add(kindTrue, true, false)
	add(kindString, a.strings == nil || !slices.Equal(a.strings, []string{""}), a.strings == nil || slices.Contains(a.strings, ""))
	add(kindNumber, a.numbers == nil || !slices.Equal(a.numbers, []float64{0}), a.numbers == nil || slices.Contains(a.numbers, 0))
	filled := slices.ContainsFunc(a.fields, func(f Field) bool { return !f.Optional })
	add(kindObject, filled || len(a.fields) > 0 || a.rest != closed, !filled)
	if a.kinds.has(kindArray) {
		items := a.items.truth()
		yes = yes || items != Never
		no = no || !a.filled || items != Always
	}
	switch {
	case yes && !no:
		return Always
	case no && !yes:
		return Never
	}
	return Maybe
}

func (in *inferrer) conditional(t *tree, focus *fact) fact {
	condition := in.probe(&t.Parts[0], focus)
	in.constant(&t.Parts[0], condition)
	truth := condition.shape.truth()
	then := in.way(truth != Never, condition.ifTrue(), func() fact { return in.infer(&t.Parts[1], focus) })
	otherwise := of(Nothing())
	if len(t.Parts) > 2 {
		otherwise = in.way(truth != Always, condition.whenFalse, func() fact { return in.infer(&t.Parts[2], focus) })
	}
	// What is missing on a way on which it is known to be there is not missing.
	then, otherwise = in.settled(then, condition.ifTrue()), in.settled(otherwise, condition.whenFalse)
	switch truth {
	case Always:
		return then
	case Never:
		return otherwise
	default:
		return either(then, otherwise)
	}
}

// settled forgets reads of nodes that are known to have run where they stand.
func (in *inferrer) settled(v fact, present []string) fact {
	v.reads = slices.DeleteFunc(slices.Clone(v.reads), func(r read) bool {
		return slices.Contains(present, r.node) || slices.Contains(in.present, r.node)
	})
	return v
}

// constant notes a condition that is the same whatever there is to read; a literal
// true is how one writes a condition that always holds.
func (in *inferrer) constant(t *tree, condition fact) {
	if !condition.written || t.Kind == "literal" && t.Text == "true" {
		return
	}
	if truth := condition.shape.truth(); truth != Maybe {
		in.note(t, CodeConstantCondition, fmt.Sprintf("the condition %s is always %t", in.text(t), truth == Always), "")
	}
}

// choice is and, or, ?? and ?:.
func (in *inferrer) choice(t *tree, focus *fact) fact {
	ask := in.probe
	if t.Text == "??" || t.Text == "?:" {
		ask = in.replaced
	}
	left := ask(&t.Parts[0], focus)
	truth := left.shape.truth()
	rightAfter := func(taken bool, present []string) fact {
		return in.way(taken, present, func() fact {
			if t.Text == "and" || t.Text == "or" {
				return in.probe(&t.Parts[1], focus)
			}
			return in.infer(&t.Parts[1], focus)
		})
	}
	switch t.Text {
	case "and":
		right := rightAfter(truth != Never, left.ifTrue())
		out := fact{shape: both(left.shape.truth(), right.shape.truth()), written: left.written && right.written}
		out.whenTrue = slices.Concat(left.ifTrue(), right.ifTrue())
		return out
	case "or":
		right := rightAfter(truth != Always, left.whenFalse)
		out := fact{shape: oneOf(left.shape.truth(), right.shape.truth()), written: left.written && right.written}
		out.whenFalse = slices.Concat(left.whenFalse, right.whenFalse)
		return out
	}
	right := rightAfter(t.Text == "??" && left.shape.MayBeNothing() || t.Text == "?:" && truth != Always, nil)
	kept := left.shape.without(kindNothing)
	if t.Text == "?:" {
		kept = kept.without(kindNull | kindFalse | kindFunction)
		if kept.truth() == Never {
			kept = none
		}
	}
	if t.Text == "??" && !left.shape.MayBeNothing() {
		left.reads = nil
		return left
	}
	out := either(of(kept), right)
	out.reads, out.written = right.reads, left.written && right.written
	return out
}

func both(a, b Presence) Shape {
	switch {
	case a == Never || b == Never:
		return simple(kindFalse)
	case a == Always && b == Always:
		return simple(kindTrue)
	}
	return Boolean()
}

func oneOf(a, b Presence) Shape { return not(both(opposite(a), opposite(b))) }

func opposite(p Presence) Presence {
	switch p {
	case Always:
		return Never
	case Never:
		return Always
	default:
		return Maybe
	}
}

// not is the shape of the other truth.
func not(s Shape) Shape {
	switch s.truth() {
	case Always:
		return simple(kindFalse)
	case Never:
		return simple(kindTrue)
	default:
		return Boolean()
	}
}
