package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// checkShape checks that the tool has one entry and one exit, and that a run can reach every
// node and, from each, the exit. It returns the entry, or nil when the tool has none.
func (c *compiler) checkShape() *Entry {
	entries := c.checkOne(config.EntryNode, "{id: entry, type: entry, next: NODE}")
	exits := c.checkOne(config.ExitNode, "{id: exit, type: exit}")
	next := make([][]int, len(c.nodes))
	for i, node := range c.nodes {
		for _, t := range targets(node) {
			next[i] = append(next[i], t.core().index)
		}
	}
	trapped := false
	if len(exits) > 0 {
		trapped = c.checkEnds(next, exits)
	}
	if len(entries) == 0 {
		return nil
	}
	c.checkReached(next, entries, trapped)
	entry, _ := c.nodes[entries[0]].(*Entry)
	return entry
}

// checkOne reports a missing or a second node of a type, and returns the indexes of those nodes.
func (c *compiler) checkOne(kind config.NodeType, example string) []int {
	var of []int
	for i, n := range c.tool.Nodes {
		if n.Type == kind {
			of = append(of, i)
		}
	}
	name, at := c.tool.Name.Value, orPos(c.tool.Name.Pos, c.tool.Pos)
	if len(of) == 0 {
		first := "exit"
		if len(c.tool.Nodes) > 0 {
			first = cmp.Or(c.tool.Nodes[0].ID.Value, first)
		}
		node := strings.Replace(example, "NODE", config.InFlow(first), 1)
		c.found.Add(at, "no-"+string(kind), fmt.Sprintf("tool %q has no %s node, expected exactly one", name, kind), "add "+example).
			Fixed(config.AddItem("Add the "+string(kind)+" node", at, "nodes", node, kind == config.EntryNode))
		return nil
	}
	first := c.tool.Nodes[of[0]]
	for _, i := range of[1:] {
		n := c.tool.Nodes[i]
		c.found.Add(n.Pos, "second-"+string(kind),
			fmt.Sprintf("node %q is a second %s of tool %q, expected exactly one; the first is %q at %s", n.ID.Value, kind, name, first.ID.Value, first.Pos),
			"remove one of them").Fixed(config.RemoveItem(n.Pos))
	}
	return of
}

// checkReached warns of nodes that no run reaches. It does not while a next that names no node
// may be meant for them.
func (c *compiler) checkReached(next [][]int, entries []int, trapped bool) {
	seen := reach(next, entries)
	for i := range seen {
		if seen[i] && c.loose[i] {
			return
		}
	}
	for i, n := range c.tool.Nodes {
		seen[i] = seen[i] || trapped && n.Type == config.ExitNode
	}
	for _, i := range headsFirst(next, seen) {
		if seen[i] {
			continue
		}
		n := c.tool.Nodes[i]
		message := fmt.Sprintf("node %q is never reached from the entry", n.ID.Value)
		if behind := c.onlyBehind(next, i, seen); len(behind) > 0 {
			message += ", and so are those behind it: " + wording.List(behind)
		}
		c.found.Warn(n.Pos, "unreachable-node", message, "let a node go to it, or remove it").Fixed(config.RemoveItem(n.Pos))
	}
}

// headsFirst returns the nodes that are not seen: first those to which none of them leads.
func headsFirst(next [][]int, seen []bool) []int {
	behind := make([]bool, len(next))
	for i, to := range next {
		for _, t := range to {
			behind[t] = behind[t] || !seen[i] && t != i
		}
	}
	var heads, others []int
	for i := range next {
		switch {
		case seen[i]:
		case behind[i]:
			others = append(others, i)
		default:
			heads = append(heads, i)
		}
	}
	return append(heads, others...)
}

// onlyBehind returns the ids of the nodes that are reached from a node and are not seen yet, and marks them as seen. A node from which
// that node is reached is of a loop with it.
func (c *compiler) onlyBehind(next [][]int, from int, seen []bool) (ids []string) {
	seen[from] = true
	for i, reached := range reach(next, []int{from}) {
		if reached && !seen[i] {
			seen[i] = true
			ids = append(ids, c.tool.Nodes[i].ID.Value)
		}
	}
	return ids
}

