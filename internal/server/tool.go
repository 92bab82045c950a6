package server

import (
	"context"
	"encoding/json"

	"toolgraph/config"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
)

// tool is one tool as clients see it. Immutable.
type tool struct {
	def         *config.Tool
	run         Run
	name        string
	input       *schema.Schema
	output      *schema.Schema // nil when the file has none
	listed      []byte         // its entry in tools/list without annotations and closing brace
	annotations []byte         // as the file gives them; nil when it does not
	calls       []Upstream
	headers     bool // some arguments travel in HTTP headers as well
}

// newTool takes a tool. What is wrong with its schemas goes to found; with an error
// among it the tool cannot be used.
func newTool(offered Tool, found *config.Diagnostics) *tool {
	def := offered.Def
	t := &tool{
		def: def, run: offered.Run, calls: offered.Calls,
		name: def.Name.Value, input: offered.Input, output: offered.Output,
	}
	if t.input == nil { // no graph: the definition comes with the program and is small
		t.input = schema.Input(context.Background(), def.InputSchema, found)
		if def.OutputSchema != nil {
			t.output = schema.Output(context.Background(), def.OutputSchema, found)
		}
		t.run = validated(t, offered.Run)
	}
	t.prepareHeaders(found)
	if def.Annotations != nil && def.Annotations.Kind == config.KindObject {
		t.annotations = def.Annotations.JSON()
	}
	t.listed = t.entry()
	return t
}

func (t *tool) entry() []byte {
	dst := value.AppendString([]byte(`{"name":`), t.name)
	if title := t.def.Title.Value; title != "" {
		dst = value.AppendString(append(dst, `,"title":`...), title)
	}
	if description := t.def.Description.Value; description != "" {
		dst = value.AppendString(append(dst, `,"description":`...), description)
	}
	dst = append(append(dst, `,"inputSchema":`...), t.input.JSON()...)
	if t.output != nil {
		dst = append(append(dst, `,"outputSchema":`...), t.output.JSON()...)
	}
	return dst
}

// appendListed appends the tool's entry of tools/list.
func (t *tool) appendListed(dst []byte, hints func(server, tool string) (Hints, bool)) []byte {
	dst = append(dst, t.listed...)
	annotations := t.annotations
	if annotations == nil {
		annotations, _ = json.Marshal(t.derive(hints)) // it has nothing that could fail
	}
	if len(annotations) > len("{}") {
		dst = append(append(dst, `,"annotations":`...), annotations...)
	}
	return append(dst, '}')
}

// derive makes hints of those of the called tools: a tool only reads when every
// call only reads, and destroys or reaches out as soon as one call does. What
// cannot be told is left unknown.
func (t *tool) derive(hints func(server, tool string) (Hints, bool)) Hints {
	all := Hints{ReadOnly: yes(true), Destructive: yes(false), OpenWorld: yes(false)}
	for _, call := range t.calls {
		var h Hints
		if hints != nil {
			h, _ = hints(call.Server, call.Tool)
		}
		if h.ReadOnly != nil && *h.ReadOnly && h.Destructive == nil {
			h.Destructive = yes(false) // what only reads destroys nothing
		}
		all.ReadOnly = not(either(not(all.ReadOnly), not(h.ReadOnly)))
		all.Destructive = either(all.Destructive, h.Destructive)
		all.OpenWorld = either(all.OpenWorld, h.OpenWorld)
	}
	return all
}

func yes(b bool) *bool { return &b }

func not(b *bool) *bool {
	if b == nil {
		return nil
	}
	return yes(!*b)
}

// either is true as soon as one is, and unknown when it depends on an unknown.
func either(a, b *bool) *bool {
	switch {
	case a != nil && *a, b != nil && *b:
		return yes(true)
	case a == nil || b == nil:
		return nil
	}
	return yes(false)
}
