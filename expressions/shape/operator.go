package shape

import (
	"fmt"

	"toolgraph/internal/wording"
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
		for _, v := range operands {
			in.need(v)
		}
		out = of(String())
	case "..":
		in.expectNumbers(t, operands)
		out = like(Union(filledArray(Number()), Nothing()), operands...)
	default:
		in.expectNumbers(t, operands)
		out = like(Number(), operands...)
	}
	out.written = true
	for _, v := range operands {
		out.written = out.written && v.written
	}
	return out
}

// expectNumbers notes operands that are certainly no numbers. The engine does not
// look at the right one when there is no left one.
func (in *inferrer) expectNumbers(t *tree, operands []fact) {
	certain := true
	for i, v := range operands {
		certain = certain && !v.shape.MayBeNothing()
		if in.expectKind(t, i, certain, v, kindNumber, "a number") || v.shape.IsNothing() && t.Text != ".." {
			return
		}
	}
}

// expectKind notes an operand that is certainly of none of the kinds.
func (in *inferrer) expectKind(t *tree, i int, certain bool, v fact, want kinds, expected string) bool {
	found := v.shape.without(kindNothing)
	if v.shape.IsAny() || found.get().kinds == 0 || found.can(want) {
		return false
	}
	hint := ""
	if want == kindNumber && found.can(kindString) {
		hint = "convert it: $number(…)"
		if t.Text == "+" {
			hint = "join strings with &, or convert it: $number(…)"
		}
	}
	in.fault(&t.Parts[i], certain, CodeWrongOperand,
		fmt.Sprintf("%s, and the operator %s takes %s", in.described(&t.Parts[i], v), t.Text, expected), hint)
	return true
}

// described tells what a part is; of what is written, only the kind.
func (in *inferrer) described(t *tree, v fact) string {
	s := v.shape.without(kindNothing)
	if v.written {
		a := *s.get()
		a.numbers, a.strings = nil, nil
		if a.kinds.has(kindBoolean) {
			a.kinds |= kindBoolean
		}
		s = shapeOf(a)
	}
	return fmt.Sprintf("%s is %s", in.text(t), s)
}

// order is a comparison by size, of two numbers or two strings.
func (in *inferrer) order(t *tree, left, right fact) fact {
	certain := !left.shape.MayBeNothing()
	wrong := in.expectKind(t, 0, certain, left, kindNumber|kindString, "numbers or strings")
	certain = certain && !right.shape.MayBeNothing()
	if !wrong && !left.shape.IsNothing() {
		wrong = in.expectKind(t, 1, certain, right, kindNumber|kindString, "numbers or strings")
	}
	a, b := left.shape.only(kindNumber|kindString), right.shape.only(kindNumber|kindString)
	if !wrong && a.get().kinds != 0 && b.get().kinds != 0 && a.get().kinds&b.get().kinds == 0 && !left.shape.IsAny() && !right.shape.IsAny() {
		in.fault(t, certain, CodeWrongOperand, fmt.Sprintf("%s and %s, and the operator %s takes two numbers or two strings",
			in.described(&t.Parts[0], left), in.described(&t.Parts[1], right), t.Text), "convert one of them: $number(…) or $string(…)")
	}
	in.need(left)
	in.need(right)
	out := like(Boolean(), left, right)
	in.counted(t, left, right, &out)
	return out
}

// equality is =, != and in. Nothing is equal to nothing, and not unequal either.
func (in *inferrer) equality(t *tree, left, right fact) fact {
	out := of(Boolean())
	out.whenTrue = append(left.there(), right.there()...)
	if t.Text == "in" {
		right.shape = right.shape.item()
	} else {
		in.counted(t, left, right, &out)
	}
	in.neverEqual(t, left, right)
	if _, differ := left.shape.Conflict(right.shape); differ || left.shape.IsNothing() || right.shape.IsNothing() {
		if t.Text != "!=" {
			out.shape = simple(kindFalse)
		} else if !left.shape.MayBeNothing() && !right.shape.MayBeNothing() {
			out.shape = simple(kindTrue)
		}
	}
	return out
}

// neverEqual notes a comparison of what cannot be equal. One constant that is read,
// not written, may be there to be changed; and null may come from anywhere.
func (in *inferrer) neverEqual(t *tree, left, right fact) {
	a, b := compared(left), compared(right)
	if a.can(kindNull) || b.can(kindNull) || a.get().kinds == 0 || b.get().kinds == 0 {
		return
	}
	c, differ := a.Conflict(b)
	if !differ || len(c.Path) > 0 {
		return
	}
	how := map[string]string{"=": "is never", "!=": "is always unequal to", "in": "is never in"}[t.Text]
	hint := ""
	for i, side := range []fact{left, right} {
		other := []Shape{b, a}[i].get()
		if side.written && len(side.shape.get().strings) == 1 && other.strings != nil {
			hint = wording.DidYouMean(side.shape.get().strings[0], other.strings)
		}
	}
	read, other, beside := &t.Parts[0], &t.Parts[1], b
	if left.written && t.Text != "in" {
		read, other, beside, a = other, read, a, b
	}
	message := fmt.Sprintf("%s is %s, and %s %s", in.text(read), a, how, in.text(other))
	switch {
	case t.Text == "in" && !right.written:
		message += fmt.Sprintf(", whose items are %s", beside)
	case !left.written && !right.written:
		message += fmt.Sprintf(", which is %s", beside)
	}
	in.note(t, CodeConstantComparison, message, hint)
}

// compared is the shape that counts in a comparison: one constant that is read is
// only one of its kind.
func compared(v fact) Shape {
	s := v.shape
	if s.IsAny() {
		return none
	}
	if v.written {
		return s
	}
	s = s.without(kindNothing)
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

// counted tells what the comparison of $executionCount(id) with a number means.
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
	// Whether the comparison holds for a node that has not run.
	switch holds := compare(0, operator, n); {
	case !holds:
		out.whenTrue = append(out.whenTrue, node)
	default:
		out.whenFalse = append(out.whenFalse, node)
	}
}

func compare(a float64, operator string, b float64) bool {
	switch operator {
	case "<":
		return a < b
	case "<=":
		return a <= b
	case ">":
		return a > b
	case ">=":
		return a >= b
	case "!=":
		return a != b
	}
	return a == b
}
