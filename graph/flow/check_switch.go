package flow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/wording"
)

// conditions tells of conditions of a switch that can never decide anything: because of
// the conditions before them, or of what they compare.
func (c *checker) conditions(ctx context.Context, node int, s *graph.Switch) {
	var before facts
	for i, cond := range s.Conditions {
		t := c.terms[node][i]
		if _, constant := cond.Rule.Constant(); constant {
			continue // the graph has told
		}
		if before.decide(t) == no {
			c.found.Warn(cond.Rule.Data.Pos, "unreachable-condition",
				fmt.Sprintf("condition %d of switch %q never holds: a condition before it holds whenever this one would", i+1, s.ID()),
				"put the narrower condition first, or remove it")
		} else {
			c.comparisons(ctx, node, i, t)
			c.missing(node, cond.Rule, t)
		}
		before = before.assume(t, false)
	}
}

// comparisons tells of each comparison in a rule with what its other side can never be.
func (c *checker) comparisons(ctx context.Context, node, number int, t *term) {
	for _, part := range t.parts {
		c.comparisons(ctx, node, number, part)
	}
	if t.op != "equal" {
		return
	}
	given, known := c.operand(ctx, node, number, t)
	if !known || canEqual(given, t) {
		return
	}
	hint := ""
	if word, isText := t.constant.(string); isText {
		if near := wording.Nearest(word, given.Words()); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
	}
	c.found.Warn(t.at.Pos, "constant-condition",
		fmt.Sprintf("found %s, which is never equal to what it is compared with: expected %s", t.at.JSON(), given), hint)
}

// missing tells of comparisons with the output of a node that may not have run: null is
// compared then. Asking for the node in the same rule makes up for it, and so does a
// loop that the node is a part of: in its first turn nobody expects it.
func (c *checker) missing(node int, r *graph.Rule, t *term) {
	var asked reads
	for _, leaf := range t.leaves() {
		if leaf.op == "holds" {
			asked.join(leaf.reads)
		}
	}
	for _, leaf := range t.leaves() {
		if leaf.op == "holds" || isEmpty(leaf.constant) {
			continue
		}
		for _, ref := range r.References() {
			if len(ref.Var) < len(leaf.path) || !slices.Equal(ref.Var[:len(leaf.path)], leaf.path) || ref.Body || ref.Function != "" {
				continue
			}
			text := r.Data.At(ref.Var...).Text
			read, known := c.index[ref.Path[0]]
			if !known || !isPlainPath(text.Value) || slices.Contains(asked.nodes, read) || c.binding(node, read).Presence != shape.Maybe || c.onlyFirstTurn(node, read) {
				continue
			}
			i := slices.IndexFunc(c.worlds[node].list, func(w *world) bool { return w.presence(read) != shape.Always })
			c.faulty[node] = true
			c.found.Warn(text.At(ref.Offset), "maybe-missing",
				fmt.Sprintf("node %q may not have run when this is compared, which is null then%s", ref.Path[0], c.by(c.worlds[node].list[i])),
				fmt.Sprintf("ask first: {\"!!\": {\"var\": %q}}", ref.Path[0]))
		}
	}
}

// isEmpty tells whether null may well be meant to compare with a constant.
func isEmpty(constant any) bool { return constant == "" || constant == 0.0 || constant == false }

// onlyFirstTurn tells whether two nodes are of one loop, in which the other node comes
// after this one: what is missing is so in the first turn only.
func (c *checker) onlyFirstTurn(node, other int) bool {
	for _, w := range c.worlds[node].list {
		if w.presence(node) != w.presence(other) || w.presence(node) == shape.Maybe {
			return false
		}
	}
	return true
}

// operand is the shape of the var that a rule compares; not known for anything else.
func (c *checker) operand(ctx context.Context, node, number int, t *term) (given shape.Shape, known bool) {
	if t.left.Kind != config.KindObject || len(t.left.Keys) != 1 || t.left.Keys[0].Value != "var" {
		return given, false
	}
	path, isText := t.left.Items[0].Scalar.(string)
	e, err := jsonata.Compile(ctx, path)
	if !isText || err != nil {
		return given, false
	}
	var all []shape.Shape
	for _, w := range c.distinct(node, number) {
		env, _ := c.env(w, number)
		one, found := shape.Infer(ctx, e, env)
		if len(found) > 0 {
			return given, false // that is told, and what follows of it is not
		}
		all = append(all, one)
	}
	return shape.Union(all...), true
}

// canEqual tells whether a value of a shape may equal the constant of a comparison,
// which unless strict takes "1", 1 and [1] for the same.
func canEqual(given shape.Shape, t *term) bool {
	if given.Has(value.FromPlain(t.constant)) {
		return true
	}
	if t.strict {
		return false
	}
	for _, other := range []shape.Shape{shape.Number(), shape.Boolean(), shape.String(), shape.Array(shape.Any()), shape.Object(nil, true)} {
		if _, differ := other.Conflict(given); differ || sameKind(other, t.constant) {
			continue
		}
		return true
	}
	return false
}

// sameKind tells whether constants of the shape are compared as they are.
func sameKind(s shape.Shape, constant any) bool {
	return s.Has(value.FromPlain(constant))
}

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
