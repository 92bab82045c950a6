package flow

import (
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// askedLate reports a condition of a switch that leads to a call which requires an item of a list, though only a later condition of the same
// switch asks whether the list has one.
func (c *checker) askedLate(node int, s *graph.Switch) {
	for later := 1; later < len(s.Conditions); later++ {
		for _, ref := range s.Conditions[later].Rule.References() {
			if len(ref.Path) < 2 || ref.Body || ref.Function != "" || !c.mayBeEmpty(ref.Path) {
				continue
			}
			for k, condition := range s.Conditions[:later] {
				if c.readsOutput(node, k, ref.Path[0]) {
					break // it may ask for the same in another way
				}
				if at, text := c.requiresItem(node, c.index[condition.Next.ID()], ref.Path); at != "" {
					c.found.Warn(condition.Rule.Data.Pos, "maybe-missing", fmt.Sprintf("condition %d of switch %q leads to node %q, which requires %s, before condition %d asks whether there is one", k+1, s.ID(), at, text, later+1),
						fmt.Sprintf("put condition %d first", later+1))
					return
				}
			}
		}
	}
}

// readsOutput reports whether a condition of a switch reads the output of a node.
func (c *checker) readsOutput(node, condition int, id string) bool {
	r := c.reads[node][condition]
	return r.open || slices.Contains(r.nodes, c.index[id])
}

// requiresItem returns the id of a call that requires an item of a list, by its inputSchema, and the expression; from is where runs leave a
// switch. Behind another switch that reads what has the list it is not looked for.
func (c *checker) requiresItem(without, from int, list []string) (id, text string) {
	seen := newSet(len(c.graph.Nodes))
	for todo := []int{from}; len(todo) > 0; {
		i := todo[0]
		todo = todo[1:]
		if i == without || seen.has(i) || i == c.index[list[0]] {
			continue
		}
		seen.add(i)
		if s, isSwitch := c.graph.Nodes[i].(*graph.Switch); isSwitch {
			asks := false
			for k := range s.Conditions {
				asks = asks || c.readsOutput(i, k, list[0])
			}
			if asks {
				continue
			}
		}
		calls, defined := callsOf(c.graph, i)
		for k, call := range calls {
			if text := c.requiredItem(i, call, defined[k], list); text != "" {
				return call.ID(), text
			}
		}
		todo = append(todo, c.departures[i]...)
	}
	return "", ""
}

// requiredItem returns the expression of a required argument that is an item of a list, or a part of one.
func (c *checker) requiredItem(node int, call graph.Node, defined *config.Node, list []string) string {
	a, _ := c.argsOf(call, defined)
	if a.root == nil || a.handled {
		return ""
	}
	for _, use := range c.uses[node] {
		if use.call != call || use.at != inArgs || a.required[use.expr.Text.Pos] == "" || use.expr.Tree() == nil {
			continue
		}
		if t := lastOf(use.expr.Tree()); indexes(t) {
			if path := pickedNames(t); len(path) >= len(list) && slices.Equal(path[:len(list)], list) {
				return wording.Truncate(use.expr.Text.Value, 60)
			}
		}
	}
	return ""
}

// indexes reports whether a path has a step with a number in [ ].
func indexes(t *jsonata.Tree) bool {
	return t.Kind == "predicate" && isPosition(&t.Parts[len(t.Parts)-1]) ||
		t.Kind == "path" && slices.ContainsFunc(t.Parts, func(step jsonata.Tree) bool { return indexes(&step) })
}
