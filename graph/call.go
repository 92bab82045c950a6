package graph

import (
	"context"
	"slices"
	"time"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/value"
)

// Calling is the part that is common to the nodes that make calls.
type Calling struct {
	Args    *Args
	ForEach *ForEach      // nil: one call
	Timeout time.Duration // MCP: of one attempt, 0 means the server's; SubGraph: of the whole call, 0 means none
	OnError *OnError      // nil: a failure ends the run
	Help    string        // added to the message of a failure
}

// ForEach makes one call for each item of a list.
type ForEach struct {
	Items       *Expr
	MaxParallel int // calls at the same time, at least 1
}

// List evaluates the items, see Expr.List.
func (e *ForEach) List(ctx context.Context, scope *expressions.Scope) ([]value.Value, error) {
	return e.Items.List(ctx, scope)
}

// List evaluates an expression as a list: no value and null are an empty list, and a value that is no list is a
// list of one. The error is a *PlacedError.
func (e *Expr) List(ctx context.Context, scope *expressions.Scope) ([]value.Value, error) {
	v, err := e.Eval(ctx, scope)
	switch items := v.(type) {
	case nil:
		return nil, err
	case []value.Value:
		return items, err
	}
	if v == value.Null {
		return nil, err
	}
	return []value.Value{v}, err
}

// Retry repeats failed calls. Only waits and codes may change after a crash: Until alone is part
// of the graph's hash.
type Retry struct {
	Attempts        int           // in all, the first included
	Delay, MaxDelay time.Duration // Delay: before the second attempt
	Backoff         float64       // each wait is so many times the one before
	Codes           []config.FailureCode
	When            *Expr // nil: all that Codes lets through
	Until           *Expr // nil: the call is not a poll
}

// OnError continues after a failure.
type OnError struct {
	Codes []config.FailureCode // nil: those that are caught by default
	Value *Args                // the output instead; nil: {error: $failure}
	Next  Node                 // nil: the node's own next
	Skip  bool                 // there is no output, and no item in the list

	hasNext bool // the file has a next, which may name no node
}

// Catches reports whether the failure is taken. Nil takes none.
func (o *OnError) Catches(code config.FailureCode) bool {
	switch {
	case o == nil || !code.Catchable():
		return false
	case o.Codes == nil:
		return code.CaughtByDefault()
	}
	return slices.Contains(o.Codes, code)
}

// SubGraph calls another tool of the file, in a frame of the same run.
type SubGraph struct {
	step
	Calling
	Tool  string // its name
	Graph *Graph // of that tool; never nil in a graph that Build returns

	toolPos config.Pos
}

// Type returns config.GraphNode.
func (*SubGraph) Type() config.NodeType { return config.GraphNode }

// Parallel makes several calls at once.
type Parallel struct {
	step
	Branches []Branch // in file order
}

// Type returns config.ParallelNode.
func (*Parallel) Type() config.NodeType { return config.ParallelNode }

// Branch is one call of a Parallel. Its node is an *MCP or a *SubGraph without ForEach, Next and
// OnError.Next, whose id is the id of the Parallel, a dot and the name.
type Branch struct {
	Name string
	Node Node
}

// CallingOf returns the calling part of an *MCP or *SubGraph; nil for other nodes.
func CallingOf(n Node) *Calling {
	switch n := n.(type) {
	case *MCP:
		return &n.Calling
	case *SubGraph:
		return &n.Calling
	case *Entry, *Parallel, *Ask, *Transform, *Switch, *Steps, *Exit:
	}
	return nil
}

// OnErrorOf returns the onError of a node; nil when it has none.
func OnErrorOf(n Node) *OnError {
	switch n := n.(type) {
	case *Transform:
		return n.OnError
	case *Ask:
		return n.OnError
	case *Steps:
		return n.OnError
	case *Entry, *MCP, *SubGraph, *Parallel, *Switch, *Exit:
	}
	if c := CallingOf(n); c != nil {
		return c.OnError
	}
	return nil
}

// Reached returns the graphs that a run of this graph can enter, itself first, each once. The
// slice belongs to the caller.
func (g *Graph) Reached() []*Graph { return Reached([]*Graph{g}) }

