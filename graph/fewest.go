package graph

// Fewest returns the fewest executions, parts and called graphs included, and the fewest calls to servers of a run that
// reaches the exit. Both are 0 when none does. A list of a forEach may be empty, and a call that is caught may fail early.
func (g *Graph) Fewest() (executions, calls int) {
	return cheapest(g, map[*Graph]bool{}, false), cheapest(g, map[*Graph]bool{}, true)
}

// cheapest returns the cost of the cheapest way to the exit, in calls or in executions; inside has the graphs around it.
func cheapest(g *Graph, inside map[*Graph]bool, inCalls bool) int {
	if g == nil || inside[g] {
		return 0 // another way out of the recursion is counted
	}
	inside[g] = true
	defer delete(inside, g)
	price := make(map[Node]int, len(g.Nodes))
	for _, n := range g.Nodes {
		price[n] = priceOf(n, inside, inCalls)
	}
	cost := map[Node]int{g.Entry: price[g.Entry]}
	for queue := []Node{g.Entry}; len(queue) > 0; queue = queue[1:] {
		for _, next := range targets(queue[0]) {
			sum := cost[queue[0]] + price[next]
			if known, seen := cost[next]; !seen || sum < known {
				cost[next] = sum
				queue = append(queue, next)
			}
		}
	}
	for _, n := range g.Nodes {
		if _, isExit := n.(*Exit); isExit {
			return cost[n]
		}
	}
	return 0
}

// priceOf returns what an execution of a node costs at least.
func priceOf(n Node, inside map[*Graph]bool, inCalls bool) int {
	own := 1
	if inCalls {
		own = 0
	}
	switch n := n.(type) {
	case *MCP:
		if inCalls && n.ForEach == nil && n.Cache == 0 {
			return 1
		}
	case *SubGraph:
		if n.ForEach == nil && n.OnError == nil {
			own += cheapest(n.Graph, inside, inCalls)
		}
	case *Parallel:
		for _, b := range n.Branches {
			own += priceOf(b.Node, inside, inCalls)
		}
	case *Entry, *Ask, *Transform, *Switch, *Exit:
	}
	return own
}
