package shape

import (
	"fmt"
	"slices"

	"toolgraph/internal/wording"
)

// node reads the output of a node from the context.
func (in *inferrer) node(t *tree) fact {
	v := in.output(t, t.Text)
	if in.env.Declared != nil && in.env.Declared(t.Text) {
		v.at = []string{t.Text}
	}
	return v
}

// output is the latest output of a node, read at t.
func (in *inferrer) output(t *tree, id string) fact {
	b, known := in.env.Context[id]
	switch {
	case !known && in.env.Open:
		return unknown()
	case !known:
		in.note(t, CodeUnknownName, fmt.Sprintf("there is nothing named %q in the context", id), wording.DidYouMean(id, sortedNames(in.env.Context)))
		return unknown()
	case b.Presence == Never:
		in.note(t, CodeNeverRan, fmt.Sprintf("node %q cannot have run when this is evaluated", id), "read a node that comes before this one")
		return of(Nothing())
	case b.Presence == Always || slices.Contains(in.present, id):
		return of(b.Shape)
	}
	return fact{shape: Union(b.Shape, Nothing()), reads: []read{{node: id, offset: t.Offset, end: t.End}}}
}
