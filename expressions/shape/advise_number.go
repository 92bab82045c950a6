package shape

import (
	"fmt"
	"slices"

	"toolgraph/expressions/jsonata"
)

// divides reports a division by the number of items of a list that may be empty, and by a written 0.
func (in *inferrer) divides(t *tree, divisor fact) {
	if t.Text != "/" && t.Text != "%" || len(t.Parts) != 2 {
		return
	}
	by := &t.Parts[1]
	if numbers := divisor.shape.get().numbers; divisor.written && slices.Equal(numbers, []float64{0}) {
		in.report(by, CodeWrongOperand, fmt.Sprintf("%s divides by 0, and a number that is not finite is an error", in.text(t)), "")
		return
	}
	if divisor.constant == 0.0 {
		in.report(by, CodeWrongOperand, fmt.Sprintf("%s is 0, and a number that is not finite is an error", in.text(by)), "")
		return
	}
	list := divisor.sizeOf
	if in.branches > 0 || in.spared > 0 || in.askedBefore(by) || list != nil && in.askedBefore(list) {
		return
	}
	if list == nil {
		if text := in.text(by); len(divisor.at) > 0 && divisor.shape.mayBeZero() {
			in.report(by, CodeWrongOperand, fmt.Sprintf("%s may be 0, and a number that is not finite is an error", text), fmt.Sprintf("check first: %s = 0 ? 0 : …", text))
		}
		return
	}
	text := in.text(list)
	in.report(by, CodeWrongOperand, fmt.Sprintf("the divisor is 0 when %s is empty, and a number that is not finite is an error", text), fmt.Sprintf("check first: $count(%s) > 0 ? … : 0", text))
}

// mayBeZero reports whether the numbers of the shape, as they are declared, begin at 0 or list it.
func (s Shape) mayBeZero() bool {
	a := s.get()
	if a.numbers != nil {
		return len(a.numbers) > 1 && slices.Contains(a.numbers, 0)
	}
	return a.span != nil && !a.span.computed && a.span.least == 0 && !a.span.aboveLeast
}

// askedBefore reports whether the run has asked for a value that a part reads from the context.
func (in *inferrer) askedBefore(t *tree) bool {
	return in.env.Asked != nil && in.anyPart(t, 0, func(t *tree) bool {
		path := in.contextPath(t)
		return path != nil && in.env.Asked(path)
	})
}

// anyPart reports whether something holds for a part, for one inside of it, or for one of the value of a variable that it reads.
func (in *inferrer) anyPart(t *tree, depth int, holds func(t *tree) bool) bool {
	if in.looks++; in.looks > maxSteps {
		return false // variables whose values read others many times
	}
	if holds(t) {
		return true
	}
	if t.Kind == jsonata.VariableKind && depth < maxDepth {
		if v, bound := in.scope.find(t.Text); bound && v.from != nil {
			return in.anyPart(v.from, depth+1, holds)
		}
	}
	return slices.ContainsFunc(t.Parts, func(part tree) bool {
		return (t.Kind != jsonata.PathKind || part.Kind != jsonata.NameKind) && in.anyPart(&part, depth, holds) // the path itself has been asked
	})
}

// contextPath returns the names by which a part begins to read the context, or nil.
func (in *inferrer) contextPath(t *tree) (names []string) {
	switch t.Kind {
	case jsonata.NameKind:
		names = []string{t.Text}
	case jsonata.PathKind:
		for i := range t.Parts {
			part := &t.Parts[i]
			for part.Kind == jsonata.PredicateKind || part.Kind == jsonata.KeepKind {
				part = &part.Parts[0]
			}
			if part.Kind == jsonata.NameKind {
				names = append(names, part.Text)
			} else if i > 0 || part.Kind != jsonata.ContextKind {
				break
			}
		}
	}
	if len(names) > 0 {
		if _, isNode := in.env.Context[names[0]]; isNode {
			return names
		}
	}
	return nil
}

// mayBeEmpty reports whether a part filters, or reads a list of the context that may be empty.
func (in *inferrer) mayBeEmpty(t *tree) bool {
	return in.anyPart(t, 0, func(t *tree) bool {
		if t.Kind == jsonata.PredicateKind && !isIndex(&t.Parts[len(t.Parts)-1]) {
			return true
		}
		path := in.contextPath(t)
		return path != nil && in.env.Empty != nil && in.env.Empty(path)
	})
}

// lacking marks the value of a function that is missing for some arguments, so that it is reported where a value is required.
func (in *inferrer) lacking(s *site, out fact, when string) fact {
	place := s.place(0)
	if s.name != "match" && !in.mayBeEmpty(place) {
		return out
	}
	if s.name != "match" && !out.shape.MayBeNothing() || s.arg(0).shape.IsAny() || in.askedBefore(place) {
		return out
	}
	text := in.text(s.tree)
	out.reads = append(slices.Clip(out.reads), read{node: "\x00" + text, offset: s.tree.Offset, end: s.tree.End, field: []string{"\x00"}, when: fmt.Sprintf("%s is missing %s", text, when), minor: s.name == "sum" || s.name == "join" || s.name == "reduce"})
	return out
}
