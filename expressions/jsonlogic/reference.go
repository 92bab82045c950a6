package jsonlogic

import (
	"slices"

	"toolgraph/expressions/jsonata"
)

// note records what a var reads.
func (c *ruleCompiler) note(n *varNode) {
	fromElement := c.bodies > 0 && !n.path.outer
	if !fromElement || !n.simple {
		c.reads = true
	}
	c.place(n)
	where := slices.Clone(c.path)
	add := func(r jsonata.Reference) {
		c.references = append(c.references, Reference{Reference: r, Var: where, Body: fromElement})
	}
	switch {
	case n.simple && len(n.path.steps) > 0:
		steps := n.path.steps
		for i, step := range steps {
			if isIndex(step) {
				steps = steps[:i]
				break
			}
		}
		if len(steps) > 0 {
			add(jsonata.Reference{Path: slices.Clone(steps), Offset: n.path.offset})
		}
	case n.expr != nil:
		for _, r := range n.expr.References() {
			add(r)
		}
		fromElement = false
		for _, r := range n.expr.ContextReferences() {
			add(r)
		}
	}
}
