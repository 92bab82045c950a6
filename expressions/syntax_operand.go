package expressions

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

// start is where the operand begins that ends with the token at i: a path with all
// of its steps, predicates, calls, groupings and sorts. It is not ok for a
// function's body.
func (p brackets) start(tokens []token, i int) (int, bool) {
	for i >= 0 && tokens[i].operand() {
		if begin, ok := p[i]; ok && begin < i {
			switch {
			case begin > 0 && tokens[begin-1].is("^"):
				i = begin - 2
				continue
			case begin > 0 && isFunctionWord(&tokens[begin-1]) || tokens[begin].is("{") && begin > 0 && tokens[begin-1].is(">"):
				return 0, false
			case !tokens[begin].prefix:
				if before, ok := p[begin-1]; ok && before > 0 && tokens[begin].is("{") && isFunctionWord(&tokens[before-1]) {
					return 0, false
				}
				i = begin - 1
				continue
			}
			i = begin
		}
		if i == 0 || !tokens[i-1].is(".") && !tokens[i-1].is("@") && !tokens[i-1].is("#") {
			return i, true
		}
		i -= 2
	}
	return 0, false
}

// end is the last token of the operand that begins at i. It is not ok for a
// function.
func (p brackets) end(tokens []token, i int) (int, bool) {
	if i >= len(tokens) || !tokens[i].prefix {
		return 0, false
	}
	for {
		if isFunctionWord(&tokens[i]) && i+1 < len(tokens) && tokens[i+1].is("(") {
			return 0, false
		}
		last, ok := p[i]
		switch {
		case ok && last > i:
			i = last
		case tokens[i].kind == tokenOperator && !tokens[i].is("*") && !tokens[i].is("**"):
			return 0, false // a unary minus, a parent, a transform
		}
		for i+1 < len(tokens) {
			next := &tokens[i+1]
			if next.is("^") && i+2 < len(tokens) {
				i++
				next = &tokens[i+1]
			}
			if !next.is("(") && !next.is("[") && !next.is("{") {
				break
			}
			i = p[i+1]
		}
		if i+2 >= len(tokens) || !tokens[i+1].is(".") && !tokens[i+1].is("@") && !tokens[i+1].is("#") {
			return i, true
		}
		i += 2
	}
}

// simple tells whether the tokens hold no %, @ or #, which the engine evaluates
// along with the path that they are in.
func simple(tokens []token) bool {
	for i := range tokens {
		if t := &tokens[i]; t.is("%") && t.prefix || t.is("@") || t.is("#") {
			return false
		}
	}
	return true
}
