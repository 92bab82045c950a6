package debug

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// target is a place of a graph at which a run can pause.
type target struct {
	graph *graph.Graph
	node  string
	part  string // a branch; eachItem for the parts of a forEach; the name of a step; else empty
	items bool   // of a step: its items and turns, in place of the step
}

// eachItem follows the id of a node with forEach in the name of its parts: read[].
const eachItem = "[]"

// targetOf finds what a name means in a run of g: a node, NODE[] for each of its parts,
// NODE.BRANCH, or TOOL: and one of them for a tool that the run can call. An exact id goes first.
func targetOf(g *graph.Graph, name string) (*target, error) {
	if t := targetIn(g, name); t != nil {
		return t, nil
	}
	tool, rest, qualified := strings.Cut(name, ":")
	if qualified {
		for _, called := range g.Reached() {
			if called.Tool.Name.Value != tool {
				continue
			}
			if t := targetIn(called, rest); t != nil {
				return t, nil
			}
			return nil, unknownName(called, rest, namesIn(called, ""))
		}
	}
	return nil, unknownName(g, name, NamesOf(g))
}

// targetIn finds a name in one graph; nil when it has none.
func targetIn(g *graph.Graph, name string) *target {
	if g.Node(name) != nil {
		return &target{graph: g, node: name}
	}
	if id, ok := strings.CutSuffix(name, eachItem); ok {
		if c := graph.CallingOf(g.Node(id)); c != nil && c.ForEach != nil {
			return &target{graph: g, node: id, part: eachItem}
		}
	}
	if t := stepIn(g, name); t != nil {
		return t
	}
	for _, node := range g.Nodes {
		p, isParallel := node.(*graph.Parallel)
		if !isParallel {
			continue
		}
		for _, b := range p.Branches {
			if name == p.ID()+"."+b.Name {
				return &target{graph: g, node: p.ID(), part: b.Name}
			}
		}
	}
	return nil
}

// stepIn finds the name of a step, as rows.text, or of its items and turns, as rows[].
func stepIn(g *graph.Graph, name string) (found *target) {
	id, items := strings.CutSuffix(name, eachItem)
	if steps, isSteps := g.Node(config.StepsID).(*graph.Steps); isSteps {
		steps.EachStep(func(s *graph.Step) {
			if s.Node.ID() == id && (!items || s.HasParts()) {
				found = &target{graph: g, node: config.StepsID, part: id, items: items}
			}
		})
	}
	return found
}

// NamesOf returns all names that a breakpoint of a run of g can have: those of its own nodes, then
// those of the tools that it calls.
func NamesOf(g *graph.Graph) (names []string) {
	for i, called := range g.Reached() {
		prefix := ""
		if i > 0 {
			prefix = called.Tool.Name.Value + ":"
		}
		names = append(names, namesIn(called, prefix)...)
	}
	return names
}

func namesIn(g *graph.Graph, prefix string) (names []string) {
	for _, node := range g.Nodes {
		if steps, isSteps := node.(*graph.Steps); isSteps {
			steps.EachStep(func(s *graph.Step) {
				names = append(names, prefix+s.Node.ID())
				if s.HasParts() {
					names = append(names, prefix+s.Node.ID()+eachItem)
				}
			})
			continue
		}
		names = append(names, prefix+node.ID())
		if p, isParallel := node.(*graph.Parallel); isParallel {
			for _, b := range p.Branches {
				names = append(names, prefix+p.ID()+"."+b.Name)
			}
		}
		if c := graph.CallingOf(node); c != nil && c.ForEach != nil {
			names = append(names, prefix+node.ID()+eachItem)
		}
	}
	return names
}

// Knows reports whether a breakpoint of a run of g can have this name.
func Knows(g *graph.Graph, name string) bool {
	_, err := targetOf(g, name)
	return err == nil
}

// unknownName is the error about a name that a graph does not have.
func unknownName(g *graph.Graph, name string, known []string) error {
	tool := g.Tool.Name.Value
	if id, ok := strings.CutSuffix(name, eachItem); ok && g.Node(id) != nil {
		return fmt.Errorf("node %q of tool %q has no forEach; write %s to pause before it", id, tool, id)
	}
	id, branch, _ := strings.Cut(name, ".")
	if p, isParallel := g.Node(id).(*graph.Parallel); isParallel {
		var branches []string
		for _, b := range p.Branches {
			branches = append(branches, b.Name)
		}
		return fmt.Errorf("node %q of tool %q has no branch %q%s", id, tool, branch, wording.Suggest(branch, branches))
	}
	return fmt.Errorf("tool %q has no node %q%s", tool, name, wording.Suggest(name, known))
}

// matches reports whether a step in a frame of g is at the target.
func (t *target) matches(g *graph.Graph, step *execution.Visit) bool {
	if t == nil || t.graph.Tool != g.Tool || t.node != step.NodeID {
		return false
	}
	if step.NodeID == config.StepsID && t.part != "" {
		_, err := strconv.Atoi(step.At().Name()) // the number of an item or a turn
		return step.Part != "" && strings.TrimPrefix(step.Name(), step.Graph+":") == t.part && (err == nil) == t.items
	}
	return t.part == step.Part || t.part == eachItem && step.Part != ""
}

// graphOf is the graph of the frame of a step that is about to run.
func (s *Session) graphOf(next execution.Event) *graph.Graph {
	if next.Graph != nil {
		return next.Graph
	}
	return cmp.Or(s.graph.ReachedTool(next.Step.Graph), s.graph)
}
