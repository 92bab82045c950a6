package flow

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// conditions reports conditions of a switch that never decide: because of the conditions
// before them, or because of what they compare.
func (c *checker) conditions(ctx context.Context, node int, s *graph.Switch) {
	var before facts
	c.oneWay(node, s)
	for i, cond := range s.Conditions {
		t := c.terms[node][i]
		if _, constant := cond.Rule.Constant(); constant {
			continue // graph.Build reports it
		}
		if before.decide(t) == no {
			c.found.Warn(cond.Rule.Data.Pos, "unreachable-condition",
				fmt.Sprintf("condition %d of switch %q never holds: a condition before it holds whenever this one would", i+1, s.ID()),
				"put the narrower condition first, or remove it").Fixed(config.RemoveItem(cond.Rule.Data.Pos))
		} else {
			c.contradictions(t)
			c.kinds(ctx, node, i, cond.Rule.Data)
			c.comparisons(ctx, node, i, t)
			c.truths(ctx, node, i, t)
			c.missing(node, cond.Rule, t)
		}
		before = before.assume(t, false)
	}
}

// oneWay warns of a switch whose ways all lead to the same node.
func (c *checker) oneWay(node int, s *graph.Switch) {
	if len(s.Conditions) == 0 || s.Default == nil || slices.ContainsFunc(s.Conditions, func(condition graph.Condition) bool { return condition.Next != s.Default }) {
		return
	}
	at := c.graph.Tool.Nodes[node].Pos
	if next := c.graph.Tool.Nodes[node].Next; next.IsSet() {
		at = next.Pos
	}
	c.found.Warn(at, "constant-condition", fmt.Sprintf("all ways of switch %q lead to %q, so that it decides nothing", s.ID(), s.Default.ID()), "let one of them lead to another node, or remove the switch")
}

// contradictions warns of an and whose parts exclude each other.
func (c *checker) contradictions(t *term) {
	for _, part := range t.parts {
		c.contradictions(part)
	}
	if t.op != "and" {
		return
	}
	var before facts
	for _, part := range t.parts {
		if before.decide(part) == no && part.at != nil {
			c.found.Warn(part.at.Pos, "constant-condition", "this part of and never holds where the parts before it do", "turn a comparison round, or write or")
			return
		}
		before = before.assume(part, true)
	}
}

// comparisons reports each comparison of a rule whose sides can never be equal.
func (c *checker) comparisons(ctx context.Context, node, number int, t *term) {
	for _, part := range t.parts {
		c.comparisons(ctx, node, number, part)
	}
	if t.op != "equal" {
		c.outside(ctx, t)
		return
	}
	given, known := c.operand(ctx, node, number, t)
	if t.ofDefault { // one constant that is read may be meant to be changed
		given = given.General()
	}
	if !known || canEqual(given, t) || len(c.defaults.names) > 0 && !t.ofDefault ||
		slices.ContainsFunc(c.found, func(d config.Diagnostic) bool { return d.Pos == t.left.Pos && d.Code == "constant-condition" }) {
		return
	}
	word, _ := t.constant.(string)
	near := wording.Nearest(word, given.Words())
	c.found.Warn(t.at.Pos, "constant-condition",
		fmt.Sprintf("%s is never %s; it is %s", t.left.Items[0].Scalar, t.at.JSON(), given), wording.Meant(near)).Meant(t.at.Text, near)
}

// missing reports comparisons with the output of a node that may not have run: they are false
// then; rule reports those by size. They are not reported when the same rule tests the node, or when the node is of the
// same loop and has only not run in its first turn.
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
			if len(ref.Var) < len(leaf.path) || !slices.Equal(ref.Var[:len(leaf.path)], leaf.path) || ref.Body || ref.Ordered || ref.Function != "" {
				continue
			}
			text := r.Data.At(ref.Var...).Text
			read, known := c.index[ref.Path[0]]
			if !known || !isPlainPath(text.Value) || slices.Contains(asked.nodes, read) || c.binding(node, read).Presence != shape.Maybe || c.onlyFirstTurn(node, read) {
				continue
			}
			i := slices.IndexFunc(c.states[node].list, func(w *state) bool { return w.presence(read) != shape.Always })
			c.faulty[node] = true
			c.found.Warn(text.At(ref.Offset), "maybe-missing",
				fmt.Sprintf("node %q may not have run%s; it has no value in this comparison", ref.Path[0], c.onPath(c.states[node].list[i])),
				fmt.Sprintf("test it first: {\"!!\": {\"var\": %q}}", ref.Path[0])).
				Fixed(piece{text, partAt(expressionAt(r, ref.Var), ref.Offset)}.guards(false)...)
		}
	}
}

