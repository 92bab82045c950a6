package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
	"toolgraph/internal/runtime"
	"toolgraph/internal/serving/pipeline"
	"toolgraph/internal/serving/plan"
)

// loadTool loads the graph file of the flags, and returns the graph of the tool that the first
// word names, with its arguments from --args and the other words. The caller closes the session.
func (f *sessionFlags) loadTool(ctx context.Context, std program.Streams, given string, words []string) (*runtime.Loaded, *graph.Graph, value.Value, error) {
	p, err := f.Project(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	tool, pairs := "", words
	if len(words) > 0 {
		tool, pairs = words[0], words[1:]
	}
	g, err := program.GraphOf(ctx, p, tool)
	if err != nil {
		return nil, nil, nil, err
	}
	args, err := program.ArgumentsOf(ctx, std.In, given, g.Tool.InputSchema, pairs)
	if err != nil {
		return nil, nil, nil, err
	}
	warnUndeclared(std.Err, g.Tool, args)
	l, err := f.start(ctx, std, p)
	if err != nil {
		return nil, nil, nil, err
	}
	g, args, err = l.ForRun(ctx, g, args, l)
	var refused *pipeline.Refusal
	var planned *plan.Refusal
	switch {
	case errors.As(err, &refused):
		err = program.Usagef("%w", err)
	case errors.As(err, &planned):
		program.PrintFailure(std.Err, err.Error())
		err = program.ErrFindings
	}
	if err != nil {
		l.Close()
		return nil, nil, nil, err
	}
	return l, g, args, nil
}

// maxUndeclared bounds the warnings about one list of arguments.
const maxUndeclared = 10

// warnUndeclared warns of arguments that the inputSchema allows and does not declare:
// they are likely to be misspelt, and no validation reports them.
func warnUndeclared(w io.Writer, tool *config.Tool, args value.Value) {
	found := undeclared(nil, "", tool.InputSchema, args)
	for _, text := range found[:min(len(found), maxUndeclared)] {
		fmt.Fprintf(w, "toolgraph: warning: tool %q declares no argument %s\n", wording.OneLine(tool.Name.Value), text)
	}
}

// undeclared adds to found the properties of an object, and of the objects in it, that
// their schemas allow and do not declare; path leads to the object. A schema that rejects
// further properties is skipped, because validation reports them; so is one that may
// declare properties elsewhere.
func undeclared(found []string, path string, schema *config.Data, v value.Value) []string {
	object, isObject := v.(value.Object)
	declared := schema.Get("properties")
	if !isObject || declared == nil || len(found) > maxUndeclared {
		return found
	}
	more := schema.Get("additionalProperties")
	open := more == nil || more.Scalar == true
	for _, elsewhere := range []string{"patternProperties", "allOf", "anyOf", "oneOf", "if", "$ref"} {
		open = open && schema.Get(elsewhere) == nil
	}
	var names []string
	for _, key := range declared.Keys {
		if _, given := object.Get(key.Value); !given {
			names = append(names, key.Value)
		}
	}
	for _, name := range object.Keys() {
		below := declared.Get(name)
		if below == nil && open {
			found = append(found, fmt.Sprintf("%q%s", wording.OneLine(path+name), wording.OneLine(wording.Suggest(name, names))))
		}
		inner, _ := object.Get(name)
		found = undeclared(found, path+name+".", below, inner)
	}
	return found
}
