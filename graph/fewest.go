package graph

// Costs are what runs of graphs need at least, in executions, parts and called graphs included, or in calls to servers. A list of a
// forEach may be empty, a call that is caught may fail early, and an answer may be in the cache.
type Costs struct {
	inCalls bool
	known   map[*Graph]int // 0 while it is being found: another way out of the recursion is counted
}

// NewCosts returns costs in calls to servers, or in executions.
func NewCosts(inCalls bool) *Costs { return &Costs{inCalls: inCalls, known: map[*Graph]int{}} }

// Least returns the cost of the cheapest run of a graph that reaches its exit; 0 when none does.
func (c *Costs) Least(g *Graph) int {
	if g == nil {
		return 0
	}
	if least, known := c.known[g]; known {
		return least
	}
	c.known[g] = 0
	if exit := exitOf(g); exit != nil {
		c.known[g] = costs(g.Entry, c.prices(g), targets)[exit]
	}
	return c.known[g]
}

// Dearest returns the node whose runs cost most, and the cost of the cheapest run that comes to it and reaches the exit; nil when
// no run does.
func (c *Costs) Dearest(g *Graph) (dearest Node, least int) {
	exit := exitOf(g)
	if exit == nil {
		return nil, 0
	}
	sources := map[Node][]Node{}
	for _, n := range g.Nodes {
		for _, to := range targets(n) {
			sources[to] = append(sources[to], n)
		}
	}
	price := c.prices(g)
	to, back := costs(g.Entry, price, targets), costs(exit, price, func(n Node) []Node { return sources[n] })
	for _, n := range g.Nodes {
		before, reached := to[n]
		after, ends := back[n]
		if sum := before + after - price[n]; reached && ends && sum > least {
			dearest, least = n, sum
		}
	}
	return dearest, least
}

func exitOf(g *Graph) Node {
	for _, n := range g.Nodes {
		if _, isExit := n.(*Exit); isExit {
			return n
		}
	}
	return nil
}

// prices returns what an execution of each node costs at least.
func (c *Costs) prices(g *Graph) map[Node]int {
	price := make(map[Node]int, len(g.Nodes))
	for _, n := range g.Nodes {
		price[n] = c.price(n)
	}
	return price
}

func (c *Costs) price(n Node) int {
	own := 1
	if c.inCalls {
		own = 0
	}
	switch n := n.(type) {
	case *MCP:
		if c.inCalls && n.ForEach == nil && n.Cache == 0 {
			return 1
		}
	case *SubGraph:
		if n.ForEach == nil && n.OnError == nil {
			own += c.Least(n.Graph)
		}
	case *Parallel:
		for _, b := range n.Branches {
			own += c.price(b.Node)
		}
	case *Steps:
		if n.OnError == nil {
			for _, s := range n.Block {
				own += c.stepPrice(s)
			}
		}
	case *Entry, *Ask, *Transform, *Switch, *Exit:
	}
	return own
}

// stepPrice returns what a step costs at least: it may be left out, its list may be empty, and a failure
// that is caught may come before its call.
func (c *Costs) stepPrice(s *Step) int {
	switch {
	case s.Each == nil && s.If == nil && s.OnError == nil:
		return c.price(s.Node)
	case c.inCalls:
		return 0
	}
	return 1
}

// costs returns what the cheapest way from a node to each other costs, both included.
func costs(from Node, price map[Node]int, next func(Node) []Node) map[Node]int {
	cost := map[Node]int{from: price[from]}
	for queue := []Node{from}; len(queue) > 0; queue = queue[1:] {
		for _, to := range next(queue[0]) {
			sum := cost[queue[0]] + price[to]
			if known, seen := cost[to]; !seen || sum < known {
				cost[to] = sum
				queue = append(queue, to)
			}
		}
	}
	return cost
}
