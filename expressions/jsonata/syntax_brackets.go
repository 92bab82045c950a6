package jsonata

// brackets knows the partner of each bracket of the tokens, both ways.
type brackets map[int]int

func bracketsOf(tokens []token) brackets {
	partner := brackets{}
	var open []int
	for i := range tokens {
		switch t := &tokens[i]; {
		case t.is("(") || t.is("[") || t.is("{"):
			open = append(open, i)
		case t.is(")") || t.is("]") || t.is("}"):
			if len(open) == 0 {
				return partner
			}
			begin := open[len(open)-1]
			open = open[:len(open)-1]
			partner[begin], partner[i] = i, begin
		}
	}
	return partner
}
