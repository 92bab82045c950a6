package graph

import (
	"slices"
	"time"

	"toolgraph/config"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
)

// Graph is one tool: checked, compiled, immutable, safe for concurrent use.
type Graph struct {
	Tool     *config.Tool          // name, schemas, annotations, places
	LimitsAt map[string]config.Pos // the places of the limits that the file or the tool sets, by key
	Limits   config.Limits         // of a run of its own: the file's, each replaced by the tool's own where it has one
	Input    *schema.Schema        // of the arguments
	Output   *schema.Schema        // of the result; nil when the tool has no outputSchema
	Entry    *Entry
	Nodes    []Node // in file order
	Hash     string // lower-case hex of the SHA-256 of the meaning of this graph and of those it calls: formatting and comments do not change it

	// Result makes the value of a run from the executions of the run's own frame, in place of the
	// output of its exit; also what a run that has failed has come to. nil: the output of the exit.
	Result func(executed []Outcome, failed *Problem) value.Value

	Allow []*Allow // of the file, then of the tool: all of them hold; empty: everything is allowed
	Plan  *Plan    // of the graph of a plan; nil for those of files

	Suggested map[string]*Suggested // for arguments of a prompt, by their names; nil: nothing is

	steps      map[Node]*Step // of a chain: what its nodes are
	stepGraphs []*Graph       // see StepGraphs

	Secrets *config.Secrets // of the file: $failure must not show them
	byID    map[string]Node

	Vars      value.Object           // the value of $vars: the constants of the file that defines the tool; nil when it has none
	unsure    []string               // the names of those with a key in { } that has no value: it may have another name
	bound     map[string]value.Value // Vars as a variable
	varsRead  []string               // the names of those that expressions of the graph read, sorted
	varPrefix string                 // of these names in ReadVars
	allVars   value.Value            // what ReadVars returns without other values

	needs func(*Steps) [][]int // of drawings: see Ordered
}

// Outcome is what came of an execution of a node, for Graph.Result.
type Outcome struct {
	Node   string
	Output value.Value // nil: nothing, or the node failed
	Failed *Problem    // also one that an onError has taken; nil: the node finished
	Took   time.Duration
}

// Problem is why a node or a run failed, for Graph.Result.
type Problem struct {
	Node          string // that failed or was about to run; empty: none
	Code, Message string
	Safe          bool // the node's call is safe to repeat, or was not made
}

// Node returns the node with this id, or nil.
func (g *Graph) Node(id string) Node { return g.byID[id] }

// Node is one of *Entry, *MCP, *SubGraph, *Parallel, *Ask, *Transform, *Switch, *Steps, *Exit. A linter reports a type switch
// that lacks one of them.
//
//sumtype:decl
type Node interface {
	ID() string
	Type() config.NodeType
	Pos() config.Pos
	Successors() []string // ids in file order, each once; the caller must not change it
	core() *base
	oneWay() *step // nil for a node that has several ways out, or none
}

type base struct {
	id         string
	pos        config.Pos
	index      int // in Graph.Nodes
	successors []string
}

// ID is unique in the graph.
func (b *base) ID() string { return b.id }

// Pos is the place of the node in the file.
func (b *base) Pos() config.Pos { return b.pos }

// Successors returns the ids of the nodes that a run can go to from this one.
func (b *base) Successors() []string { return b.successors }

func (b *base) core() *base   { return b }
func (*base) oneWay() *step   { return nil }
func (s *step) oneWay() *step { return s }

// step is the part that is common to nodes with one way out.
type step struct {
	base
	Next Node
}

// Entry receives the tool's arguments.
type Entry struct{ step }

// Type returns config.EntryNode.
func (*Entry) Type() config.NodeType { return config.EntryNode }

