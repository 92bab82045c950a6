package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"toolgraph/config"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// catalog is the set of tools that is served at one time, in file order. Immutable, except
// for the count of its users.
type catalog struct {
	tools   []*tool
	byName  map[string]*tool
	prompts []*tool         // those of tools, in the order of these
	secrets *config.Secrets // may be nil

	users atomic.Int64  // the calls in flight, and 1 while it is served
	ended chan struct{} // closed when users comes to 0, for ever
}

// newCatalog compiles the schemas of every tool. The error is config.Diagnostics
// when schemas are at fault.
func newCatalog(tools []Tool, secrets *config.Secrets) (*catalog, error) {
	c := &catalog{byName: make(map[string]*tool, len(tools)), secrets: secrets, ended: make(chan struct{})}
	c.users.Store(1)
	var found config.Diagnostics
	for _, offered := range tools {
		if offered.Run == nil {
			return nil, fmt.Errorf("tool %q has no Run function", offered.Def.Name.Value)
		}
		t := newTool(offered, &found)
		if offered.Prompt != nil {
			c.prompts = append(c.prompts, t.asPrompt(offered.Prompt))
			if offered.Def.Hidden {
				continue
			}
		}
		if c.byName[t.name] != nil {
			return nil, fmt.Errorf("duplicate tool name %q", t.name)
		}
		c.tools, c.byName[t.name] = append(c.tools, t), t
	}
	found.Sort()
	if err := found.Err(); err != nil {
		return nil, err
	}
	return c, nil
}

