package shape

import (
	"cmp"
	"fmt"

	"toolgraph/internal/base/wording"
)

func (in *inferrer) operator(t *tree, focus *fact) fact {
	switch t.Text {
	case "and", "or", "??", "?:":
		return in.choice(t, focus)
	case "~>":
		return in.chain(&t.Parts[1], in.infer(&t.Parts[0], focus), &t.Parts[0], focus)
	}
	operands := make([]fact, len(t.Parts))
	for i := range t.Parts {
		operands[i] = in.infer(&t.Parts[i], focus)
	}
	var out fact
	switch t.Text {
	case "=", "!=", "in":
		out = in.equality(t, operands[0], operands[1])
	case "<", "<=", ">", ">=":
		out = in.order(t, operands[0], operands[1])
	case "&":
		for i, v := range operands {
			in.need(v)
			in.absent(&t.Parts[i], v)
			in.joined(&t.Parts[i], v)
			in.joinsOr(v)
		}
		out = of(String())
	case "..":
		in.expectNumbers(t, operands)
		for _, v := range operands {
			if in.spared == 0 {
				in.require(in.settled(v, nil), "without it the list of numbers is empty")
			}
		}
		out = like(loose(countsFrom(operands[0].shape, operands[1].shape), false), operands...)
	default:
		in.expectNumbers(t, operands)
		left, right := literalZero, operands[len(operands)-1]
		if len(operands) == 2 {
			left = operands[0].shape
		}
		out = like(computed(t.Text, left, right.shape), operands...)
		in.divides(t, right)
		for i, v := range operands {
			in.mayBeNull(t, i, v, kindNumber, "numbers")
			out = in.without(v, out)
		}
	}
	out.written = true
	for _, v := range operands {
		out.written = out.written && v.written
	}
	return out
}

// expectNumbers reports operands that are certainly not numbers. The engine does not
// check the right one when the left one is missing.
func (in *inferrer) expectNumbers(t *tree, operands []fact) {
	certain := true
	for i, v := range operands {
		certain = certain && !v.shape.MayBeNothing()
		if in.expectKind(t, i, certain, v, kindNumber, "a number") || v.shape.IsNothing() && t.Text != ".." {
			return
		}
	}
}

// expectKind reports an operand that is certainly of none of the kinds.
func (in *inferrer) expectKind(t *tree, i int, certain bool, v fact, want kinds, expected string) bool {
	if !v.excludes(want) {
		return false
	}
	by, hint := "", ""
	if want == kindNumber && v.shape.can(kindString) {
		by, hint = "number", conversion("number")
		if t.Text == "+" {
			hint = "join strings with &, or " + hint
		}
	}
	found := in.reportFailure(&t.Parts[i], certain, CodeWrongOperand,
		fmt.Sprintf("%s, but the operator %s takes %s", in.described(&t.Parts[i], v), t.Text, expected), hint)
	if by != "" && t.Text == "+" {
		in.joinable(found)
	}
	found.converted(in.source, by)
	return true
}

// described returns the source of a part and its shape; of a constant, only its kind.
func (in *inferrer) described(t *tree, v fact) string {
	s := v.shape.without(kindNothing)
	if v.written {
		s = s.General()
	}
	return fmt.Sprintf("%s is %s", in.text(t), s)
}

// orderHint returns the remedy for two operands that do not compare.
func (in *inferrer) orderHint(t *tree) string {
	if joined := &t.Parts[0]; isOperator(joined, "&") {
		return fmt.Sprintf("put the comparison into parentheses: … & (%s %s %s)", in.text(&joined.Parts[1]), t.Text, in.text(&t.Parts[1]))
	}
	return "convert one of them: $number(…) or $string(…)"
}

// order infers a comparison by size, of two numbers or two strings.
func (in *inferrer) order(t *tree, left, right fact) fact {
	in.comparesItself(t)
	certain := !left.shape.MayBeNothing()
	wrong := in.expectKind(t, 0, certain, left, kindNumber|kindString, "numbers or strings")
	certain = certain && !right.shape.MayBeNothing()
	if !wrong && !left.shape.IsNothing() {
		wrong = in.expectKind(t, 1, certain, right, kindNumber|kindString, "numbers or strings")
	}
	a, b := left.shape.only(kindNumber|kindString), right.shape.only(kindNumber|kindString)
	if !wrong && !a.isNone() && !b.isNone() && !a.can(b.get().kinds) && !left.shape.IsAny() && !right.shape.IsAny() {
		in.reportFailure(t, certain, CodeWrongOperand, fmt.Sprintf("%s and %s, but the operator %s takes two numbers or two strings",
			in.described(&t.Parts[0], left), in.described(&t.Parts[1], right), t.Text), in.orderHint(t))
	}
	for i, v := range []fact{left, right} {
		in.need(v)
		in.absent(&t.Parts[i], v)
		in.mayBeNull(t, i, v, kindNumber|kindString, "numbers or strings")
	}
	out := like(Boolean(), left, right)
	in.counted(t, left, right, &out)
	return out
}

