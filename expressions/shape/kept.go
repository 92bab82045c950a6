package shape

// Kept is the shape of such a value as JSON, which has no nothing: that is null there.
func (s Shape) Kept() Shape {
	if s.IsAny() || !s.MayBeNothing() {
		return s
	}
	return Union(s.without(kindNothing), Null())
}
