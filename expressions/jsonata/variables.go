package jsonata

import "toolgraph/expressions"

// Variable is one read of a variable that the expression does not bind.
type Variable struct {
	Name   string // without $
	Offset int    // byte offset of its $ in the source
}

// Variables are the reads of variables of the language, those of expressions.IsVariable, in the
// order of their places. A variable that is assigned in a block, or is a parameter of a function,
// is the expression's own in all of it. The caller must not change the slice.
func (e *Expression) Variables() []Variable { return e.variables }

// variablesOf returns the variables of the language that a tree reads and does not bind.
func variablesOf(root *Tree, tokens []token) []Variable {
	for i := range tokens {
		if tokens[i].kind == tokenVariable && expressions.IsVariable(tokens[i].value) {
			r := variableReader{own: map[string]int{}}
			r.scope([]Tree{*root})
			return r.found
		}
	}
	return nil
}

// variableReader finds reads of variables of the language.
type variableReader struct {
	found []Variable
	own   map[string]int // for each variable, how many of the scopes around the part bind it
}

// scope reads the parts of a block, of a function or of the whole expression.
func (r *variableReader) scope(parts []Tree) {
	binds := map[string]bool{}
	for i := range parts {
		parts[i].Binds(binds)
	}
	for name := range binds {
		r.own[name]++
	}
	for i := range parts {
		r.walk(&parts[i])
	}
	for name := range binds {
		r.own[name]--
	}
}

func (r *variableReader) walk(t *Tree) {
	switch t.Kind {
	case "block", "function":
		r.scope(t.Parts)
		return
	case "variable":
		if r.own[t.Text] == 0 && expressions.IsVariable(t.Text) {
			r.found = append(r.found, Variable{Name: t.Text, Offset: t.Offset})
		}
	}
	for i := range t.Parts {
		r.walk(&t.Parts[i])
	}
}

// Binds adds the variables that a part binds in the block or the function around it. What a
// block or a function binds inside it is its own.
func (t *Tree) Binds(names map[string]bool) {
	switch t.Kind {
	case "assignment":
		names[t.Parts[0].Text] = true
	case "parameter", "focus", "index":
		names[t.Text] = true
	case "block", "function":
		return
	}
	for i := range t.Parts {
		t.Parts[i].Binds(names)
	}
}
