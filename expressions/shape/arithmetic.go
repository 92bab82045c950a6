package shape

// literalZero is what - with one operand subtracts from.
var literalZero = shapeOf(alternatives{kinds: kindNumber, numbers: []float64{0}})

// computed returns the numbers that +, - or * makes of the numbers of two shapes; of other operators, all numbers.
// The ends of its range are computed: no value needs to reach them.
func computed(operator string, left, right Shape) Shape {
	a, b := left.only(kindNumber).get(), right.only(kindNumber).get()
	x, y := a.numberSpan(), b.numberSpan()
	var least, most float64
	switch operator {
	case "+":
		least, most = x.least+y.least, x.most+y.most
	case "-":
		least, most = x.least-y.most, x.most-y.least
	case "*":
		corners := [...]float64{product(x.least, y.least), product(x.least, y.most), product(x.most, y.least), product(x.most, y.most)}
		least, most = min(corners[0], corners[1], corners[2], corners[3]), max(corners[0], corners[1], corners[2], corners[3])
	default:
		return Number()
	}
	return shapeOf(alternatives{
		kinds: kindNumber, whole: a.allWhole() && b.allWhole() && a.kinds != 0 && b.kinds != 0,
		span: &span{least: least, most: most, computed: true},
	})
}

// product multiplies two ends of ranges: an open end is as large as you like, but a number, and 0 times a number is 0.
func product(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

// countsFrom returns the numbers of a .. b: whole ones from the least of the first to the greatest of the second.
func countsFrom(left, right Shape) Shape {
	x, y := left.only(kindNumber).get().numberSpan(), right.only(kindNumber).get().numberSpan()
	return shapeOf(alternatives{kinds: kindNumber, whole: true, span: &span{least: x.least, most: y.most, computed: true}})
}