// acquire adds a user, unless the catalog has ended.
func (c *catalog) acquire() bool {
	for {
		n := c.users.Load()
		if n == 0 {
			return false
		}
		if c.users.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (c *catalog) release() {
	if c.users.Add(-1) == 0 {
		close(c.ended)
	}
}

// appendList appends the value of "tools".
func (c *catalog) appendList(dst []byte, hints func(server, tool string) (Hints, bool), apps bool) []byte {
	dst = append(dst, '[')
	for i, t := range c.tools {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = t.appendListed(dst, hints, apps)
	}
	return append(dst, ']')
}

// find returns the tool of a name, or a hint with a similar name.
func (c *catalog) find(name string) (t *tool, hint string) {
	if t = c.byName[name]; t != nil {
		return t, ""
	}
	names := make([]string, len(c.tools))
	for i, t := range c.tools {
		names[i] = t.name
	}
	return nil, wording.Suggest(name, names)
}

// tool is one tool as clients see it. Immutable.
type tool struct {
	def         *config.Tool
	run         Run
	name        string
	input       *schema.Schema
	output      *schema.Schema // nil when the file has none
	listed      []byte         // its entry in tools/list without annotations and closing brace
	annotations []byte         // as the file gives them; nil when it does not
	details     []byte         // icons and _meta, each after a comma
	appDetails  []byte         // likewise, for clients with views; nil: its results have none
	calls       []Upstream
	headers     bool // some arguments travel in HTTP headers as well
	prompt      bool // calls are prompts/get
}

// newTool prepares a tool. Problems of its schemas are added to found; with an error
// among them the tool cannot be used.
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
	t.prepareHeaders(found, offered.InputJSON != nil)
	if def.Annotations != nil && def.Annotations.Kind == config.KindObject {
		t.annotations = def.Annotations.JSON()
	}
	t.listed, t.details = t.entry(&offered), detailsOf(def)
	if offered.View != "" {
		t.appDetails = appDetails(def, offered.View)
	}
	return t
}

func (t *tool) entry(offered *Tool) []byte {
	dst := value.AppendString([]byte(`{"name":`), t.name)
	if title := t.def.Title.Value; title != "" {
		dst = value.AppendString(append(dst, `,"title":`...), title)
	}
	if description := t.def.Description.Value; description != "" {
		dst = value.AppendString(append(dst, `,"description":`...), description)
	}
	input, output := offered.InputJSON, offered.OutputJSON
	if input == nil {
		input = t.input.JSON()
	}
	if output == nil && t.output != nil {
		output = t.output.JSON()
	}
	dst = append(append(dst, `,"inputSchema":`...), input...)
	if output != nil {
		dst = append(append(dst, `,"outputSchema":`...), output...)
	}
	return dst
}

// detailsOf returns the members of an entry that follow the annotations.
func detailsOf(def *config.Tool) (dst []byte) {
	if def.Icons != nil {
		dst = append(append(dst, `,"icons":`...), def.Icons.JSON()...)
	}
	if def.Meta != nil {
		dst = append(append(dst, `,"_meta":`...), def.Meta.JSON()...)
	}
	return dst
}

// appendListed appends the tool's entry of tools/list.
func (t *tool) appendListed(dst []byte, hints func(server, tool string) (Hints, bool), apps bool) []byte {
	dst = append(dst, t.listed...)
	annotations := t.annotations
	if annotations == nil {
		annotations, _ = json.Marshal(t.derive(hints)) // it has nothing that could fail
	}
	if len(annotations) > len("{}") {
		dst = append(append(dst, `,"annotations":`...), annotations...)
	}
	details := t.details
	if apps && t.appDetails != nil {
		details = t.appDetails
	}
	return append(append(dst, details...), '}')
}

// derive combines the hints of the called tools: a tool is read-only when every call is,
// and destructive or open-world as soon as one call is. Hints that depend on an unknown one
// are unknown. The effect of a call that the author gives goes before the hints of its tool.
func (t *tool) derive(hints func(server, tool string) (Hints, bool)) Hints {
	all := Hints{ReadOnly: yes(true), Destructive: yes(false), OpenWorld: yes(false)}
	for _, call := range t.calls {
		var h Hints
		if hints != nil {
			h, _ = hints(call.Server, call.Tool)
		}
		if call.Effect != "" {
			h.ReadOnly, h.Destructive = yes(call.Effect == config.ReadEffect), yes(call.Effect == config.DestroyEffect)
		}
		if h.ReadOnly != nil && *h.ReadOnly && h.Destructive == nil {
			h.Destructive = yes(false) // a read-only tool is not destructive
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

// either is true if one of a and b is, and unknown when that depends on an unknown.
func either(a, b *bool) *bool {
	switch {
	case a != nil && *a, b != nil && *b:
		return yes(true)
	case a == nil || b == nil:
		return nil
	}
	return yes(false)
}

// validated wraps run so that the arguments and the value of a tool are validated.
func validated(t *tool, run Run) Run {
	return func(ctx context.Context, args value.Value, watch Watch) (Answer, error) {
		args, err := t.arguments(ctx, args)
		if err != nil {
			return Answer{}, err
		}
		answer, err := run(ctx, args, watch)
		if err != nil || t.output == nil || answer.Notice != nil {
			return answer, err
		}
		found, err := t.output.Check(ctx, answer.Value)
		if err == nil && len(found) > 0 {
			err = fmt.Errorf("%s: the value of tool %q does not fit its outputSchema: %s", t.def.OutputSchema.Pos, t.name, found.Text("result"))
		}
		if err != nil {
			answer.Value = nil // it is not how far the call came
		}
		return answer, err
	}
}

// Arguments returns the arguments of a tool without a graph, with defaults added. The error
// names each argument that does not fit the inputSchema.
func Arguments(ctx context.Context, def *config.Tool, args value.Value) (value.Value, error) {
	var found config.Diagnostics
	t := newTool(Tool{Def: def}, &found)
	if err := found.Err(); err != nil {
		return nil, err
	}
	return t.arguments(ctx, args)
}

// arguments returns args with defaults added, if they fit the inputSchema.
func (t *tool) arguments(ctx context.Context, args value.Value) (value.Value, error) {
	full, err := t.input.Complete(ctx, args)
	var found schema.Problems
	if err == nil {
		found, err = t.input.Check(ctx, full)
	}
	if err == nil && len(found) > 0 {
		err = errors.New("invalid arguments: " + found.Text("arguments"))
	}
	return full, err
}
