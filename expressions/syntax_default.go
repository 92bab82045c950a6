package expressions

import "slices"

// defaults puts brackets around a ?? b and a ?: b that stand behind and or or: the
// engine binds ?? and ?: more weakly than those, jsonata-js more strongly. It must come
// after every other rewriting, since its brackets are the widest.
func (r *rewriting) defaults(tokens []token) {
	after := false // and, or: at least one stands before a ?? or ?:
	needed := slices.ContainsFunc(tokens, func(t token) bool {
		after = after || isConnective(&t)
		return after && (t.is("??") || t.is("?:"))
	})
	if !needed {
		return
	}
	if tree := treeOf(tokens); tree != nil {
		r.bracketDefaults(tokens, tree)
	}
}

func (r *rewriting) bracketDefaults(tokens []token, part *Tree) {
	for i := range part.Parts {
		r.bracketDefaults(tokens, &part.Parts[i])
	}
	if part.Kind != "operator" || part.Text != "??" && part.Text != "?:" {
		return
	}
	first := slices.IndexFunc(tokens, func(t token) bool { return t.start == part.Offset })
	last := slices.IndexFunc(tokens, func(t token) bool { return t.end == part.End })
	if first < 1 || last < first || !isConnective(&tokens[first-1]) || !simple(tokens[first:last+1]) {
		return
	}
	// In brackets a variable would end with them.
	if !slices.ContainsFunc(tokens[first:last+1], func(t token) bool { return t.is(":=") }) {
		r.wrap(first, last, "(", ")")
	}
}

func isConnective(t *token) bool { return t.is("and") || t.is("or") }
