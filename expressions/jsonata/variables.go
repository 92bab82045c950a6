package jsonata

// Variable is one read of a variable that the expression does not bind.
type Variable struct {
	Name   string   // without $
	Offset int      // byte offset of its $ in the source
	Path   []string // the names of fields that follow it, as in $vars.limits.most; empty when its whole value is read
}

// Variables are the reads of variables that the expression does not bind, other than functions that it
// can call, in the order of their places: those that a Scope can have. A variable that is assigned in a block, or is a parameter of a function,
// is the expression's own in all of it. The caller must not change the slice.
func (e *Expression) Variables() []Variable { return e.variables }

// variablesOf returns the variables that a tree reads and does not bind, without the functions.
func variablesOf(root *Tree, tokens []token, functions map[string]*builtin) []Variable {
	for i := range tokens {
		if t := &tokens[i]; t.kind == tokenVariable && t.value != "" && t.value != "$" && !IsFunction(t.value) {
			r := variableReader{own: map[string]int{}, functions: functions}
			r.scope([]Tree{*root})
			return r.found
		}
	}
	return nil
}

// variableReader finds reads of variables that the expression does not bind.
type variableReader struct {
	found []Variable
	own   map[string]int // for each variable, how many of the scopes around the part bind it

	functions map[string]*builtin // those that Options add
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
	case BlockKind, FunctionKind:
		r.scope(t.Parts)
		return
	case VariableKind:
		r.read(t, nil)
	}
	for i := range t.Parts {
		if part := &t.Parts[i]; t.Kind == PathKind && i == 0 && part.Kind == VariableKind {
			r.read(part, fieldsOf(t.Parts[1:]))
			continue
		}
		r.walk(&t.Parts[i])
	}
}

// read notes a variable that the expression does not bind around it.
func (r *variableReader) read(t *Tree, path []string) {
	if r.own[t.Text] == 0 && !IsFunction(t.Text) && r.functions[t.Text] == nil {
		r.found = append(r.found, Variable{Name: t.Text, Offset: t.Offset, Path: path})
	}
}

// fieldsOf returns the names of the first steps of a path, as far as they are names. A predicate
// behind a name ends them.
func fieldsOf(steps []Tree) (names []string) {
	for i := range steps {
		step := &steps[i]
		for step.Kind != NameKind {
			if !isField(step) {
				return names
			}
			step = &step.Parts[0]
		}
		if names = append(names, step.Text); steps[i].Kind != NameKind {
			return names
		}
	}
	return names
}

// Binds adds the variables that a part binds in the block or the function around it. What a
// block or a function binds inside it is its own.
func (t *Tree) Binds(names map[string]bool) {
	switch t.Kind {
	case AssignmentKind:
		names[t.Parts[0].Text] = true
	case ParameterKind, FocusKind, IndexKind:
		names[t.Text] = true
	case BlockKind, FunctionKind:
		return
	}
	for i := range t.Parts {
		t.Parts[i].Binds(names)
	}
}
