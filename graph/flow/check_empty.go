package flow

import (
	"slices"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// mayBeEmpty reports whether a list that is read from the context may be empty for a reason that the file shows: a schema allows it, or a
// filter may select nothing.
func (c *checker) mayBeEmpty(path []string) bool { return c.emptyBelow(path, 0) }

func (c *checker) emptyBelow(path []string, depth int) bool {
	if len(path) == 0 || depth > mostOrigins {
		return false
	}
	i, isNode := c.index[path[0]]
	if !isNode {
		return false
	}
	node := c.graph.Nodes[i]
	if t, isTransform := node.(*graph.Transform); isTransform {
		return c.selectsNothing(t.Expr.Tree(), depth)
	}
	if call := graph.CallingOf(node); call != nil && call.ForEach != nil {
		return c.selectsNothing(call.ForEach.Items.Tree(), depth)
	}
	return emptyAt(c.outputs[i].done, path[1:])
}

// selectsNothing reports whether an expression filters the list that it gives, or gives one that may be empty.
func (c *checker) selectsNothing(t *jsonata.Tree, depth int) bool {
	if depth > mostOrigins {
		return false
	}
	inside := func(t *jsonata.Tree) bool { return c.selectsNothing(t, depth+1) }
	switch t.Kind {
	case jsonata.BlockKind:
		return len(t.Parts) > 0 && inside(&t.Parts[len(t.Parts)-1])
	case jsonata.ArrayKind:
		return len(t.Parts) == 1 && inside(&t.Parts[0])
	case jsonata.KeepKind, jsonata.SortKind:
		return inside(&t.Parts[0])
	case jsonata.OperatorKind:
		return t.Text == "??" && (inside(&t.Parts[0]) || inside(&t.Parts[1]))
	case jsonata.ConditionalKind:
		return inside(&t.Parts[1]) || len(t.Parts) > 2 && inside(&t.Parts[2])
	case jsonata.CallKind:
		name := t.Parts[0].Text
		return name == "filter" || slices.Contains([]string{"map", "sort", "distinct", "reverse"}, name) && len(t.Parts) > 1 && inside(&t.Parts[1])
	case jsonata.PredicateKind:
		switch by := &t.Parts[len(t.Parts)-1]; by.Kind {
		case jsonata.NumberKind, jsonata.VariableKind:
			return false
		case jsonata.ArrayKind:
			return inside(&t.Parts[0])
		default:
			return by.Kind != jsonata.OperatorKind || len(by.Parts) == 2 // no negative index
		}
	case jsonata.PathKind:
		if slices.ContainsFunc(t.Parts[1:], func(step jsonata.Tree) bool { return step.Kind == jsonata.PredicateKind && inside(&step) }) {
			return true
		}
		return c.emptyBelow(leading(t), depth+1)
	}
	return false
}

// missesList reports whether a part calls a function that has no value without a list, or for an empty one, for a list that may be empty and that no
// switch asks for.
func (c *checker) missesList(t *jsonata.Tree) bool {
	return t.Kind == jsonata.CallKind && len(t.Parts) > 1 && slices.Contains([]string{"sum", "join", "max", "min", "average", "reduce"}, t.Parts[0].Text) &&
		c.selectsNothing(&t.Parts[1], 0) && !c.asksForPath(&t.Parts[1])
}

// emptyAt reports whether the first list on a path through a shape may be empty.
func emptyAt(s shape.Shape, path []string) bool {
	for ; !s.MayBeEmpty(); path = path[1:] {
		if s.IsAny() || len(path) == 0 || s.IsList() {
			return false
		}
		s = s.Field(path[0])
	}
	return true
}
