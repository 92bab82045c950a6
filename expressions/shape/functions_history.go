package shape

import (
	"fmt"

	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// nodeArgument returns the id that is the first argument of a history function, and the
// node, when they are known.
func (in *inferrer) nodeArgument(s *site) (id string, b Binding, known bool) {
	names := s.arg(0).shape.Words()
	if len(names) != 1 || s.arg(0).shape.get().kinds != kindString {
		return "", Binding{}, false
	}
	id = names[0]
	b, known = in.env.Context[id]
	if !known && !in.env.Open {
		r := meant(wording.Nearest(id, sortedNames(in.env.Context)))
		in.report(s.place(0), CodeUnknownName, fmt.Sprintf("there is no node %q", id), r.hint).instead(in.source, s.place(0), id, r.word)
	}
	return id, b, known
}

// executionCount infers $executionCount(id).
func executionCount(in *inferrer, s *site) fact {
	id, b, known := in.nodeArgument(s)
	out := of(Number())
	if !known {
		return out
	}
	if b.Presence == Never {
		out.shape = Constant(0.0)
		return out
	}
	out.counts, out.whenTrue = id, []string{id}
	return out
}

// nodeExecution infers $nodeExecution(id, index).
func nodeExecution(in *inferrer, s *site) fact {
	in.expectInteger(s, 1)
	id, b, known := in.nodeArgument(s)
	if !known {
		return unknown()
	}
	place := *s.place(0)
	out := in.output(&place, id)
	index := s.arg(1).shape.get().numbers
	first := len(index) == 1 && (index[0] == 0 || index[0] == -1)
	if !first && !out.shape.IsAny() {
		// There may be fewer executions even if the node has run.
		out.shape = Union(out.shape, Nothing())
	}
	if first && b.Presence == Always {
		return out
	}
	if counted := len(index) != 1 && in.branches > 0; counted || len(in.calls) > 0 {
		// In a repetition, most often over the executions of the node: it is not reached
		// when the node has not run.
		return of(out.shape)
	}
	return fact{shape: out.shape, reads: out.reads}
}

// nodeExecutions infers $nodeExecutions(id).
func nodeExecutions(in *inferrer, s *site) fact {
	_, b, known := in.nodeArgument(s)
	switch {
	case !known:
		return of(Array(Any()))
	case b.Presence == Never:
		return of(Array(none))
	case b.Presence == Always && !b.Shape.MayBeNothing():
		return of(filledArray(b.Shape.bare()))
	}
	return of(Array(b.Shape.bare().without(kindNothing))) // missing outputs are left out
}

// previousNode infers $previousNode(n).
func previousNode(in *inferrer, s *site) fact {
	if len(s.args) == 0 {
		return of(in.env.Previous.bare())
	}
	in.expectInteger(s, 0)
	if n := s.args[0].shape.get().numbers; len(n) == 1 && n[0] == 1 {
		return of(in.env.Previous.bare())
	}
	return unknown()
}

// expectInteger reports a number that has a fraction.
func (in *inferrer) expectInteger(s *site, i int) {
	if n := s.arg(i).shape.get().numbers; len(n) == 1 && hasFraction(n[0]) {
		in.reportFailure(s.place(i), s.complete(), CodeWrongArgument, fmt.Sprintf("argument %d of $%s is %s, expected an integer", i+1, s.name, value.NumberText(n[0])), "")
	}
}
