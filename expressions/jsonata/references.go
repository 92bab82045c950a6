package jsonata

// Reference is one path that an expression reads from the context: its first step
// is a node's id, as in $.entry.directory or entry.directory; or the id that a
// history function is asked for as a literal.
type Reference struct {
	Path     []string // static field names, as far as they are known
	Offset   int      // byte offset of the first step in the source
	Function string   // "nodeExecution" … when it is that function's argument, else empty
}

// References are the paths that the expression reads from the context, in the
// order of their places. A path that is relative to something else, in a predicate, behind
// a dot or in the body of a function, is not included. The caller must not change the slice.
func (e *Expression) References() []Reference { return e.references }

// ContextReferences are the paths of names behind each $ctx that is not a variable of the
// expression's own; see CompileVar. The caller must not change the slice.
func (e *Expression) ContextReferences() []Reference { return e.contextReferences }

// origin says which part of the context a value is.
type origin struct {
	reads *[]Reference // the references to that context; nil when the value is unknown
	ref   int          // index of the reference that it is, and further steps make longer; -1: the context itself
}

// unknown is a value of which nothing is known.
var unknown = origin{}

// reader walks an expression's tree and notes what it reads.
type reader struct {
	found []Reference         // paths from the context
	outer []Reference         // paths from $ctx
	vars  []map[string]origin // variables by scope, innermost last

	more   *ContextUse // what else is noted; nil: nothing
	behind *Tree       // the name that the walk comes to next, when it is behind a dot
}

// referencesOf are the references of a tree, to the context and to $ctx.
func referencesOf(root *Tree) (found, outer []Reference) {
	r := reader{}
	r.vars = []map[string]origin{{RuleContext: {&r.outer, -1}}}
	r.walk(root, origin{&r.found, -1})
	return r.found, r.outer
}

// walkAll walks parts whose values are of no interest.
func (r *reader) walkAll(parts []Tree, focus origin) {
	for i := range parts {
		r.walk(&parts[i], focus)
	}
}

// walk notes what the part reads when focus is its context, and returns the origin of its
// value.
func (r *reader) walk(t *Tree, focus origin) origin {
	switch t.Kind {
	case PathKind:
		return r.path(t, focus)
	case ContextKind:
		value := r.context(t, focus)
		r.noteWhole(value)
		return value
	case WildcardKind, DescendantsKind:
		r.noteWhole(focus)
	case VariableKind:
		for i := len(r.vars) - 1; i >= 0; i-- {
			if value, ok := r.vars[i][t.Text]; ok {
				return value
			}
		}
	case NameKind:
		r.noteField(t, focus)
		return focus.field(t)
	case BlockKind:
		return r.block(t, focus)
	case KeepKind, FocusKind, IndexKind, PredicateKind, SortKind:
		value := r.walk(&t.Parts[0], focus)
		r.walkAll(t.Parts[1:], value.within())
		return value
	case GroupKind:
		value := r.walk(&t.Parts[0], focus)
		r.walkAll(t.Parts[1:], value.within())
	case CallKind:
		return r.call(t, focus)
	case FunctionKind:
		r.function(t, focus)
	case AssignmentKind:
		value := r.walk(&t.Parts[1], focus).within()
		r.vars[len(r.vars)-1][t.Parts[0].Text] = value
		return value
	case ConditionalKind:
		return r.conditional(t, focus)
	case TransformKind:
		r.walkAll(t.Parts, unknown)
	default:
		r.walkAll(t.Parts, focus)
	}
	return unknown
}

// within is the origin of the context of a predicate over the value: the context itself
// when that is the value, as in $[entry.n > 1].
func (o origin) within() origin {
	if o.ref >= 0 {
		return unknown
	}
	return o
}

// field is a field of a value: a new reference on the context, a longer one on what is a
// reference itself.
func (o origin) field(name *Tree) origin {
	switch {
	case o.reads == nil:
	case o.ref < 0:
		*o.reads = append(*o.reads, Reference{Path: []string{name.Text}, Offset: name.Offset})
		o.ref = len(*o.reads) - 1
	default:
		read := &(*o.reads)[o.ref]
		read.Path = append(read.Path, name.Text)
	}
	return o
}

// context is the origin of $ or $$.
func (r *reader) context(t *Tree, focus origin) origin {
	if t.Text == "$$" {
		return origin{&r.found, -1}
	}
	return focus
}

func (r *reader) path(t *Tree, focus origin) origin {
	for i := range t.Parts {
		step := &t.Parts[i]
		if step.Kind == ContextKind && i+1 < len(t.Parts) && isField(&t.Parts[i+1]) {
			focus = r.context(step, focus.within())
			continue
		}
		if !isField(step) {
			focus = focus.within()
		} else if i > 0 {
			r.behind = nameOf(step)
		}
		focus = r.walk(step, focus)
	}
	return focus
}

// isField reports whether the step is a name, perhaps with predicates or variables.
func isField(step *Tree) bool {
	switch step.Kind {
	case NameKind:
		return true
	case KeepKind, FocusKind, IndexKind, PredicateKind:
		return isField(&step.Parts[0])
	}
	return false
}

// nameOf returns the name of a step that is a field.
func nameOf(step *Tree) *Tree {
	for step.Kind != NameKind {
		step = &step.Parts[0]
	}
	return step
}

func (r *reader) scope(f func()) {
	r.vars = append(r.vars, map[string]origin{})
	f()
	r.vars = r.vars[:len(r.vars)-1]
}

func (r *reader) block(t *Tree, focus origin) origin {
	last := unknown
	r.scope(func() {
		for i := range t.Parts {
			last = r.walk(&t.Parts[i], focus)
		}
	})
	return last
}

func (r *reader) function(t *Tree, focus origin) {
	r.scope(func() {
		last := len(t.Parts) - 1
		for _, param := range t.Parts[:last] {
			r.vars[len(r.vars)-1][param.Text] = unknown
		}
		r.walk(&t.Parts[last], focus.within())
	})
}

func (r *reader) conditional(t *Tree, focus origin) origin {
	r.walk(&t.Parts[0], focus)
	value := r.walk(&t.Parts[1], focus).within()
	if len(t.Parts) > 2 && r.walk(&t.Parts[2], focus) != value {
		return unknown
	}
	return value
}

// call is a function's call; a history function with a literal id is a reference.
func (r *reader) call(t *Tree, focus origin) origin {
	value := unknown
	r.noteDefault(t, focus)
	if fn := &t.Parts[0]; fn.Kind != VariableKind {
		r.walk(fn, focus)
	} else if len(t.Parts) > 1 && t.Parts[1].Kind == StringKind && ReadsNode(fn.Text) {
		id := &t.Parts[1]
		r.found = append(r.found, Reference{Path: []string{id.Text}, Offset: id.Offset, Function: fn.Text})
		if fn.Text != "executionCount" {
			value = origin{&r.found, len(r.found) - 1}
		}
	}
	r.walkAll(t.Parts[1:], focus)
	return value
}