// checkEnds reports each loop that a run cannot leave, and whether there are any.
func (c *compiler) checkEnds(next [][]int, exits []int) bool {
	ends := append([]int(nil), exits...)
	for i, loose := range c.loose {
		if loose {
			ends = append(ends, i)
		}
	}
	back := make([][]int, len(next))
	for i, to := range next {
		for _, t := range to {
			back[t] = append(back[t], i)
		}
	}
	canEnd := reach(back, ends)
	loops := traps(next, canEnd)
	for _, loop := range loops {
		c.addTrap(loop)
	}
	return len(loops) > 0
}

func (c *compiler) addTrap(loop []int) {
	n := c.tool.Nodes[loop[0]]
	if len(loop) == 1 {
		c.found.Add(n.Pos, "no-way-to-exit", fmt.Sprintf("node %q only leads to itself, so no exit can be reached from it", n.ID.Value),
			"let it go to another node, or put a switch into the loop")
		return
	}
	names := make([]string, 0, len(loop))
	for _, i := range loop {
		names = append(names, fmt.Sprintf("%q", c.tool.Nodes[i].ID.Value))
	}
	const most = 6
	if len(names) > most {
		names = append(names[:most:most], "…")
	}
	c.found.Add(n.Pos, "no-way-to-exit", fmt.Sprintf("the nodes %s only lead to each other, so no exit can be reached from them", strings.Join(names, ", ")),
		"put a switch into the loop that leaves it")
}

// reach returns for each node whether it is, or can be reached from, one of the given nodes.
func reach(next [][]int, from []int) []bool {
	seen := make([]bool, len(next))
	todo := slices.Clone(from)
	for _, i := range from {
		seen[i] = true
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, t := range next[i] {
			if !seen[t] {
				seen[t] = true
				todo = append(todo, t)
			}
		}
	}
	return seen
}

// traps returns the sets of nodes that lead to each other and to no other node, among the
// nodes from which no end can be reached: these sets keep the others from ending, too. Each
// set and the list of sets are in file order.
func traps(next [][]int, canEnd []bool) [][]int {
	t := &tarjan{next: next, order: make([]int, len(next)), low: make([]int, len(next)), set: make([]int, len(next))}
	for i := range next {
		if !canEnd[i] && t.order[i] == 0 {
			t.visit(i)
		}
	}
	slices.SortFunc(t.closed, slices.Compare)
	return t.closed
}

// tarjan finds strongly connected components by Tarjan's algorithm
// (https://doi.org/10.1137/0201010). It recurses once per node at most; the caps on a file
// bound that to some 10,000 levels.
type tarjan struct {
	next   [][]int
	order  []int // 1-based order of the first visit; 0: not visited
	low    []int // the earliest node on the stack that can be reached
	set    []int // the order of a component's first node; 0: still on the stack, or not visited
	stack  []int
	closed [][]int // the components that no edge leaves
	count  int
}

func (t *tarjan) visit(node int) {
	t.count++
	t.order[node], t.low[node] = t.count, t.count
	at := len(t.stack)
	t.stack = append(t.stack, node)
	for _, to := range t.next[node] {
		if t.order[to] == 0 {
			t.visit(to)
			t.low[node] = min(t.low[node], t.low[to])
		} else if t.set[to] == 0 {
			t.low[node] = min(t.low[node], t.order[to])
		}
	}
	if t.low[node] < t.order[node] {
		return
	}
	component := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	isClosed := true
	for _, n := range component {
		t.set[n] = t.order[node]
	}
	for _, n := range component {
		isClosed = isClosed && !slices.ContainsFunc(t.next[n], func(to int) bool { return t.set[to] != t.order[node] })
	}
	if isClosed {
		slices.Sort(component)
		t.closed = append(t.closed, component)
	}
}
