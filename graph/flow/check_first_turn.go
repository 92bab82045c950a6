package flow

import (
	"context"
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// firstEvaluation reports a condition that compares the number of executions of a node of the loop, and that decides at its first evaluation, for every
// value, that the loop is not repeated.
func (c *checker) firstEvaluation(ctx context.Context, node int, s *graph.Switch) {
	ways := make([]bool, len(s.Conditions)+1) // whether they lead back to the switch
	for i, condition := range s.Conditions {
		ways[i] = c.returns(condition.Next, node)
	}
	ways[len(s.Conditions)] = s.Default != nil && c.returns(s.Default, node)
	if !slices.Contains(ways, true) || c.endless[node] {
		return
	}
	for i, condition := range s.Conditions {
		only := !slices.Contains(ways[:i], true) && !slices.Contains(ways[i+1:], true) // no other way leads back, so that this one does
		switch o, count := c.atFirst(ctx, node, condition.Rule.Data); {
		case o == yes && !ways[i] && !slices.Contains(ways[:i], true):
			c.found.Warn(count.at, "constant-condition", fmt.Sprintf("at its first evaluation, where %s is %v, this condition holds%s, so that the loop is never repeated", count.text, count.first, count.every("for every")),
				"turn the comparison round: "+count.turned())
			return
		case o == no && only:
			c.found.Warn(count.at, "constant-condition", fmt.Sprintf("at its first evaluation, where %s is %v, this condition does not hold%s, so that the loop is never repeated", count.text, count.first, count.every("for any")),
				"turn the comparison round: "+count.turned())
			return
		}
	}
}

// returns reports whether runs come from a node back to a switch.
func (c *checker) returns(to graph.Node, node int) bool {
	first := c.index[to.ID()]
	return c.leadsBack(c.reachable(first, node), first, node)
}

// count is a comparison of the number of executions of a node.
type count struct {
	at                    config.Pos
	operator, text, other string
	first                 float64 // the number at the first evaluation
	swapped, constant     bool
}

// every returns the other side with words before it, where it is no constant.
func (k count) every(words string) string {
	if k.constant {
		return ""
	}
	return " " + words + " " + k.other
}

// turned returns the comparison with its operator turned round.
func (k count) turned() string {
	left, right := k.text, k.other
	if k.swapped {
		left, right = right, left
	}
	operator := map[string]string{"<": ">=", "<=": ">=", ">": "<", ">=": "<"}[k.operator]
	if operator == "" {
		operator = ">="
	}
	return left + " " + operator + " " + right
}

// atFirst returns the outcome of a rule at its first evaluation in a run, as far as it follows from the number of executions of a node.
func (c *checker) atFirst(ctx context.Context, node int, d *config.Data) (outcome, count) {
	if d.Kind != config.KindObject || len(d.Keys) != 1 || d.Items[0].Kind != config.KindArray {
		return unknown, count{}
	}
	operands := d.Items[0].Items
	if d.Keys[0].Value == "or" {
		for _, part := range operands {
			if o, k := c.atFirst(ctx, node, part); o == yes {
				return o, k
			}
		}
	}
	if len(operands) != 2 {
		return unknown, count{}
	}
	for i, side := range operands {
		counted, isNode := c.index[c.countedBy(ctx, sideText(side))]
		if !isNode || !c.cycle(node).has(counted) {
			continue
		}
		first, known := c.firstCount(node, counted)
		other := c.numbersOf(ctx, operands[1-i])
		if !known || other.least == nil && other.most == nil {
			return unknown, count{}
		}
		k := count{at: d.Pos, operator: d.Keys[0].Value, text: sideText(side), other: sideText(operands[1-i]), first: first, swapped: i == 1, constant: operands[1-i].Kind == config.KindScalar}
		operator := k.operator
		if k.swapped && mirrored[operator] != "" {
			operator = mirrored[operator]
		}
		return other.against(operator, first), k
	}
	return unknown, count{}
}

// firstCount returns how often a node has run when a switch is evaluated for the first time in a run.
func (c *checker) firstCount(node, counted int) (n float64, known bool) {
	entry := c.index[c.graph.Entry.ID()]
	if !c.reachable(entry, node).has(counted) {
		return 0, true
	}
	again := slices.ContainsFunc(c.departures[counted], func(to int) bool { return c.reachable(to, node).has(counted) })
	always := !slices.ContainsFunc(c.states[node].list, func(w *state) bool { return !w.must.has(counted) })
	return 1, always && !again
}

// numbersOf returns the range of a constant, or of a path into the arguments; no ends where it is not known.
func (c *checker) numbersOf(ctx context.Context, d *config.Data) span {
	if d.Kind == config.KindScalar {
		if f, isNumber := value.FromPlain(d.Scalar).(float64); isNumber {
			return span{least: &f, most: &f, required: true}
		}
		return span{}
	}
	e, err := jsonata.Compile(ctx, sideText(d))
	if err != nil || e.Tree() == nil || names(e.Tree()) == nil {
		return span{}
	}
	return c.spanOf(e.Tree())
}

// against returns the outcome of a comparison of a number with each number of a range.
func (s span) against(operator string, n float64) outcome {
	below := s.least != nil && n < *s.least    // below all of them
	above := s.most != nil && n > *s.most      // above all of them
	atLeast := s.least != nil && n == *s.least // no number is smaller
	atMost := s.most != nil && n == *s.most
	var always, never bool
	switch operator {
	case "<":
		always, never = below, above || atMost
	case "<=":
		always, never = below || atLeast, above
	case ">":
		always, never = above, below || atLeast
	case ">=":
		always, never = above || atMost, below
	case "==", "===":
		always, never = atLeast && atMost, below || above
	}
	switch {
	case always && s.required:
		return yes
	case never:
		return no
	}
	return unknown
}
