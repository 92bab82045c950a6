package shape

import (
	"fmt"

	"toolgraph/expressions/jsonata"
	"toolgraph/internal/wording"
)

// scope holds the variables of a block, a function or a whole expression.
type scope struct {
	vars     map[string]fact
	outer    *scope
	binds    map[string]bool // all that get a value in it, sooner or later
	branches int             // conditions and repetitions around the block
}

func (s *scope) find(name string) (fact, bool) {
	for ; s != nil; s = s.outer {
		if v, ok := s.vars[name]; ok {
			return v, true
		}
	}
	return fact{}, false
}

// scoped infers in a scope of its own inside outer, that of the part t.
func (in *inferrer) scoped(outer *scope, t *tree, f func() fact) fact {
	before := in.scope
	in.scope = &scope{vars: map[string]fact{}, outer: outer, branches: in.branches, binds: map[string]bool{}}
	for i := range t.Parts {
		boundNames(&t.Parts[i], in.scope.binds)
	}
	out := f()
	in.scope = before
	return out
}

func (in *inferrer) bind(name string, v fact) {
	if in.branches > in.scope.branches {
		// On one of several ways only: it may keep what it was.
		before, ok := in.scope.find(name)
		if !ok {
			before = of(Nothing())
		}
		v = either(v, before)
	}
	in.scope.vars[name] = v
}

// boundNames are the variables that a part gives values to in the scope around it.
func boundNames(t *tree, names map[string]bool) map[string]bool {
	switch t.Kind {
	case "assignment":
		names[t.Parts[0].Text] = true
	case "parameter", "focus", "index":
		names[t.Text] = true
	case "block", "function":
		return names // has a scope of its own
	}
	for i := range t.Parts {
		boundNames(&t.Parts[i], names)
	}
	return names
}

func (in *inferrer) variable(t *tree) fact {
	if v, ok := in.scope.find(t.Text); ok {
		return v
	}
	if _, ok := builtins[t.Text]; ok {
		return fact{shape: simple(kindFunction), written: true, fn: &lambda{builtin: t.Text, tree: t, called: true}}
	}
	known := jsonata.Functions()
	for s := in.scope; s != nil; s = s.outer {
		if s.binds[t.Text] {
			return unknown() // later, or in another call
		}
		known = append(sortedNames(s.binds), known...)
	}
	if !jsonata.IsFunction(t.Text) {
		hint := ""
		if near := wording.Nearest(t.Text, known); near != "" {
			hint = fmt.Sprintf("did you mean %q?", "$"+near)
		}
		if _, isNode := in.env.Context[t.Text]; isNode {
			hint = "write $." + t.Text + " for a node's output"
		}
		in.note(t, CodeUnboundVariable, "the variable $"+t.Text+" has no value here: nothing binds it", hint)
	}
	return unknown()
}

func (in *inferrer) block(t *tree, focus *fact) fact {
	return in.scoped(in.scope, t, func() fact {
		last := of(Nothing())
		for i := range t.Parts {
			last = in.infer(&t.Parts[i], focus)
		}
		return last
	})
}

func (in *inferrer) assignment(t *tree, focus *fact) fact {
	v := in.infer(&t.Parts[1], focus)
	v.written = false
	in.bind(t.Parts[0].Text, v)
	return v
}
