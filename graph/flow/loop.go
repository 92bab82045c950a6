package flow

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// loops tells of a switch that, once it has gone a certain way, goes it for ever: all
// that way leads back to it, and nothing on it changes what its rules read.
func (c *checker) loops(node int, s *graph.Switch) {
	exit := -1
	for i, n := range c.graph.Nodes {
		if _, isExit := n.(*graph.Exit); isExit {
			exit = i
		}
	}
	for way := 0; way <= len(s.Conditions); way++ {
		to := s.Default
		if way < len(s.Conditions) {
			to = s.Conditions[way].Next
		}
		first := c.index[to.ID()]
		if !slices.Contains(c.arrivals[first], node) {
			continue
		}
		body := c.reachable(first, node)
		if body.has(exit) || !c.leadsBack(body, first, node) {
			continue
		}
		if !c.staysSame(node, way, body) {
			continue
		}
		c.addLoop(s, way, body)
		return
	}
}

// reachable are the nodes to which runs come from a node without coming by another,
// itself included.
func (c *checker) reachable(from, without int) set {
	seen := newSet(len(c.graph.Nodes))
	if from == without {
		return seen
	}
	seen.add(from)
	for todo := []int{from}; len(todo) > 0; {
		i := todo[0]
		todo = todo[1:]
		for _, t := range c.departures[i] {
			if t != without && !seen.has(t) {
				seen.add(t)
				todo = append(todo, t)
			}
		}
	}
	return seen
}

// leadsBack tells whether runs come from the body back to the switch.
func (c *checker) leadsBack(body set, first, node int) bool {
	return first == node || slices.ContainsFunc(c.arrivals[node], body.has)
}

// staysSame tells whether the rules that decide for a way read nothing that changes in
// the body of the loop. A rule that reads nothing at all is the graph's to tell of.
func (c *checker) staysSame(node, way int, body set) bool {
	var all reads
	rules := c.reads[node]
	for i := range min(way+1, len(rules)) {
		all.join(rules[i])
	}
	steady := steadiness{checker: c, node: node, body: body, known: map[int]bool{}}
	return len(all.nodes) > 0 && steady.all(all)
}

// steadiness tells which outputs stay the same in a loop.
type steadiness struct {
	*checker
	node  int // the switch
	body  set
	known map[int]bool // false as well for what is being looked at: it reads itself
}

// all tells whether everything that is read stays the same.
func (s *steadiness) all(r reads) bool {
	inLoop := func(node int) bool { return node == s.node || s.body.has(node) }
	return !r.open && !slices.ContainsFunc(r.past, inLoop) && !slices.ContainsFunc(r.nodes, func(node int) bool { return !s.is(node) })
}

func (s *steadiness) is(node int) bool {
	if node == s.node {
		return false
	}
	if !s.body.has(node) {
		return true
	}
	if steady, known := s.known[node]; known {
		return steady
	}
	s.known[node] = false
	_, isTransform := s.graph.Nodes[node].(*graph.Transform)
	if !isTransform {
		return false
	}
	// What has not run before the first turn is another value in the second.
	for _, w := range s.worlds[s.node].list {
		if w.presence(node) != shape.Always {
			return false
		}
	}
	s.known[node] = s.all(s.reads[node][0])
	return s.known[node]
}

func (c *checker) addLoop(s *graph.Switch, way int, body set) {
	const most = 6
	ids := []string{s.ID()}
	for i, n := range c.graph.Nodes {
		if body.has(i) {
			ids = append(ids, n.ID())
		}
	}
	if len(ids) > most {
		ids = append(ids[:most-1:most-1], "…")
	}
	rule := s.Conditions[min(way, len(s.Conditions)-1)].Rule
	if way == len(s.Conditions) {
		rule = s.Conditions[0].Rule
	}
	to := s.Default
	if way < len(s.Conditions) {
		to = s.Conditions[way].Next
	}
	c.found.Warn(rule.Data.Pos, "endless-loop",
		fmt.Sprintf("once switch %q goes to %q it does so for ever: nothing in the loop (%s) changes what the condition reads",
			s.ID(), to.ID(), strings.Join(ids, ", ")),
		"let the condition read a node of the loop whose output changes, or $executionCount of one")
}
