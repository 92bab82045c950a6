package shape

import "slices"

// lambda is a function that is known: one that the expression makes, or a builtin.
type lambda struct {
	builtin string // its name, or empty
	tree    *tree
	scope   *scope // around it
	focus   *fact  // around it
	called  bool
}

// function is a function or a transform that the expression makes.
func (in *inferrer) function(t *tree, focus *fact) fact {
	fn := &lambda{tree: t, scope: in.scope, focus: focus}
	in.lambdas = append(in.lambdas, fn)
	return fact{shape: simple(kindFunction), fn: fn}
}

// uncalled looks at the functions that nothing calls as far as can be seen.
func (in *inferrer) uncalled() {
	for i := 0; i < len(in.lambdas) && !in.exhausted(); i++ {
		if fn := in.lambdas[i]; !fn.called {
			args := make([]fact, len(fn.tree.Parts))
			for i := range args {
				args[i] = unknown()
			}
			in.apply(fn, args, fn.focus)
		}
	}
}

// apply is what a known function gives for the arguments; focus is the context of
// the call.
func (in *inferrer) apply(fn *lambda, args []fact, focus *fact) fact {
	fn.called = true
	if fn.builtin != "" {
		return in.perhaps(func() fact { return in.builtin(&site{name: fn.builtin, tree: fn.tree, args: args, focus: focus}) })
	}
	if slices.Contains(in.calls, fn) || in.exhausted() {
		return unknown() // it calls itself
	}
	in.calls = append(in.calls, fn)
	in.branches++
	defer func() {
		in.calls = in.calls[:len(in.calls)-1]
		in.branches--
	}()
	if fn.tree.Kind == "transform" {
		return in.transform(fn, args)
	}
	return in.scoped(fn.scope, fn.tree, func() fact {
		params := fn.tree.Parts[:len(fn.tree.Parts)-1]
		for i := range params {
			v := of(Nothing())
			switch {
			case fn.tree.Text != "":
				v = unknown() // its signature may make something else of the argument
			case i < len(args):
				v = args[i]
				v.root, v.written, v.origin = false, false, ""
			}
			in.scope.vars[params[i].Text] = v
		}
		// The engine takes the context of the call, others that of the definition.
		around := unknown()
		if focus == fn.focus {
			around = *focus
		}
		out := in.infer(&fn.tree.Parts[len(params)], &around)
		if fn.tree.Text != "" && !out.shape.IsAny() {
			out.shape = Union(out.shape, Nothing())
		}
		return out
	})
}

// applyEach is what a function given as an argument makes of the items of an array:
// it gets the item, its index and the array, as far as it takes them.
func (in *inferrer) applyEach(fn fact, item, all Shape, focus *fact) fact {
	if fn.fn == nil {
		return unknown()
	}
	args := []fact{of(item), of(Number()), of(all)}
	if fn.fn.builtin != "" {
		args = args[:1]
	}
	return in.apply(fn.fn, args, focus)
}

// transform is |pattern|update, deletion| of a value.
func (in *inferrer) transform(fn *lambda, args []fact) fact {
	base := of(Nothing())
	if len(args) > 0 {
		base = args[0]
	}
	return in.scoped(fn.scope, fn.tree, func() fact {
		focus := fact{shape: base.shape, origin: "what is changed"}
		target := in.infer(&fn.tree.Parts[0], &focus)
		object := fact{shape: target.shape.item().only(kindObject), origin: "what is changed"}
		if target.shape.IsAny() {
			object = unknown()
		}
		for i := 1; i < len(fn.tree.Parts); i++ {
			in.perhaps(func() fact { return in.infer(&fn.tree.Parts[i], &object) })
		}
		// Whichever objects inside have changed: the kinds are the same.
		kept := base.shape.without(kindArray | kindObject)
		if base.shape.can(kindArray) {
			kept = Union(kept, Array(Value()))
		}
		if base.shape.can(kindObject) {
			kept = Union(kept, Object(nil, true))
		}
		return fact{shape: kept, reads: base.reads}
	})
}
