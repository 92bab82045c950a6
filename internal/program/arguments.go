package program

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/project"
)

// GraphOf returns the graph of a tool that the command line names: one of the file, or of a server that exposes it. An
// error that is not that of the command line is the cause of ctx's end.
func GraphOf(ctx context.Context, p *project.Project, tool string) (*graph.Graph, error) {
	g, err := p.Tool(ctx, tool)
	if err != nil && ctx.Err() == nil {
		return nil, usageError{err}
	}
	return g, err
}

var errPair = errors.New("an argument is written key=value")

// ArgumentsOf returns the object of --args with the key=value pairs added; a pair replaces
// the same key. given is the value of --args, "-" for standard input.
func ArgumentsOf(ctx context.Context, in io.Reader, given string, schema *config.Data, pairs []string) (value.Value, error) {
	src := []byte(given)
	if given == "-" {
		var err error
		if src, err = ReadInput(ctx, in, MaxArguments); err != nil {
			return nil, err
		}
	}
	return GivenArguments("--args", src, schema, pairs)
}

// GivenArguments is argumentsOf for the JSON that was read; from is where, for messages.
func GivenArguments(from string, src []byte, schema *config.Data, pairs []string) (value.Value, error) {
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("{}")
	}
	v, err := value.Decode(src)
	if err != nil {
		return nil, Usagef("%s: %v", from, err)
	}
	object, ok := v.(value.Object)
	if !ok {
		return nil, Usagef("%s is not a JSON object, and a tool takes one", from)
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
			return nil, Usagef("%w, and %q is not: did you mean %s=…?", errPair, pair, firstKey(schema))
		}
		value := project.FromText(schema.Get("properties").Get(key), text)
		if i := slices.Index(keys, key); i >= 0 {
			values[i] = value
			continue
		}
		keys, values = append(keys, key), append(values, value)
	}
	return value.NewObject(keys, values), nil
}

// firstKey returns a key that the tool accepts, for an example.
func firstKey(schema *config.Data) string {
	if properties := schema.Get("properties"); properties != nil && len(properties.Keys) > 0 {
		return properties.Keys[0].Value
	}
	return "key"
}
