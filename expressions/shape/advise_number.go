package shape

import (
	"fmt"
	"slices"
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
	if list == nil || in.branches > 0 || in.spared > 0 || in.askedBefore(list) {
		return
	}
	text := in.text(list)
	in.report(by, CodeWrongOperand, fmt.Sprintf("the divisor is 0 when %s is empty, and a number that is not finite is an error", text), fmt.Sprintf("check first: $count(%s) > 0 ? … : 0", text))
}

// askedBefore reports whether the run has asked for a value that a part reads from the context.
func (in *inferrer) askedBefore(t *tree) bool {
	if in.env.Asked == nil {
		return false
	}
	if path := in.contextPath(t); path != nil && in.env.Asked(path) {
		return true
	}
	return slices.ContainsFunc(t.Parts, func(part tree) bool { return in.askedBefore(&part) })
}

// contextPath returns the names by which a part begins to read the context, or nil.
func (in *inferrer) contextPath(t *tree) (names []string) {
	switch t.Kind {
	case "name":
		names = []string{t.Text}
	case "path":
		for i := range t.Parts {
			if part := &t.Parts[i]; part.Kind == "name" {
				names = append(names, part.Text)
			} else if i > 0 || part.Kind != "context" {
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
	if t.Kind == "predicate" && !isIndex(&t.Parts[len(t.Parts)-1]) {
		return true
	}
	if path := in.contextPath(t); path != nil && in.env.Empty != nil && in.env.Empty(path) {
		return true
	}
	return slices.ContainsFunc(t.Parts, func(part tree) bool { return in.mayBeEmpty(&part) })
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
	out.reads = append(slices.Clip(out.reads), read{node: "\x00" + text, offset: s.tree.Offset, end: s.tree.End, field: []string{"\x00"}, when: fmt.Sprintf("%s is missing %s", text, when)})
	return out
}
