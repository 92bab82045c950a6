package graph

import (
	"slices"
	"strings"
	"time"

	"toolgraph/config"
	"toolgraph/expressions"
)

// Steps runs the steps of a tool, or of a block: each as soon as what it reads has ended. Of a block, it
// has no Next.
type Steps struct {
	step
	Block []*Step // in file order
	// Return makes the value; nil: it is that of the last step.
	Return  *Expr
	Returns []int    // the steps that Return reads
	OnError *OnError // of a block; nil: a failure is that of the block around it
}

// Type returns config.StepsNode.
func (*Steps) Type() config.NodeType { return config.StepsNode }

// Step is one step of a Steps.
type Step struct {
	ID   string // unique in its block and the blocks around it
	Node Node   // what is done: *MCP, *SubGraph, *Transform, *Ask or *Steps, without Next and ForEach; its id is the path of the step, as users.lookup

	If, Each, Key, Until *Expr    // nil: none
	As                   string   // the variable of an item; empty: item
	MaxParallel          int      // items at the same time; 0: the default
	Repeat               *Repeat  // nil: once
	OnError              *OnError // also of Node, unless the step repeats it
	Needs                []int    // the steps of the same block, all of them above, that it reads or names in after
	After                []int    // those of Needs that it names in after and does not read
}

// Reads reports whether the step reads another step of its block, by the place of that.
func (s *Step) Reads(i int) bool { return slices.Contains(s.Needs, i) && !slices.Contains(s.After, i) }

// HasParts reports whether the executions of the step have parts: items or turns. An expression for each item has none.
func (s *Step) HasParts() bool {
	_, isExpr := s.Node.(*Transform)
	return s.Repeat != nil || s.Each != nil && !isExpr
}

// Repeat runs the node of a step until a condition holds.
type Repeat struct {
	Until   *Expr
	Times   int
	Delay   time.Duration // between two turns
	Collect bool          // the value is the list of all results
}

// Item returns the name of the variable of an item, without $.
func (s *Step) Item() string {
	if s.As == "" {
		return "item"
	}
	return s.As
}

// Steps returns the steps of a tool that is written as steps; nil for one of nodes, and for a nil graph.
func (g *Graph) Steps() *Steps {
	if g == nil {
		return nil
	}
	s, _ := g.Node(config.StepsID).(*Steps)
	return s
}

// IsStepID reports whether a step can have an id: expressions read it as a name, and as that of a step.
func IsStepID(id string) bool { return isPlain(id) && !isReserved(id) && id != ArgsName }

// InSteps returns a finding about a step in the words of steps, which are no nodes and are read by their names alone.
func InSteps(d config.Diagnostic) config.Diagnostic {
	d.Message = strings.ReplaceAll(d.Message, "node \"", "step \"")
	d.Message = strings.TrimPrefix(d.Message, "$.")
	d.Hint = strings.NewReplacer("$exists($.", "$exists(", "default: $.", "default: ", "the node's output is", "the step's value is", "at the node", "at the step").Replace(d.Hint)
	return d
}

// StepGraphs returns the graphs that a run of this one can enter and that are written as steps, each once. The caller must
// not change the slice.
func (g *Graph) StepGraphs() []*Graph { return g.stepGraphs }

// EachStep calls f with every step of the block and of the blocks in it, in file order; nil has none.
func (n *Steps) EachStep(f func(*Step)) {
	if n == nil {
		return
	}
	for _, s := range n.Block {
		f(s)
		if inner, isBlock := s.Node.(*Steps); isBlock {
			inner.EachStep(f)
		}
	}
}

// StepAt returns the step of an execution by its node and its part; nil for what is no step, and for a nil graph.
func (g *Graph) StepAt(id, part string) *Step {
	if s := g.Steps(); s != nil && id == config.StepsID {
		return s.Step(part)
	}
	return nil
}

// ItemAt returns the name of the variable, without $, of the innermost item that an execution is or is in, by its node and
// its part; empty for none.
func (g *Graph) ItemAt(id, part string) (variable string) {
	if id != config.StepsID {
		if part != "" && part[0] >= '0' && part[0] <= '9' {
			return expressions.VarItem
		}
		return ""
	}
	for i := range len(part) {
		if before, isItem := strings.CutSuffix(part[:i], "."); isItem && part[i] >= '0' && part[i] <= '9' {
			if step := g.StepAt(id, before); step != nil {
				variable = step.Item()
			}
		}
	}
	return variable
}

// Step returns the step at a path of ids, items and turns, such as users.3.lookup@2: the step of the last
// id; nil when there is none.
func (n *Steps) Step(path string) *Step {
	var found *Step
	for _, id := range config.StepIDs(path) {
		if n == nil {
			return nil
		}
		var next *Step
		for _, s := range n.Block {
			if s.ID == id {
				next = s
			}
		}
		if next == nil {
			return nil
		}
		found = next
		n, _ = next.Node.(*Steps)
	}
	return found
}
