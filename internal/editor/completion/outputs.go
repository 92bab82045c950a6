package completion

import (
	"context"

	"toolgraph/expressions/shape"
)

// anything is the type of an output of which nothing is known.
var anything = shape.Any().String()

// Outputs returns the types of the outputs of a tool's nodes in the last valid version, by id, or of the values of its steps, by
// their paths. A node whose output is unknown, and an exit, has none.
func (k *Known) Outputs(ctx context.Context, tool string) map[string]string {
	types := map[string]string{}
	for _, g := range k.Graphs {
		if g.Tool.Name.Value != tool {
			continue
		}
		f := k.flow(&cursor{ctx: ctx, known: k}, g)
		if f == nil {
			return types
		}
		if g.Steps() != nil {
			stepOutputs(f, "", types)
			continue
		}
		for _, n := range f.Nodes {
			if text, known := outputOf(n); known {
				types[n.Node.ID()] = text
			}
		}
	}
	return types
}