// Reached returns the graphs that runs of these graphs can enter, each once: these first, which are
// not nil.
func Reached(from []*Graph) []*Graph {
	all := slices.Clone(from)
	seen := make(map[*Graph]bool, len(all))
	for _, g := range all {
		seen[g] = true
	}
	for i := 0; i < len(all); i++ {
		for _, n := range all[i].CallNodes() {
			if sub, ok := n.(*SubGraph); ok && sub.Graph != nil && !seen[sub.Graph] {
				seen[sub.Graph] = true
				all = append(all, sub.Graph)
			}
		}
	}
	return all
}

// calls reports whether a node of the graph calls another, or the graph itself.
func (g *Graph) calls(other *Graph) bool {
	return slices.ContainsFunc(g.CallNodes(), func(n Node) bool {
		sub, ok := n.(*SubGraph)
		return ok && sub.Graph == other
	})
}

// ReachedTool returns the graph of a tool that a run of this graph can enter: itself for the empty
// name, and nil when there is none. A nil graph has none.
func (g *Graph) ReachedTool(name string) *Graph {
	if g == nil || name == "" {
		return g
	}
	all := g.Reached()
	if i := slices.IndexFunc(all, func(reached *Graph) bool { return reached.Tool.Name.Value == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// NodeAt returns the node of a step, or the branch of a parallel when part names one; nil when the
// graph has none. The number of an item names no other node. A nil graph has no nodes.
func (g *Graph) NodeAt(id, part string) Node {
	if g == nil {
		return nil
	}
	node := g.Node(id)
	if steps, isSteps := node.(*Steps); isSteps && part != "" {
		if s := steps.Step(part); s != nil {
			return s.Node
		}
		return nil
	}
	p, isParallel := node.(*Parallel)
	if !isParallel || part == "" {
		return node
	}
	for _, b := range p.Branches {
		if b.Name == part {
			return b.Node
		}
	}
	return nil
}

// CallNodes returns the nodes that make calls, branches and steps included, in file order: *MCP and
// *SubGraph.
func (g *Graph) CallNodes() []Node {
	var calls []Node
	for _, n := range g.Nodes {
		switch n := n.(type) {
		case *MCP, *SubGraph:
			calls = append(calls, n)
		case *Parallel:
			for _, b := range n.Branches {
				calls = append(calls, b.Node)
			}
		case *Steps:
			n.EachStep(func(s *Step) {
				if CallingOf(s.Node) != nil {
					calls = append(calls, s.Node)
				}
			})
		case *Entry, *Ask, *Transform, *Switch, *Exit:
		}
	}
	return calls
}

// Call is one upstream tool that a graph may call, by itself or by a graph that it calls.
type Call struct {
	Server, Tool string
	Graph        string     // the tool whose graph makes the call; empty for the graph itself
	Node         string     // the first node that makes it, in that graph
	Pos          config.Pos // where that node names the tool
}

// Calls returns the upstream tools that a run of the graph can call, each once: those of its own
// nodes in file order, branches included, then those of the graphs that it calls.
func (g *Graph) Calls() []Call {
	type target struct{ server, tool string }
	var calls []Call
	seen := map[target]bool{}
	for _, of := range g.Reached() {
		name := ""
		if of != g {
			name = of.Tool.Name.Value
		}
		for _, node := range of.CallNodes() {
			m, ok := node.(*MCP)
			if !ok || seen[target{m.Server, m.Tool}] {
				continue
			}
			seen[target{m.Server, m.Tool}] = true
			calls = append(calls, Call{Server: m.Server, Tool: m.Tool, Graph: name, Node: m.id, Pos: m.toolPos})
		}
	}
	return calls
}

// Shortest returns the fewest executions of a run of the graph, parts included: 0 when its exit
// cannot be reached.
func (g *Graph) Shortest() int {
	cost := map[Node]int{g.Entry: 1}
	queue := []Node{g.Entry}
	for len(queue) > 0 {
		node := queue[0]
		queue = queue[1:]
		for _, id := range node.Successors() {
			next := g.Node(id)
			price := cost[node] + 1
			switch n := next.(type) {
			case *Parallel:
				price += len(n.Branches)
			case *Steps:
				price += len(n.Block) // a step that is not run has a record, too
			case *Entry, *MCP, *SubGraph, *Ask, *Transform, *Switch, *Exit:
			}
			if known, seen := cost[next]; !seen || price < known {
				cost[next] = price
				queue = append(queue, next)
			}
		}
	}
	for _, node := range g.Nodes {
		if _, isExit := node.(*Exit); isExit {
			return cost[node]
		}
	}
	return 0
}
