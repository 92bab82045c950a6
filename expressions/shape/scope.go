package shape

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/internal/base/wording"
)

// scope holds the variables of a block, a function or a whole expression.
type scope struct {
	vars     map[string]fact
	outer    *scope
	binds    map[string]bool // all variables that are assigned in it, sooner or later
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

// scoped infers the part t in a scope of its own inside outer.
func (in *inferrer) scoped(outer *scope, t *tree, f func() fact) fact {
	before := in.scope
	in.scope = &scope{vars: map[string]fact{}, outer: outer, branches: in.branches, binds: map[string]bool{}}
	for i := range t.Parts {
		t.Parts[i].Binds(in.scope.binds)
	}
	out := f()
	in.scope = before
	return out
}

func (in *inferrer) bind(name string, v fact) {
	if in.branches > in.scope.branches {
		// On one of several branches only: on the others it has the value from before.
		before, ok := in.scope.find(name)
		if !ok {
			before = of(Nothing())
		}
		v = either(v, before)
	}
	in.scope.vars[name] = v
}

func (in *inferrer) variable(t *tree) fact {
	if v, ok := in.scope.find(t.Text); ok {
		return v
	}
	if _, ok := builtins()[t.Text]; ok {
		return fact{shape: simple(kindFunction), written: true, fn: &lambda{builtin: t.Text, tree: t, called: true}}
	}
	known := jsonata.Functions()
	for s := in.scope; s != nil; s = s.outer {
		if s.binds[t.Text] {
			return unknown() // later, or in another call
		}
		known = append(sortedNames(s.binds), known...)
	}
	if v, ok := in.env.Variables[t.Text]; ok {
		return fact{shape: v.bare(), constant: in.env.Constants[t.Text]}
	}
	if !jsonata.IsFunction(t.Text) {
		r := in.variableHint(t.Text, known)
		in.report(t, CodeUnboundVariable, "the variable $"+t.Text+" is not defined here", r.hint).instead(in.source, t, "$"+t.Text, r.word)
	}
	return unknown()
}

// similar are what other languages call the variables of this one.
var similar = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		expressions.VarItem:    {"it", "element", "elem", "each", "value", "current", "this", "entry", "row"},
		expressions.VarIndex:   {"i", "key", "position", "n"},
		expressions.VarFailure: {"error", "err", "exception", "e", "cause"},
		expressions.VarAttempt: {"try", "tries", "retries", "count"},
		expressions.VarResult:  {"output", "response", "answer", "value"},
		expressions.VarVars:    {"constants", "const", "env", "config", "variables"},
	}
})

// variableHint returns the remedy for a variable that is not defined; known are the other names that begin with $.
func (in *inferrer) variableHint(name string, known []string) remedy {
	if _, isNode := in.env.Context[name]; isNode {
		return remedy{hint: fmt.Sprintf("write $.%s to read the output of the node", name)}
	}
	own := sortedNames(in.env.Variables)
	for s := in.scope; s != nil; s = s.outer {
		own = append(own, sortedNames(s.vars)...)
	}
	near := wording.Nearest(name, own)
	if near == "" {
		near = wording.Misspelt(name, known)
	}
	if near != "" {
		return meant("$" + near)
	}
	for _, of := range own {
		if slices.Contains(similar()[of], name) {
			return meant("$" + of)
		}
	}
	if len(own) == 0 {
		return remedy{}
	}
	slices.Sort(own)
	return remedy{hint: "the variables here are $" + strings.Join(slices.Compact(own), ", $")}
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
	in.assigns++
	v := in.infer(&t.Parts[1], focus)
	in.assigns--
	v.written, v.from = false, &t.Parts[1]
	in.bind(t.Parts[0].Text, v)
	return v
}

// lambda is a known function: one that the expression makes, or a builtin.
type lambda struct {
	builtin string // its name, or empty
	tree    *tree
	scope   *scope // around the definition
	focus   *fact  // around the definition
	called  bool
}

// function infers a function or a transform that the expression makes.
func (in *inferrer) function(t *tree, focus *fact) fact {
	fn := &lambda{tree: t, scope: in.scope, focus: focus}
	in.lambdas = append(in.lambdas, fn)
	return fact{shape: simple(kindFunction), fn: fn}
}

