package shape

// Kept is the shape of such a value when it is the output of a node: what is nothing is
// kept as null.
func (s Shape) Kept() Shape {
	if s.IsAny() || !s.MayBeNothing() {
		return s
	}
	return Union(s.without(kindNothing), Null())
}