// MCP calls a tool of an upstream server.
type MCP struct {
	step
	Calling
	Server, Tool string
	Retry        *Retry         // nil: one attempt
	OnCrash      config.OnCrash // not part of the graph's hash: it may be added after a crash
	Effect       config.Effect  // the author's word, of the node or of the program; empty when missing
	Cache        time.Duration  // how long an answer is given again; 0: not at all; not part of the hash
	Text         bool           // the value of the call is a text: results of the server says so; not part of the hash
	Confirm      *bool          // whether the user must agree before the call; nil: Allow decides

	toolPos config.Pos
}

// Type returns config.MCPNode.
func (*MCP) Type() config.NodeType { return config.MCPNode }

// ToolPos returns the place where the node names the tool.
func (n *MCP) ToolPos() config.Pos { return n.toolPos }

// Transform yields the value of an expression.
type Transform struct {
	step
	Expr    *Expr
	OnError *OnError // nil: a failure ends the run
}

// Type returns config.TransformNode.
func (*Transform) Type() config.NodeType { return config.TransformNode }

// Switch goes to the first condition that holds, else to Default. A condition that always
// holds becomes the Default, so every Condition has a rule and Default is never nil.
type Switch struct {
	base
	Conditions []Condition
	Default    Node
}

// Type returns config.SwitchNode.
func (*Switch) Type() config.NodeType { return config.SwitchNode }

// Condition is one way out of a switch.
type Condition struct {
	Rule *Rule
	Next Node
}

// Exit ends the run with the output of the node executed before it.
type Exit struct{ base }

// Type returns config.ExitNode.
func (*Exit) Type() config.NodeType { return config.ExitNode }

// EdgeKind says when a run takes an edge.
type EdgeKind string

// The kinds of edges.
const (
	NextEdge      EdgeKind = "next"      // always, or when no other edge is taken
	ErrorEdge     EdgeKind = "error"     // onError takes a failure
	ConditionEdge EdgeKind = "condition" // its rule holds, and no rule before it
	DefaultEdge   EdgeKind = "default"   // no rule of the switch holds
)

// Edge is one way from a node to another.
type Edge struct {
	From  string   `json:"from"`
	To    string   `json:"to"`
	Label string   `json:"label,omitempty"` // short text of the rule, "default", or empty
	Kind  EdgeKind `json:"kind"`
}

// Edges returns all edges in file order. Those of a switch are in the order in which a run
// tries them, the default last.
func (g *Graph) Edges() []Edge {
	edges := make([]Edge, 0, len(g.Nodes))
	for _, node := range g.Nodes {
		for _, w := range ways(node) {
			e := Edge{From: node.ID(), To: w.to.ID(), Kind: w.kind}
			switch w.kind {
			case ConditionEdge:
				e.Label = ruleLabel(w.rule.Data)
			case DefaultEdge:
				e.Label = "default"
			case ErrorEdge:
				e.Label = "error"
			case NextEdge:
			}
			edges = append(edges, e)
		}
	}
	return edges
}

// way is one way out of a node.
type way struct {
	to   Node // nil when the file names a node that does not exist
	kind EdgeKind
	rule *Rule // of a ConditionEdge
}

// ways returns the ways out of a node, in the order in which a run tries them.
func ways(node Node) []way {
	if s := node.oneWay(); s != nil {
		all := []way{{to: s.Next, kind: NextEdge}}
		if o := OnErrorOf(node); o != nil && o.hasNext {
			all = append(all, way{to: o.Next, kind: ErrorEdge})
		}
		return all
	}
	s, isSwitch := node.(*Switch)
	if !isSwitch {
		return nil
	}
	all := make([]way, 0, len(s.Conditions)+1)
	for _, c := range s.Conditions {
		all = append(all, way{to: c.Next, kind: ConditionEdge, rule: c.Rule})
	}
	return append(all, way{to: s.Default, kind: DefaultEdge})
}

// targets returns the nodes that a node leads to, each once, without missing ones.
func targets(node Node) []Node {
	var all []Node
	for _, w := range ways(node) {
		if w.to != nil && !slices.Contains(all, w.to) {
			all = append(all, w.to)
		}
	}
	return all
}
