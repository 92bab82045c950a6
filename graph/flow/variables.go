package flow

import (
	"context"
	"maps"

	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// placeKeys are the keys under which a node has the expressions of a place.
var placeKeys = map[place]string{
	inItems: "forEach.items", inArgs: "args", inWhen: "retry.when", inUntil: "retry.until", inHandled: "onError.value",
	inTransform: "transform.expr", inMessage: "message",
}

// stepKeys are the keys under which a step has them.
var stepKeys = map[place]string{
	inIf: "if", inItems: "each", inKey: "key", inEachUntil: "until", inTurnUntil: "repeat.until", inArgs: "args", inWhen: "retry.when",
	inHandled: "onError.value", inTransform: "expr", inMessage: "message",
}

// variablesOf returns the variables that an expression of a node would have in each place; see Node.Variables.
func (f *follower) variablesOf(ctx context.Context, i int) map[string]map[string]shape.Shape {
	all := map[string]map[string]shape.Shape{}
	add := func(prefix string, n graph.Node) {
		keys := placeKeys
		if f.stepOf(n) != nil {
			keys = stepKeys
		}
		for at, key := range keys {
			if vars := f.variables(ctx, i, use{at: at, call: n}); len(vars) > 0 {
				all[prefix+key] = vars
			}
		}
	}
	add("", f.graph.Nodes[i])
	if p, isParallel := f.graph.Nodes[i].(*graph.Parallel); isParallel {
		for _, b := range p.Branches {
			add(b.Name+".", b.Node)
		}
	}
	if len(f.constants) > 0 {
		all["conditions"] = maps.Clone(f.constants)
	}
	return all
}