// isEmpty reports whether a comparison of nothing with the constant may be intended.
func isEmpty(constant any) bool { return constant == "" || constant == 0.0 || constant == false }

// onlyFirstTurn reports whether two nodes are of one loop in which the other node comes after
// this one: its output is missing in the first turn only.
func (c *checker) onlyFirstTurn(node, other int) bool {
	for _, w := range c.states[node].list {
		if w.presence(node) != w.presence(other) || w.presence(node) == shape.Maybe {
			return false
		}
	}
	return true
}

// operand returns the shape of the var that a rule compares; it is not known for other operands.
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
		env, _ := c.env(ctx, w, number)
		one, found := shape.Infer(ctx, e, env)
		if len(found) > 0 {
			return given, false // the finding is reported, its consequences are not
		}
		all = append(all, one)
	}
	return shape.Union(all...), true
}

// canEqual reports whether a value of a shape may equal the constant of a comparison. "1", 1 and
// [1] are equal unless the comparison is strict.
func canEqual(given shape.Shape, t *term) bool {
	if given.Has(value.FromPlain(t.constant)) {
		return true
	}
	if text, isText := t.constant.(string); t.strict || isText && neverText(given, text) {
		return false
	}
	if _, isBool := t.constant.(bool); isBool && onlyObjects(given) {
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

// neverText reports whether no value of a shape equals a text: a number or a boolean equals one that is a number, an object is [object Object],
// and a list equals its only item, which is hardly one of the words for other kinds.
func neverText(given shape.Shape, text string) bool {
	if given.IsAny() || given.IsNothing() {
		return false
	}
	_, noText := given.Conflict(shape.String())
	_, noList := given.Conflict(shape.Array(shape.Any()))
	switch text {
	case "null", "undefined", "true", "false":
		return noText
	}
	return noText && noList && !isNumber(text) && text != "[object Object]"
}

// onlyObjects reports whether the values of a shape are objects, null or missing: none of them equals a boolean.
func onlyObjects(s shape.Shape) bool {
	_, never := s.Conflict(shape.Object(nil, true))
	return !never && !slices.ContainsFunc([]shape.Shape{shape.Number(), shape.Boolean(), shape.String(), shape.Array(shape.Any())}, func(other shape.Shape) bool {
		_, differ := s.Conflict(other)
		return !differ
	})
}

// isNumber reports whether a text is a number when it is compared with another kind, as "" is 0.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return err == nil || strings.TrimSpace(text) == ""
}

// sameKind reports whether the constant is of the shape, so that the comparison converts neither.
func sameKind(s shape.Shape, constant any) bool {
	return s.Has(value.FromPlain(constant))
}

// loops reports a switch that takes the same way for ever: all of the way leads back to it, and
// no node on it changes what the rules read.
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
		c.endless[node] = true
		return
	}
}

// reachable returns the nodes to which runs come from a node without passing another, the first
// included.
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

// leadsBack reports whether runs come from the body back to the switch.
func (c *checker) leadsBack(body set, first, node int) bool {
	return first == node || slices.ContainsFunc(c.arrivals[node], body.has)
}

// staysSame reports whether the rules that choose a way read no value that changes in the body
// of the loop. graph.Build reports rules that read nothing at all.
func (c *checker) staysSame(node, way int, body set) bool {
	var all reads
	rules := c.reads[node]
	for i := range min(way+1, len(rules)) {
		all.join(rules[i])
	}
	steady := steadiness{checker: c, node: node, body: body, known: map[int]bool{}}
	return len(all.nodes) > 0 && steady.all(all)
}

// steadiness finds the outputs that stay the same in a loop.
type steadiness struct {
	*checker
	node  int // the switch
	body  set
	known map[int]bool // false for the node being examined: it reads its own output then
}

// all reports whether all that is read stays the same.
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
	t, isTransform := s.graph.Nodes[node].(*graph.Transform)
	if !isTransform || t.OnError != nil {
		return false
	}
	// The output of a node that has not run before the first turn changes in the second.
	for _, w := range s.states[s.node].list {
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
	c.found.Warn(rule.Data.Pos, "endless-loop",
		fmt.Sprintf("endless loop: no node in it (%s) changes what the condition of switch %q reads", strings.Join(ids, ", "), s.ID()),
		"let the condition read a node of the loop whose output changes, or $executionCount of one")
}
