package graphtest

import (
	"context"
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions"
	"toolgraph/graph"
)

// Coverage counts the parts of graphs that cases have reached. The zero value is empty.
type Coverage struct {
	seen  map[string]*reached // by graph file and tool
	order []string
}

// ToolCoverage is the coverage of one graph.
type ToolCoverage struct {
	File       string  `json:"file"` // the graph file
	Tool       string  `json:"tool"`
	Nodes      Reached `json:"nodes"`
	Edges      Reached `json:"edges"`
	Conditions Reached `json:"conditions"` // of switches, with their defaults
}

// Reached counts the reached parts of one kind; Missing lists the others, in file order.
type Reached struct {
	Count   int      `json:"reached"`
	Of      int      `json:"of"`
	Missing []string `json:"missing,omitempty"`
}

// reached has the reached parts of one graph.
type reached struct {
	file  string
	graph *graph.Graph
	nodes map[string]bool // by id; steps by their path
	left  map[string]bool // steps that were not run, because their if did not hold
	edges map[int]bool    // by their index in graph.Edges
}

// Add adds the parts that the cases of a report have reached.
func (c *Coverage) Add(r *Report) {
	if c.seen == nil {
		c.seen = map[string]*reached{}
	}
	for _, g := range r.Graphs {
		c.of(r.Suite.Graph, g)
	}
	for _, result := range r.Results {
		if result.graph == nil {
			continue
		}
		for _, frame := range framesOf(result) {
			c.of(r.Suite.Graph, frame.graph).add(frame)
		}
	}
}

// frame is what ran of one graph, in the order in which it ran.
type frame struct {
	graph   *graph.Graph
	records []execution.Record // of its nodes
	parts   []execution.Record // of their parts
}

// framesOf returns the frames of a run. Each counts for the tool whose graph it runs.
func framesOf(result *Result) []*frame {
	var frames []*frame
	byAddress := map[execution.Address]*frame{}
	reached := result.graph.Reached()
	for _, r := range result.Records {
		f := byAddress[r.Frame]
		if f == nil {
			f = &frame{graph: result.graph}
			if at := slices.IndexFunc(reached, func(g *graph.Graph) bool { return g.Tool.Name.Value == r.Tool }); at >= 0 {
				f.graph = reached[at]
			}
			byAddress[r.Frame] = f
			frames = append(frames, f)
		}
		if r.Part == "" {
			f.records = append(f.records, r)
		} else {
			f.parts = append(f.parts, r)
		}
	}
	return frames
}

func (c *Coverage) of(file string, g *graph.Graph) *reached {
	key := file + "\x00" + g.Tool.Name.Value
	if c.seen[key] == nil {
		c.seen[key] = &reached{file: file, graph: g, nodes: map[string]bool{}, left: map[string]bool{}, edges: map[int]bool{}}
		c.order = append(c.order, key)
	}
	return c.seen[key]
}

// Tools returns the coverage of each graph, in the order in which they were added.
func (c *Coverage) Tools() []ToolCoverage {
	tools := make([]ToolCoverage, len(c.order))
	for i, key := range c.order {
		tools[i] = c.seen[key].coverage()
	}
	return tools
}

func (r *reached) add(f *frame) {
	for _, part := range f.parts {
		switch {
		case part.Skipped:
			r.left[part.Step()] = true
		case part.NodeID == config.StepsID:
			r.nodes[part.Step()] = true
		case !isItem(&part):
			r.nodes[part.NodeID+"."+part.Part] = true
		}
	}
	edges := r.graph.Edges()
	for i, record := range f.records {
		r.nodes[record.NodeID] = true
		if i == len(f.records)-1 {
			break // the exit, or the end of a failed run
		}
		if e := r.wayOut(edges, f, i); e >= 0 {
			r.edges[e] = true
		}
	}
}

// wayOut returns the index of the edge that a frame took after a record; -1 for none.
func (r *reached) wayOut(edges []graph.Edge, f *frame, i int) int {
	record := f.records[i]
	node := r.graph.Node(record.NodeID)
	way, kind := 0, graph.NextEdge
	if choice, isSwitch := node.(*graph.Switch); isSwitch {
		way, kind = taken(choice, execution.ScopeIn(f.graph, nil, f.records[:i]), record), ""
	} else if caught := graph.OnErrorOf(node); record.Handled != nil && caught != nil && caught.Next != nil {
		kind = graph.ErrorEdge
	}
	for e, edge := range edges {
		if edge.From != record.NodeID || kind != "" && edge.Kind != kind {
			continue
		}
		if way == 0 {
			return e
		}
		way--
	}
	return -1
}

// taken returns the way that a run took out of a switch: the index of the condition, or their
// number for the default; -1 for none. The record has only the next node, to which several ways
// may lead; then the rules are evaluated again, over the same scope.
func taken(choice *graph.Switch, scope *expressions.Scope, record execution.Record) int {
	var possible []int
	for i, c := range choice.Conditions {
		if c.Next.ID() == record.Output {
			possible = append(possible, i)
		}
	}
	if choice.Default.ID() == record.Output {
		possible = append(possible, len(choice.Conditions))
	}
	if len(possible) == 0 {
		return -1
	}
	last := len(possible) - 1
	for _, i := range possible[:last] {
		if holds, err := choice.Conditions[i].Rule.Holds(context.Background(), scope); err == nil && holds {
			return i
		}
	}
	return possible[last]
}

func (r *reached) coverage() ToolCoverage {
	c := ToolCoverage{File: r.file, Tool: r.graph.Tool.Name.Value}
	for _, n := range r.graph.Nodes {
		if steps, isSteps := n.(*graph.Steps); isSteps {
			steps.EachStep(func(s *graph.Step) { r.step(&c, s) })
			continue
		}
		c.Nodes.count(r.nodes[n.ID()], at(n.Pos(), fmt.Sprintf("node %q", n.ID())))
		if p, isParallel := n.(*graph.Parallel); isParallel {
			for _, b := range p.Branches {
				c.Nodes.count(r.nodes[b.Node.ID()], at(b.Node.Pos(), fmt.Sprintf("node %q", b.Node.ID())))
			}
		}
	}
	for i, e := range r.graph.Edges() {
		name := fmt.Sprintf("%s → %s", e.From, e.To)
		if e.Label != "" {
			name += " (" + e.Label + ")"
		}
		name = at(r.graph.Node(e.From).Pos(), name)
		c.Edges.count(r.edges[i], name)
		if e.Kind == graph.ConditionEdge || e.Kind == graph.DefaultEdge {
			c.Conditions.count(r.edges[i], name)
		}
	}
	return c
}

// step counts a step as a node, and its if as two conditions: it was run, and it was not.
func (r *reached) step(c *ToolCoverage, s *graph.Step) {
	id := s.Node.ID()
	c.Nodes.count(r.nodes[id], at(s.Node.Pos(), fmt.Sprintf("step %q", id)))
	if s.If != nil {
		c.Conditions.count(r.nodes[id], at(s.If.Text.Pos, fmt.Sprintf("if of step %q holds", id)))
		c.Conditions.count(r.left[id], at(s.If.Text.Pos, fmt.Sprintf("if of step %q does not hold", id)))
	}
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
