package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/runtime/results"
	"toolgraph/internal/serving/expose"
	"toolgraph/internal/serving/server"
	"toolgraph/mcpclient"
)

// passes says what beside tools is exposed of a server.
type passes struct{ prompts, resources bool }

func (p passes) any() bool { return p.prompts || p.resources }

func passesOf(l *Loaded, name string) (of passes) {
	for _, p := range l.File.Passes {
		if p.Server.Value == name || name == "" {
			of.prompts, of.resources = of.prompts || p.Prompts, of.resources || p.Resources
		}
	}
	return of
}

// askPassed asks a server for its prompts and resources, and notifies the clients when they have changed.
func (o *offering) askPassed(ctx context.Context, name string, of passes) error {
	var listed expose.Listing
	var failed error
	list := func(which mcpclient.List, wanted bool) []json.RawMessage {
		if !wanted || failed != nil {
			return nil
		}
		entries, err := o.of.Pool.Entries(ctx, name, which)
		failed = err
		return entries
	}
	listed.Prompts = list(mcpclient.Prompts, of.prompts)
	listed.Resources, listed.Templates = list(mcpclient.Resources, of.resources), list(mcpclient.ResourceTemplates, of.resources)
	if failed != nil {
		return failed
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	before := o.passed[name]
	o.passed[name] = listed
	if o.srv == nil || o.over {
		return nil
	}
	var changed server.Lists
	if !sameEntries(before.Prompts, listed.Prompts) {
		changed |= server.PromptsList
	}
	if !sameEntries(before.Resources, listed.Resources) || !sameEntries(before.Templates, listed.Templates) {
		changed |= server.ResourcesList
	}
	if changed != 0 {
		o.srv.Changed(changed)
	}
	return nil
}

func sameEntries(a, b []json.RawMessage) bool {
	return slices.EqualFunc(a, b, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}

// passedOn returns what clients get of servers beside tools; nothing without an offering.
func (o *offering) passedOn() (prompts map[string]expose.Entry, order []string, resources, templates []expose.Entry) {
	if o == nil {
		return nil, nil, nil, nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return expose.Passed(o.of.File, o.passed, func(name, why string) { o.warn(why, "server", name) })
}

// ownerOf returns the server whose resource an address is; "" when no server that is exposed has it.
func (o *offering) ownerOf(uri string) string {
	_, _, resources, templates := o.passedOn()
	for _, r := range resources {
		if r.ID == uri {
			return r.Server
		}
	}
	for _, t := range templates {
		if expose.Matches(t.ID, uri) {
			return t.Server
		}
	}
	return ""
}

// prompts are those of servers.
type prompts struct {
	current func() *Loaded
	turns   chan struct{} // has one element for each expression that is evaluated to complete an argument
}

// List returns the entries.
func (p prompts) List() (entries [][]byte) {
	all, order, _, _ := p.current().offering.passedOn()
	for _, name := range order {
		entries = append(entries, all[name].JSON)
	}
	return entries
}

// Get asks the server of a prompt for it.
func (p prompts) Get(ctx context.Context, name string, arguments []byte) (result []byte, err error) {
	l := p.current()
	all, _, _, _ := l.offering.passedOn()
	e, known := all[name]
	if !known {
		return nil, server.ErrNoPrompt
	}
	args := value.NewObject(nil, nil)
	if arguments != nil {
		if args, err = value.Decode(arguments); err != nil {
			return nil, &server.InvalidError{Err: fmt.Errorf("arguments: %w", err)}
		}
	}
	args = value.NewObject([]string{"name", "arguments"}, []value.Value{e.ID, args})
	err = l.passCall(ctx, execution.Call{Server: e.Server, Tool: "prompts/get", Args: args}, func(ctx context.Context, c *execution.Call) error {
		result, err = l.Pool.GetPrompt(ctx, e.Server, e.ID, arguments, c.Meta)
		return err
	})
	if err == nil {
		l.namedInMessages(e.Server, result)
	}
	return result, err
}

// namedInMessages remembers the resources that the messages of a prompt name.
func (l *Loaded) namedInMessages(name string, result []byte) {
	v, err := value.Decode(result)
	if err != nil {
		return
	}
	o, _ := v.(value.Object)
	messages, _ := o.Get("messages")
	list, _ := messages.([]any)
	for _, m := range list {
		if message, is := m.(value.Object); is {
			content, _ := message.Get("content")
			l.named(name, content)
		}
	}
}

// errNoReference is the error of a completion for an unknown prompt or template.
var errNoReference = &server.InvalidError{Err: errors.New("ref: names no prompt and no resource template of this server")}

// complete asks the server of a prompt or a resource template for the values of an argument.
func (p prompts) complete(ctx context.Context, ref, argument, within []byte) (result []byte, err error) {
	var to struct{ Type, Name, URI string }
	if json.Unmarshal(ref, &to) != nil {
		return nil, &server.InvalidError{Err: errors.New("ref: expected an object with type and name, or uri")}
	}
	l := p.current()
	if g := l.promptOf(to.Name); g != nil && to.Type == "ref/prompt" {
		return p.completeOwn(ctx, l, g, argument, within)
	}
	if to.Type == "ref/resource" && to.URI == results.Template && l.History != nil {
		return l.completeRun(ctx, argument)
	}
	all, _, _, templates := l.offering.passedOn()
	of := ""
	switch e, known := all[to.Name]; {
	case to.Type == "ref/prompt" && known:
		of = e.Server
		ref = append(value.AppendString([]byte(`{"type":"ref/prompt","name":`), e.ID), '}')
	case to.Type == "ref/resource":
		for _, t := range templates {
			if of == "" && t.ID == to.URI {
				of = t.Server
			}
		}
	}
	if of == "" {
		return nil, errNoReference
	}
	err = l.passCall(ctx, execution.Call{Server: of, Tool: "completion/complete", Args: value.NewObject(nil, nil)}, func(ctx context.Context, _ *execution.Call) error {
		result, err = l.Pool.Complete(ctx, of, ref, argument, within)
		return err
	})
	return result, err
}

// passCall sends a request that reads from a server, with the audit log and what else is around calls.
func (l *Loaded) passCall(ctx context.Context, c execution.Call, send func(ctx context.Context, c *execution.Call) error) error {
	caller := execution.ToolCaller(execution.CallerFunc(func(ctx context.Context, c execution.Call) (value.Value, error) {
		return nil, send(ctx, &c)
	}))
	for _, wrap := range l.callers {
		caller = wrap(caller)
	}
	c.Effect = config.ReadEffect
	_, err := caller.CallTool(ctx, c)
	if mcpclient.IsInvalid(err) {
		err = &server.InvalidError{Err: err}
	}
	return err
}
