package graphtest

import (
	"context"
	"fmt"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/graph"
)

// Coverage is what of graphs the cases have reached. The zero value has seen nothing.
type Coverage struct {
	seen  map[string]*reached // by graph file and tool
	order []string
}

// ToolCoverage is what of one graph was reached.
type ToolCoverage struct {
	File       string  `json:"file"` // the graph file
	Tool       string  `json:"tool"`
	Nodes      Reached `json:"nodes"`
	Edges      Reached `json:"edges"`
	Conditions Reached `json:"conditions"` // ways out of switches, their defaults among them
}

// Reached is how many of something were reached, and which were not, in file order.
type Reached struct {
	Count   int      `json:"reached"`
	Of      int      `json:"of"`
	Missing []string `json:"missing,omitempty"`
}

// reached is what of one graph was reached.
type reached struct {
	file  string
	graph *graph.Graph
	nodes map[string]bool
	edges map[int]bool // by their place in graph.Edges
}

// Add counts what the cases of a report have reached.
func (c *Coverage) Add(r *Report) {
	if c.seen == nil {
		c.seen = map[string]*reached{}
	}
	for _, g := range r.Graphs {
		c.of(r.Suite.Graph, g)
	}
	for _, result := range r.Results {
		if result.graph != nil {
			c.of(r.Suite.Graph, result.graph).add(result.Records)
		}
	}
}

func (c *Coverage) of(file string, g *graph.Graph) *reached {
	key := file + "\x00" + g.Tool.Name.Value
	if c.seen[key] == nil {
		c.seen[key] = &reached{file: file, graph: g, nodes: map[string]bool{}, edges: map[int]bool{}}
		c.order = append(c.order, key)
	}
	return c.seen[key]
}

// Tools is the coverage of each graph, in the order in which they were added.
func (c *Coverage) Tools() []ToolCoverage {
	tools := make([]ToolCoverage, 0, len(c.order))
	for _, key := range c.order {
		tools = append(tools, c.seen[key].coverage())
	}
	return tools
}

func (r *reached) add(records []execution.Record) {
	edges := r.graph.Edges()
	for i, record := range records {
		r.nodes[record.NodeID] = true
		if i == len(records)-1 {
			break // the exit, or where the run was ended
		}
		from := record.NodeID
		choice, isSwitch := r.graph.Node(from).(*graph.Switch)
		taken := -1
		if isSwitch {
			taken = way(choice, records[:i], record)
		}
		at := 0 // among the edges of this node
		for e, edge := range edges {
			if edge.From != from {
				continue
			}
			if !isSwitch || at == taken {
				r.edges[e] = true
			}
			at++
		}
	}
}

// way is which way out of a switch a run took: the place of the condition, or their
// number for the default. The record tells only the node, to which several may lead;
// then the rules are asked again, over what they saw.
func way(choice *graph.Switch, before []execution.Record, record execution.Record) int {
	var possible []int
	for i, c := range choice.Conditions {
		if c.Next.ID() == record.Output {
			possible = append(possible, i)
		}
	}
	if choice.Default.ID() == record.Output {
		possible = append(possible, len(choice.Conditions))
	}
	if len(possible) > 1 {
		scope := execution.ScopeOf(before)
		for _, i := range possible[:len(possible)-1] {
			if i == len(choice.Conditions) {
				break
			}
			if holds, err := choice.Conditions[i].Rule.Holds(context.Background(), scope); err == nil && holds {
				return i
			}
		}
	}
	if len(possible) == 0 {
		return -1
	}
	return possible[len(possible)-1]
}

func (r *reached) coverage() ToolCoverage {
	c := ToolCoverage{File: r.file, Tool: r.graph.Tool.Name.Value}
	for _, n := range r.graph.Nodes {
		c.Nodes.count(r.nodes[n.ID()], at(n.Pos(), fmt.Sprintf("node %q", n.ID())))
	}
	for i, e := range r.graph.Edges() {
		name := fmt.Sprintf("%s → %s", e.From, e.To)
		if e.Label != "" {
			name += " (" + e.Label + ")"
		}
		name = at(r.graph.Node(e.From).Pos(), name)
		c.Edges.count(r.edges[i], name)
		if e.Kind != graph.NextEdge {
			c.Conditions.count(r.edges[i], name)
		}
	}
	return c
}

func at(pos config.Pos, what string) string { return pos.String() + ": " + what }

func (r *Reached) count(reached bool, name string) {
	r.Of++
	if reached {
		r.Count++
	} else {
		r.Missing = append(r.Missing, name)
	}
}
