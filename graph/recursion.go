package graph

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
)

// ending is what is known of the runs of a graph so far.
type ending struct {
	finishes bool // a run can reach the exit
	ends     bool // a run can reach the exit, or fail in a way that an onError takes
}

// endings finds which graphs have runs that end before they call themselves. What is found for
// one graph is a reason for others, so that it goes round until nothing is new.
type endings map[*Graph]ending

func endingsOf(graphs []*Graph) endings {
	known := endings{}
	for again := true; again; {
		again = false
		for _, g := range graphs {
			if g == nil || known[g].finishes {
				continue
			}
			if now := known.of(g); now != known[g] {
				known[g], again = now, true
			}
		}
	}
	return known
}

// of returns the ending of a graph by what is known of those that it calls.
func (known endings) of(g *Graph) ending {
	var e ending
	known.walk(g, func(n Node, passes bool) {
		_, isExit := n.(*Exit)
		e.finishes = e.finishes || isExit
		e.ends = e.ends || isExit || known.canFail(n)
	})
	return e
}

// canFail reports whether a node can fail in a way that an onError takes, before a call that does
// not end.
func (known endings) canFail(n Node) bool {
	switch n := n.(type) {
	case *MCP, *Ask, *Transform:
		return true
	case *SubGraph:
		return known[n.Graph].ends || len(n.Args.Expressions()) > 0
	case *Parallel:
		return slices.ContainsFunc(n.Branches, func(b Branch) bool { return known.canFail(b.Node) })
	case *Steps:
		return slices.ContainsFunc(n.Block, func(s *Step) bool { return known.canFail(s.Node) })
	case *Entry, *Switch, *Exit:
	}
	return false
}

// walk visits the nodes that a run can reach without a call that does not end, and says of each
// whether the run can go on from it.
func (known endings) walk(g *Graph, visit func(n Node, passes bool)) {
	seen := map[Node]bool{g.Entry: true}
	for todo := []Node{g.Entry}; len(todo) > 0; todo = todo[1:] {
		passes := known.blocking(todo[0]) == nil
		visit(todo[0], passes)
		if !passes {
			continue
		}
		for _, next := range targets(todo[0]) {
			if !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
}

// blocking returns the call by which no run gets past a node, or nil. A list may be empty; and an
// onError goes on after a call that fails before it calls further.
func (known endings) blocking(n Node) *SubGraph {
	switch n := n.(type) {
	case *SubGraph:
		if n.ForEach != nil || n.Graph == nil || known[n.Graph].finishes || n.OnError != nil && known.canFail(n) {
			return nil
		}
		return n
	case *Parallel:
		for _, b := range n.Branches {
			if call := known.blocking(b.Node); call != nil {
				return call
			}
		}
	case *Steps:
		if n.OnError != nil && known.canFail(n) {
			return nil
		}
		for _, s := range n.Block {
			if s.If != nil || s.Each != nil || s.OnError != nil && known.canFail(s.Node) {
				continue
			}
			if call := known.blocking(s.Node); call != nil {
				return call
			}
		}
	case *Entry, *MCP, *Ask, *Transform, *Switch, *Exit:
	}
	return nil
}

// checkRecursion reports tools that call themselves, by any way round, on every way to their
// exit. Each ring is reported once, at the call in the tool that is first in the file.
func checkRecursion(graphs []*Graph, found *config.Diagnostics) {
	known := endingsOf(graphs)
	reported := map[*Graph]bool{}
	for _, g := range graphs {
		if g == nil || known[g].finishes {
			continue
		}
		var ring []*SubGraph // the calls, each in the graph that the one before calls
		var in []*Graph
		for at := g; at != nil && !slices.Contains(in, at); {
			call := known.stuck(at)
			if call == nil {
				break
			}
			in, ring = append(in, at), append(ring, call)
			at = call.Graph
		}
		if len(ring) == 0 {
			continue
		}
		first := slices.Index(in, ring[len(ring)-1].Graph)
		if first < 0 || reported[in[first]] {
			continue
		}
		for _, of := range in[first:] {
			reported[of] = true
		}
		addRecursion(in[first:], ring[first:], found)
	}
}

// stuck returns the first call in file order that keeps the runs of a graph from ending.
func (known endings) stuck(g *Graph) *SubGraph {
	var first *SubGraph
	at := len(g.Nodes)
	known.walk(g, func(n Node, passes bool) {
		if !passes && n.core().index < at {
			first, at = known.blocking(n), n.core().index
		}
	})
	return first
}

func addRecursion(tools []*Graph, calls []*SubGraph, found *config.Diagnostics) {
	first := 0 // in the file
	for i, g := range tools {
		if before(g.Tool.Pos, tools[first].Tool.Pos) {
			first = i
		}
	}
	name := tools[first].Tool.Name.Value
	message := fmt.Sprintf("tool %q always calls itself, by node %q: no way to its exit avoids the call", name, calls[first].ID())
	if len(tools) > 1 {
		var names []string
		for i := range tools {
			names = append(names, tools[(first+i)%len(tools)].Tool.Name.Value)
		}
		const most = 6
		if len(names) > most {
			names = append(names[:most:most], "…")
		}
		message = fmt.Sprintf("tools always call each other: %s → %s; no way to their exits avoids the calls", strings.Join(names, " → "), name)
	}
	found.Add(calls[first].toolPos, "endless-recursion", message, "let a switch go around the call, or give it a forEach, whose list may be empty")
}

func before(a, b config.Pos) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
}
