package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/shape"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project"
	"toolgraph/internal/runtime"
	"toolgraph/internal/serving/pipeline"
)

// graphOf returns the graph of a tool that the command line names.
func graphOf(p *project.Project, tool string) (*graph.Graph, error) {
	g, err := p.Graph(tool)
	if err != nil {
		return nil, usageError{err}
	}
	return g, nil
}

// loadTool loads the graph file of the flags, and returns the graph of the tool that the first
// word names, with its arguments from --args and the other words. The caller closes the session.
func (f *sessionFlags) loadTool(ctx context.Context, std streams, given string, words []string) (*runtime.Loaded, *graph.Graph, value.Value, error) {
	p, err := f.project(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	tool, pairs := "", words
	if len(words) > 0 {
		tool, pairs = words[0], words[1:]
	}
	g, err := graphOf(p, tool)
	if err != nil {
		return nil, nil, nil, err
	}
	args, err := argumentsOf(ctx, std.in, given, g.Tool.InputSchema, pairs)
	if err != nil {
		return nil, nil, nil, err
	}
	warnUndeclared(std.err, g.Tool, args)
	l, err := f.start(ctx, std, p)
	if err != nil {
		return nil, nil, nil, err
	}
	g, args, err = l.ForRun(ctx, g, args, l.Offers)
	var refused *pipeline.Refusal
	if errors.As(err, &refused) {
		err = usageError{err}
	}
	if err != nil {
		l.Close()
		return nil, nil, nil, err
	}
	return l, g, args, nil
}

var errPair = errors.New("an argument is written key=value")

// argumentsOf returns the object of --args with the key=value pairs added; a pair replaces
// the same key. given is the value of --args, "-" for standard input.
func argumentsOf(ctx context.Context, in io.Reader, given string, schema *config.Data, pairs []string) (value.Value, error) {
	src := []byte(given)
	if given == "-" {
		var err error
		if src, err = readInput(ctx, in, maxArguments); err != nil {
			return nil, err
		}
	}
	return givenArguments("--args", src, schema, pairs)
}

// givenArguments is argumentsOf for the JSON that was read; from is where, for messages.
func givenArguments(from string, src []byte, schema *config.Data, pairs []string) (value.Value, error) {
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("{}")
	}
	v, err := value.Decode(src)
	if err != nil {
		return nil, usagef("%s: %v", from, err)
	}
	object, ok := v.(value.Object)
	if !ok {
		return nil, usagef("%s is not a JSON object, and a tool takes one", from)
	}
	return withPairs(schema, object, pairs)
}

// withPairs adds key=value arguments to an object of arguments.
func withPairs(schema *config.Data, object value.Object, pairs []string) (value.Value, error) {
	keys := slices.Clone(object.Keys())
	values := make([]value.Value, len(keys))
	for i, key := range keys {
		values[i], _ = object.Get(key)
	}
	for _, pair := range pairs {
		key, text, found := strings.Cut(pair, "=")
		if !found || key == "" {
			return nil, usagef("%w, and %q is not: did you mean %s=…?", errPair, pair, firstKey(schema))
		}
		value := pairValue(schema.Get("properties").Get(key), text)
		if i := slices.Index(keys, key); i >= 0 {
			values[i] = value
			continue
		}
		keys, values = append(keys, key), append(values, value)
	}
	return value.NewObject(keys, values), nil
}

// pairValue reads a value by its schema. A value that is not valid JSON stays text, and
// the validation against the schema reports it. So does one that is allowed only as text.
func pairValue(schema *config.Data, text string) value.Value {
	if kind := schema.Get("type"); kind != nil && kind.Scalar == "string" {
		return text
	}
	v, err := value.Decode([]byte(text))
	if err != nil {
		return text
	}
	if schema != nil {
		if allowed := shape.OfSchema(schema.JSON()); allowed.Has(text) && !allowed.Has(v) {
			return text // string or null, such as an optional text
		}
	}
	return v
}

// firstKey returns a key that the tool accepts, for an example.
func firstKey(schema *config.Data) string {
	if properties := schema.Get("properties"); properties != nil && len(properties.Keys) > 0 {
		return properties.Keys[0].Value
	}
	return "key"
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
