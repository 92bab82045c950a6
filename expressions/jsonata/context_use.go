package jsonata

// ContextUse is what an expression does with its context beside reading paths from it.
type ContextUse struct {
	Whole  bool        // it reads the context as a whole: $ or $$ without a name behind it, a wildcard, or by a function whose argument is left out
	Fields []Reference // the names at the start of a path that are fields of something else than the context, in the order of their places
}

// ContextUse returns what the expression does with its context beside References. It walks the tree again.
func (e *Expression) ContextUse() ContextUse {
	var use ContextUse
	r := reader{more: &use}
	r.vars = []map[string]origin{{RuleContext: {&r.outer, -1}}}
	r.walk(e.tree, origin{&r.found, -1})
	return use
}

// noteWhole notes that a value is used as a whole.
func (r *reader) noteWhole(value origin) {
	if r.more != nil && value.reads == &r.found && value.ref < 0 {
		r.more.Whole = true
	}
}

// noteField notes a name at the start of a path that is a field of something else than the context.
func (r *reader) noteField(name *Tree, focus origin) {
	if r.more != nil && focus.reads == nil && name != r.behind {
		r.more.Fields = append(r.more.Fields, Reference{Path: []string{name.Text}, Offset: name.Offset})
	}
}

// noteDefault notes a call of a function whose missing argument is the context. The left side of ~> is
// not among the arguments, so such a call counts although it has them all.
func (r *reader) noteDefault(call *Tree, focus origin) {
	if r.more == nil || call.Parts[0].Kind != VariableKind {
		return
	}
	name, args := call.Parts[0].Text, len(call.Parts)-1
	b := library()[name]
	if b == nil || b.signature == nil {
		return
	}
	needed, defaults := 0, false
	for _, p := range b.signature.params {
		defaults = defaults || p.context
		if !p.optional || p.context {
			needed++
		}
	}
	if defaults && args < needed {
		r.noteWhole(focus)
	}
}
