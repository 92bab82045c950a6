package shape

// Words are the strings that the shape has, sorted; nil when it may have any.
func (s Shape) Words() []string {
	a := s.get()
	if !a.kinds.has(kindString) || a.strings == nil {
		return nil
	}
	return append([]string(nil), a.strings...)
}
