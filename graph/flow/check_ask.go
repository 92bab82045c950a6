package flow

import (
	"context"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// formShape returns the shape of what a user fills in.
func formShape(n *graph.Ask) shape.Shape {
	if n.Form == nil {
		return shape.Object(nil, false)
	}
	return shape.OfSchema(n.Form.JSON())
}

// question reports what is wrong with the message of an ask: it must be a text.
func (c *checker) question(ctx context.Context, node int, n *graph.Ask) {
	c.hurried(n, c.graph.Tool.Nodes[node].TimeoutPos)
	for number, use := range c.uses[node] {
		if use.call != n || use.at != inMessage {
			continue
		}
		c.longQuestion(n, use.expr)
		before := len(c.found)
		c.expression(ctx, node, number, use.expr, needed, func(env *shape.Env) { env.Required = "a message is required" })
		given, _ := c.valueOf(ctx, node, number, use.expr)
		conflict, never := given.Conflict(shape.Union(shape.String(), shape.Nothing()))
		if !never || len(c.found) > before {
			continue
		}
		text := use.expr.Text
		d := c.found.Add(text.At(0), "message-not-text", fmt.Sprintf("message of node %q is %s, expected text", n.ID(), conflict.Found),
			"make a text of it with $string, or with & between texts")
		d.Severity = c.certainly()
		d.Fixed(config.Replace("Make a text of it with $string", text, config.Replacement{To: len(text.Value), Text: "$string(" + text.Value + ")"}))
	}
}

// leastAnswer is the shortest time in which a user can be expected to answer.
const leastAnswer = 3 * time.Second

// hurried warns of a question that no user can answer in time: seconds were written, probably.
func (c *checker) hurried(n *graph.Ask, at config.Pos) {
	if n.Timeout > 0 && n.Timeout < leastAnswer {
		c.found.Warn(at, "limit-too-low", fmt.Sprintf("timeoutMs of node %q is %d, so that the user has %g seconds to answer", n.ID(), n.Timeout.Milliseconds(), n.Timeout.Seconds()),
			fmt.Sprintf("timeoutMs is in milliseconds: for %d seconds write %d", n.Timeout.Milliseconds(), 1000*n.Timeout.Milliseconds()))
	}
}

// longQuestion warns of a message that takes more characters of a text than a message may have.
func (c *checker) longQuestion(n *graph.Ask, e *graph.Expr) {
	if e.Tree() == nil {
		return
	}
	total, longest := 0, (*jsonata.Tree)(nil)
	for _, part := range joinedParts(e.Tree(), nil) {
		length, cut := lengthOf(part)
		total += length
		if cut && (longest == nil || length > total-length) {
			longest = part
		}
	}
	if longest == nil || total <= graph.LongestMessage {
		return
	}
	c.found.Warn(c.place(e.Text, longest.Offset), "long-message",
		fmt.Sprintf("message of node %q can have %d characters, at most %d are allowed: a longer one fails the question", n.ID(), total, graph.LongestMessage),
		"take fewer characters of the text")
}

// joinedParts returns the texts that & joins.
func joinedParts(t *jsonata.Tree, found []*jsonata.Tree) []*jsonata.Tree {
	if t.Kind == jsonata.BlockKind && len(t.Parts) == 1 {
		return joinedParts(&t.Parts[0], found)
	}
	if t.Kind != jsonata.OperatorKind || t.Text != "&" {
		return append(found, t)
	}
	for i := range t.Parts {
		found = joinedParts(&t.Parts[i], found)
	}
	return found
}

// lengthOf returns how many characters a part of a text has at most, 0 when that is not known, and
// whether it is cut to that length: $substring(text, from, length).
func lengthOf(t *jsonata.Tree) (length int, cut bool) {
	switch {
	case t.Kind == jsonata.StringKind:
		return utf8.RuneCountInString(t.Text), false
	case t.Kind == jsonata.CallKind && len(t.Parts) > 2 && t.Parts[0].Text == "substring":
		last := &t.Parts[len(t.Parts)-1]
		if n, err := strconv.Atoi(last.Text); err == nil && last.Kind == jsonata.NumberKind && len(t.Parts) == 4 {
			return n, true
		}
	}
	return 0, false
}
