package config

import (
	"fmt"
	"slices"

	"toolgraph/internal/base/wording"
)

// Suggestion says which values clients are offered for an argument of a prompt. It is written in the inputSchema, and is
// no part of it: clients do not see it.
type Suggestion struct {
	Pos      Pos
	Argument Text
	Expr     Text    // JSONata of a list; not set: Values
	Values   []*Data // texts, numbers and booleans
}

const suggestKey = "suggest"

// promptKey is the key prompt of a tool.
func promptKey() key {
	return key{
		name: "prompt", value: value{"type": "boolean", "default": false},
		doc: "Whether clients get the tool as a prompt, too: its arguments are the properties of inputSchema as texts, and the message is the text of its result. With hidden it is a prompt only.",
	}
}

// taskKey is the key task of a tool. It is about the clients of the tool only, so it is no part of the hash of a graph.
func taskKey() key {
	return key{
		name: "task", value: oneOf("optional", "required"),
		doc: "required: the tool takes so long that no client should wait for it, so only clients that have the Tasks extension can call it. optional, the default: other clients wait.",
	}
}

// argumentForm has what the language adds to the schema of a property; its other keys are those of JSON Schema.
var argumentForm = lazyForm(func() *form {
	return &form{
		name: "a property of inputSchema", doc: "JSON Schema of an argument.", open: true,
		keys: []key{{
			name: suggestKey, doc: "Values that clients offer to complete this argument of a prompt: a list, or {expr: JSONata of one} over args, which has the arguments given so far, and $vars. It is not sent to clients; default: those of enum.",
			value: value{"anyOf": []any{listOf(value{"type": []any{"string", "number", "boolean"}}), formValue("expression")}},
		}},
	}
})

// inputValue is the schema of an inputSchema.
func inputValue() value {
	return value{
		"type": "object", "examples": []any{
			map[string]any{"type": "object", "properties": map[string]any{"directory": map[string]any{"type": "string"}}, "required": []any{"directory"}},
		},
		"properties": value{"properties": value{"type": "object", "additionalProperties": value{"anyOf": []any{flag(), formValue("argument-schema")}}}},
	}
}

// suggestions takes what is suggested for the arguments of a tool out of its inputSchema.
func (d *decoder) suggestions(t *Tool, who string) {
	properties := t.InputSchema.Get("properties")
	if properties == nil || properties.Kind != KindObject {
		return
	}
	for i, property := range properties.Items {
		at := -1
		if property.Kind == KindObject {
			at = slices.IndexFunc(property.Keys, func(k Text) bool { return k.Value == suggestKey })
		}
		if at < 0 {
			continue
		}
		if s := d.suggestion(property.Items[at], properties.Keys[i], who); s != nil {
			t.Suggest = append(t.Suggest, s)
		}
		property.Keys = slices.Delete(slices.Clone(property.Keys), at, at+1)
		property.Items = slices.Delete(property.Items, at, at+1)
	}
}

func (d *decoder) suggestion(data *Data, argument Text, who string) *Suggestion {
	s := &Suggestion{Pos: data.Pos, Argument: argument}
	of := fmt.Sprintf("suggest of %s of %s", wording.Quote(argument.Value), who)
	const expected = "expected a list, or {expr: …}"
	switch data.Kind {
	case KindArray:
		for _, item := range data.Items {
			if item.Kind != KindScalar || item.Scalar == nil {
				d.found.Add(item.Pos, "wrong-type", of+" has a value in it that is no text, number or boolean", "write [a, b], or {expr: …} for values that are computed")
				return nil
			}
		}
		s.Values = data.Items
		return s
	case KindObject:
		if source := data.Get("expr"); source != nil && len(data.Keys) == 1 && source.Text.IsSet() && source.Text.Value != "" {
			s.Expr = source.Text
			return s
		}
		d.found.Add(data.Pos, "wrong-type", of+" is a mapping without an expression, or with other keys, "+expected, "write suggest: {expr: JSONata}")
	case KindScalar, KindExpression:
		hint := "write suggest: [a, b]"
		if text, isText := data.Scalar.(string); isText {
			hint = fmt.Sprintf("write suggest: [%s], or suggest: {expr: …}", wording.Shorten(text))
		}
		d.found.Add(data.Pos, "wrong-type", of+" is "+describeData(data)+", "+expected, hint).Over(data.Text)
	}
	return nil
}

// describeData names a scalar for a message.
func describeData(d *Data) string {
	if _, isText := d.Scalar.(string); isText {
		return "text"
	}
	if d.Scalar == nil {
		return "null"
	}
	return "the value " + string(d.JSON())
}

// IsInner reports whether no client starts runs of the tool: only graphs and tests call it.
func (t *Tool) IsInner() bool { return t.Hidden && !t.Prompt }