// uncalled infers the bodies of functions for which no call was found.
func (in *inferrer) uncalled() {
	for i := 0; i < len(in.lambdas) && !in.exhausted(); i++ {
		if fn := in.lambdas[i]; !fn.called {
			in.apply(fn, slices.Repeat([]fact{unknown()}, len(fn.tree.Parts)), fn.focus)
		}
	}
}

// apply infers the result of a known function; focus is the context of the call.
func (in *inferrer) apply(fn *lambda, args []fact, focus *fact) fact {
	fn.called = true
	if fn.builtin != "" {
		return in.perhaps(func() fact { return in.builtin(&site{name: fn.builtin, tree: fn.tree, args: args, focus: focus}) })
	}
	if slices.Contains(in.calls, fn) || in.exhausted() {
		return unknown() // it calls itself
	}
	in.calls = append(in.calls, fn)
	defer func() { in.calls = in.calls[:len(in.calls)-1] }()
	return in.perhaps(func() fact {
		if fn.tree.Kind == jsonata.TransformKind {
			return in.transform(fn, args)
		}
		return in.applyBody(fn, args)
	})
}

func (in *inferrer) applyBody(fn *lambda, args []fact) fact {
	return in.scoped(fn.scope, fn.tree, func() fact {
		params := fn.tree.Parts[:len(fn.tree.Parts)-1]
		for i := range params {
			v := of(Nothing())
			switch {
			case fn.tree.Text != "":
				v = unknown() // its signature may convert the argument
			case i < len(args):
				v = args[i]
				v.root, v.written, v.origin = false, false, ""
			}
			in.scope.vars[params[i].Text] = v
		}
		body := &fn.tree.Parts[len(params)]
		in.markTails(body)
		out := in.infer(body, fn.focus) // the context of the body is that of the definition
		if fn.tree.Text != "" && !out.shape.IsAny() {
			out.shape = Union(out.shape, Nothing())
		}
		return out
	})
}

// markTails marks the calls that are the last thing a function's body does.
func (in *inferrer) markTails(t *tree) {
	for t.Kind == jsonata.KeepKind {
		t = &t.Parts[0]
	}
	in.tails[t] = true
	switch t.Kind {
	case jsonata.ConditionalKind:
		for i := range t.Parts[1:] {
			in.markTails(&t.Parts[1+i])
		}
	case jsonata.OperatorKind:
		if t.Text == "??" || t.Text == "?:" {
			in.markTails(&t.Parts[1])
		}
	case jsonata.BlockKind:
		if n := len(t.Parts); n > 0 {
			in.markTails(&t.Parts[n-1])
		}
	case jsonata.CallKind:
	default:
		delete(in.tails, t)
	}
}

// callback infers the result of a function that is an argument. A builtin takes only the
// first of the arguments that it gets.
func (in *inferrer) callback(fn fact, focus *fact, args ...Shape) fact {
	if fn.fn == nil {
		return unknown()
	}
	if fn.fn.builtin != "" {
		args = args[:1]
	}
	facts := make([]fact, len(args))
	for i, s := range args {
		facts[i] = of(s)
	}
	return in.apply(fn.fn, facts, focus)
}

// transform infers |pattern|update, deletion| of a value.
func (in *inferrer) transform(fn *lambda, args []fact) fact {
	base := of(Nothing())
	if len(args) > 0 {
		base = args[0]
	}
	return in.scoped(fn.scope, fn.tree, func() fact {
		const origin = "the transformed value"
		target := in.infer(&fn.tree.Parts[0], &fact{shape: base.shape, origin: origin})
		object := fact{shape: target.shape.item().only(kindObject), origin: origin}
		if target.shape.IsAny() {
			object = unknown()
		}
		for i := 1; i < len(fn.tree.Parts); i++ {
			in.perhaps(func() fact { return in.infer(&fn.tree.Parts[i], &object) })
		}
		// The kinds stay the same, whichever inner objects have changed.
		out := base.shape.without(kindArray | kindObject)
		if base.shape.can(kindArray) {
			out = Union(out, Array(Value()))
		}
		if base.shape.can(kindObject) {
			out = Union(out, Object(nil, true))
		}
		return fact{shape: out, reads: base.reads}
	})
}
