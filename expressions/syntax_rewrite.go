package expressions

// rewriting is what is written before and after tokens for the engine.
type rewriting struct {
	before, after map[int]string
}

func rewrite(tokens []token) rewriting {
	r := rewriting{before: map[int]string{}, after: map[int]string{}}
	partner := bracketsOf(tokens)
	for i := range tokens {
		switch t := &tokens[i]; {
		case t.is("{") && !t.prefix:
			r.group(tokens, partner, i)
		case t.is("[") && !t.prefix && keepsArray(tokens, i):
			r.keep(tokens, partner, i)
		case t.is("&"):
			r.operands(tokens, partner, i)
		case t.is("|") && t.prefix:
			r.transform(tokens, partner, i)
		}
	}
	r.defaults(tokens)
	return r
}

func (r *rewriting) wrap(first, last int, before, after string) {
	// Of two wraps that begin together the later found is the wider, of two that
	// end together too.
	r.before[first] = before + r.before[first]
	r.after[last] += after
}

// group makes a{k: v} of nothing an empty object.
func (r *rewriting) group(tokens []token, partner brackets, i int) {
	end := partner[i]
	first, ok := partner.start(tokens, end)
	// The engine refuses a predicate or another grouping behind one; it must see it.
	refused := end+1 < len(tokens) && (tokens[end+1].is("[") || tokens[end+1].is("{"))
	if ok && !refused && simple(tokens[first:end]) {
		r.wrap(first, end, "(", " ?? {})")
	}
}

// keep lets $v[] and (a)[] be arrays: behind a call [] is never forgotten.
func (r *rewriting) keep(tokens []token, partner brackets, i int) {
	if tokens[i-1].kind != tokenVariable && !tokens[i-1].is(")") {
		return
	}
	first, ok := partner.start(tokens, i-1)
	if !ok || !simple(tokens[first:i]) {
		return
	}
	if first == i-1 && tokens[first].kind == tokenVariable || tokens[first].is("(") && partner[first] == i-1 {
		r.wrap(first, i-1, "$"+hidden+"keep(", ")")
	}
}

// operands makes texts of what & joins by $§text, unless they are numbers.
func (r *rewriting) operands(tokens []token, partner brackets, i int) {
	const call = "$" + hidden + "text("
	if first, ok := partner.start(tokens, i-1); ok && !makesNumber(tokens, first-1) && worthText(tokens[first:i]) {
		r.wrap(first, i-1, call, ")")
	}
	if last, ok := partner.end(tokens, i+1); ok && !makesNumber(tokens, last+1) && worthText(tokens[i+1:last+1]) {
		r.wrap(i+1, last, call, ")")
	}
}

// makesNumber tells whether the token at i makes a number of the operand beside it.
func makesNumber(tokens []token, i int) bool {
	if i < 0 || i >= len(tokens) {
		return false
	}
	switch tokens[i].text {
	case "+", "-", "*", "/", "%":
		return tokens[i].kind == tokenOperator
	}
	return false
}

// worthText tells whether the operand may be more than a scalar, and can be wrapped.
func worthText(operand []token) bool {
	if len(operand) == 1 && (operand[0].kind == tokenString || operand[0].kind == tokenNumber || operand[0].kind == tokenWord) {
		return false
	}
	return simple(operand)
}

// transform copies what a transform puts into its objects, |where|what|, so that
// they never contain themselves.
func (r *rewriting) transform(tokens []token, partner brackets, i int) {
	bar := func(i int) int {
		for i < len(tokens) {
			if end, ok := partner[i]; ok && end > i {
				i = end + 1
				continue
			}
			if tokens[i].is("|") && !tokens[i].prefix || tokens[i].is(",") {
				return i
			}
			i++
		}
		return i
	}
	first := bar(i+1) + 1
	last := bar(first) - 1
	if last >= first && last < len(tokens) && simple(tokens[first:last+1]) {
		r.wrap(first, last, "$"+hidden+"copy(", ")")
	}
}
