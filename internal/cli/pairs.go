package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions"
)

// withPairs puts key=value arguments over an object of arguments.
func withPairs(schema *config.Data, object expressions.Object, pairs []string) (expressions.Value, error) {
	keys := slices.Clone(object.Keys())
	values := make([]expressions.Value, len(keys))
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
	return expressions.NewObject(keys, values), nil
}

// pairValue reads a value as its schema wants it. A value that cannot be read so
// stays text, and the check against the schema tells what was expected.
func pairValue(schema *config.Data, text string) expressions.Value {
	if kind := schema.Get("type"); kind != nil && kind.Scalar == "string" {
		return text
	}
	if value, err := expressions.Decode([]byte(text)); err == nil {
		return value
	}
	return text
}

// tellUndeclared tells of arguments on the command line that the inputSchema allows and
// does not declare: they are likely to be misspelt, and nothing else would say so.
func tellUndeclared(w io.Writer, tool *config.Tool, pairs []string) {
	declared := tool.InputSchema.Get("properties")
	if declared == nil {
		return
	}
	names := make([]string, len(declared.Keys))
	for i, key := range declared.Keys {
		names[i] = key.Value
	}
	for _, pair := range pairs {
		name, _, _ := strings.Cut(pair, "=")
		if slices.Contains(names, name) {
			continue
		}
		hint := ""
		if near := config.DidYouMean(name, names); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		fmt.Fprintf(w, "toolgraph: warning: tool %q declares no argument %q%s\n", oneLine(tool.Name.Value), oneLine(name), hint)
	}
}

// firstKey is a key that the tool takes, for an example.
func firstKey(schema *config.Data) string {
	if properties := schema.Get("properties"); properties != nil && len(properties.Keys) > 0 {
		return properties.Keys[0].Value
	}
	return "key"
}
