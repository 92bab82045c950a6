package flow

import (
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/graph"
)

// again warns of a tool that calls itself with the arguments that it has, where its switches read nothing else: each call decides
// as the one before, so that they end at maxDepth.
func (c *checker) again(call graph.Node, defined *config.Node) {
	n, isGraph := call.(*graph.SubGraph)
	if !isGraph || n.Graph != c.graph || n.ForEach != nil || defined.Args == nil {
		return
	}
	for i, key := range defined.Args.Keys {
		d := defined.Args.Items[i]
		at := slices.IndexFunc(n.Args.Expressions(), func(e *graph.Expr) bool { return e.Text.Pos == d.Expr.Pos })
		if d.Kind != config.KindExpression || at < 0 {
			return
		}
		tree := n.Args.Expressions()[at].Tree()
		if tree == nil || !slices.Equal(names(tree), []string{c.graph.Entry.ID(), key.Value}) {
			return
		}
	}
	fixed := map[int]bool{c.index[c.graph.Entry.ID()]: true}
	for i, node := range c.graph.Nodes {
		if _, isSwitch := node.(*graph.Switch); isSwitch && !slices.ContainsFunc(c.reads[i], func(r reads) bool { return !c.fixedReads(r, fixed) }) {
			continue
		} else if isSwitch {
			return
		}
	}
	c.found.Warn(defined.Args.Pos, "endless-recursion",
		fmt.Sprintf("tool %q calls itself with the arguments that it has, and its switches read nothing else: each call decides as the one before", n.Tool),
		"give it other arguments, such as one that counts down")
}

// fixedReads reports whether all that is read depends on the arguments alone; known has what was found of nodes.
func (c *checker) fixedReads(r reads, known map[int]bool) bool {
	return !r.open && len(r.past) == 0 && !slices.ContainsFunc(r.nodes, func(node int) bool {
		fixed, seen := known[node]
		if t, isTransform := c.graph.Nodes[node].(*graph.Transform); !seen && isTransform && t.OnError == nil {
			known[node] = false // it reads itself
			fixed = c.fixedReads(c.reads[node][0], known)
			known[node] = fixed
		}
		return !fixed
	})
}
