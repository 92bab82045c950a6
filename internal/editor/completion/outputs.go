package completion

import (
	"context"

	"toolgraph/expressions/shape"
)

// Outputs returns the types of the outputs of a tool's nodes in the last valid version, by id. A node whose
// output is unknown, and an exit, has none.
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
		for _, n := range g.Nodes {
			if of := f.Node(n.ID()); of != nil && of.Reached && n.Type() != "exit" && of.Output.String() != shape.Any().String() {
				types[n.ID()] = of.Output.String()
			}
		}
	}
	return types
}