// equality infers =, != and in. A missing value is neither equal nor unequal to another.
func (in *inferrer) equality(t *tree, left, right fact) fact {
	out := of(Boolean())
	out.whenTrue = append(left.ran(), right.ran()...)
	if t.Text == "in" {
		right.shape = right.shape.item()
	} else {
		in.counted(t, left, right, &out)
	}
	if !in.comparesItself(t) && !in.joinedEquality(t) && !in.unknownType(t) && !in.swappedIn(t, left, right) && !in.neverNull(t, left, right) && !in.wrongCase(t, left, right) {
		in.neverEqual(t, left, right)
	}
	if _, differ := left.shape.Conflict(right.shape); differ || left.shape.IsNothing() || right.shape.IsNothing() {
		if t.Text != "!=" {
			out.shape = simple(kindFalse)
		} else if !left.shape.MayBeNothing() && !right.shape.MayBeNothing() {
			out.shape = simple(kindTrue)
		}
	}
	if t.Text != "in" && left.shape.isOne() && left.shape.Equal(right.shape) {
		out.shape = simple(map[bool]kinds{true: kindTrue, false: kindFalse}[t.Text == "="])
	}
	return out
}

// isOne reports whether the shape has exactly one value that is no array and no object.
func (s Shape) isOne() bool {
	a := s.get()
	switch a.kinds {
	case kindNull, kindTrue, kindFalse:
		return true
	case kindNumber:
		return len(a.numbers) == 1
	case kindString:
		return len(a.strings) == 1
	}
	return false
}

// neverEqual reports a comparison of values that cannot be equal. A value that is read and
// has one constant may be meant to be changed, and null may come from anywhere.
func (in *inferrer) neverEqual(t *tree, left, right fact) {
	a, b := compared(left, right), compared(right, left)
	hint := ""
	if t.Text == "in" && !left.shape.IsAny() && (right.written || right.constant != nil) {
		a = a.without(kindNull) // what else the value may be is in the list, or never is
		hint = itemsHint(a, b)
	}
	if a.can(kindNull) || b.can(kindNull) || a.isNone() || b.isNone() {
		return
	}
	c, differ := a.Conflict(b)
	if !differ || len(c.Path) > 0 {
		return
	}
	how := map[string]string{"=": "is never", "!=": "is always unequal to", "in": "is never in"}[t.Text]
	near, word, place := "", "", t
	for i, side := range []fact{left, right} {
		if words := side.shape.Words(); side.written && len(words) == 1 {
			if other := wording.Nearest(words[0], []Shape{b, a}[i].Words()); other != "" {
				near, word, place = other, words[0], &t.Parts[i]
			}
		}
	}
	read, other := &t.Parts[0], &t.Parts[1]
	if left.written && t.Text != "in" {
		read, other, a = other, read, b
	}
	message := fmt.Sprintf("%s %s %s; it is %s", in.text(read), how, in.text(other), a)
	if !left.written && !right.written || t.Text == "in" && !right.written {
		is := "%s is %s"
		if t.Text == "in" {
			is = "the items of %s are %s"
		}
		message += fmt.Sprintf(", and "+is, in.text(other), b)
	}
	in.report(t, CodeConstantComparison, message, cmp.Or(wording.Meant(near), hint)).instead(in.source, place, word, near)
}

// itemsHint returns the remedy for constants that are texts where numbers are looked for, or the other way round.
func itemsHint(value, items Shape) string {
	switch of, are := value.get().kinds, items.get().kinds; {
	case of == kindString && are == kindNumber:
		return "write the items of the list as texts, in quotes"
	case of == kindNumber && are == kindString:
		return "write the items of the list as numbers, without quotes"
	}
	return ""
}

// compared returns the shape that counts in a comparison: a value that is read and has one constant counts as any of its kind, and so does a
// constant of the graph file, unless the other side is read from elsewhere.
func compared(v, other fact) Shape {
	switch {
	case v.shape.IsAny():
		return none
	case v.written, v.constant != nil && !other.written && other.constant == nil:
		return v.shape
	case v.constant != nil:
		return v.shape.without(kindNothing).anyOfKinds()
	}
	return v.shape.without(kindNothing).General()
}

// anyOfKinds returns the shape with all strings and numbers in place of constants.
func (s Shape) anyOfKinds() Shape {
	a := *s.get()
	a.strings, a.numbers = nil, nil
	return shapeOf(a).General()
}

// General returns the shape with all values of a kind for a single constant of it.
func (s Shape) General() Shape {
	a := *s.get()
	if len(a.strings) == 1 {
		a.strings = nil
	}
	if len(a.numbers) == 1 {
		a.numbers = nil
	}
	if a.kinds.has(kindBoolean) {
		a.kinds |= kindBoolean
	}
	return shapeOf(a)
}

// counted derives from a comparison of $executionCount(id) with a number whether the node
// has run.
func (in *inferrer) counted(t *tree, left, right fact, out *fact) {
	operator, node, number := t.Text, left.counts, right.shape.get().numbers
	if right.counts != "" {
		operator = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}[operator]
		node, number = right.counts, left.shape.get().numbers
	}
	if node == "" || len(number) != 1 {
		return
	}
	n := number[0]
	holdsWithoutRun := map[string]bool{"<": n > 0, "<=": n >= 0, ">": n < 0, ">=": n <= 0, "=": n == 0, "!=": n != 0}[operator]
	if holdsWithoutRun {
		out.whenFalse = append(out.whenFalse, node)
	} else {
		out.whenTrue = append(out.whenTrue, node)
	}
}
