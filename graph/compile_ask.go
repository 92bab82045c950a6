package graph

import (
	"cmp"
	"context"
	"fmt"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/expressions/schema"
)

// newAsk compiles a question.
func (c *compiler) newAsk(ctx context.Context, b base, n *config.Node) *Ask {
	a := &Ask{
		step: step{base: b}, Message: c.compileMessage(ctx, b.id, n), Fields: n.Schema,
		Timeout: cmp.Or(n.Timeout, DefaultAskTimeout), OnError: c.compileOnError(ctx, b.id, n), Help: n.Help.Value,
	}
	if n.Schema != nil && checkForm(b.id, n.Schema, &c.found) {
		a.Form = schema.Form(ctx, n.Schema, &c.found)
	}
	return a
}

func (c *compiler) compileMessage(ctx context.Context, id string, n *config.Node) *Args {
	text, isText := "", false
	if n.Message != nil {
		text, isText = n.Message.Scalar.(string)
	}
	switch length := utf8.RuneCountInString(text); {
	case n.Message == nil, isText && text == "":
		pos := n.Pos
		if n.Message != nil {
			pos = n.Message.Pos
		}
		c.found.Add(pos, "missing-message", fmt.Sprintf("node %q has no message, expected the question for the user", id), "add message: QUESTION").Fixed(config.AddKey(n.Pos, "message", config.InFlow("Continue?"), "id", ""))
	case length > LongestMessage:
		c.found.Add(n.Message.Pos, "long-message", fmt.Sprintf("message of node %q has %d characters, at most %d are allowed", id, length, LongestMessage),
			"ask in fewer words")
	}
	c.checkInner(n.Message, 0, c.itemVariables(n))
	return c.compileValue(ctx, n.Message, c.itemVariables(n))
}

// allowOf returns the compiled form of an allow, none for nil.
func allowOf(a *config.Allow) []*Allow {
	if a == nil {
		return nil
	}
	return []*Allow{newAllow(a)}
}

func newAllow(a *config.Allow) *Allow {
	allow := &Allow{Pos: a.Pos, Calls: valuesOf[string](a.Calls), Effects: valuesOf[config.Effect](a.Effects), Confirm: valuesOf[config.Effect](a.Confirm)}
	for _, f := range a.Flows {
		allow.Flows = append(allow.Flows, Flow{Pos: f.Pos, From: f.From.Value, To: valuesOf[string](f.To)})
	}
	return allow
}

// valuesOf returns the values of texts; nil stays nil.
func valuesOf[T ~string](texts []config.Text) []T {
	if texts == nil {
		return nil
	}
	values := make([]T, len(texts))
	for i, t := range texts {
		values[i] = T(t.Value)
	}
	return values
}
