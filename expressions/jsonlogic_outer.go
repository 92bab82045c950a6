package expressions

// RuleContext is the variable by which a rule's expressions reach the run's context
// from inside a body: $ctx.
const RuleContext = "ctx"

// outerReferences are the paths of names behind each $ctx of a rule's expression; none
// when it has a variable $ctx of its own.
func outerReferences(tokens []token) []Reference {
	var out []Reference
	for i := range tokens {
		if tokens[i].kind != tokenVariable || tokens[i].value != RuleContext {
			continue
		}
		if i+1 < len(tokens) && tokens[i+1].is(":=") || isParameter(tokens, i) {
			return nil
		}
		if r := referenceBehind(tokens[i+1:]); r.Path != nil {
			out = append(out, r)
		}
	}
	return out
}

// referenceBehind is the path of names that the tokens begin with.
func referenceBehind(tokens []token) Reference {
	var r Reference
	for i := 0; i+1 < len(tokens) && tokens[i].is(".") && tokens[i+1].kind == tokenName; i += 2 {
		if r.Path == nil {
			r.Offset = tokens[i+1].start
		}
		r.Path = append(r.Path, tokens[i+1].value)
	}
	return r
}
