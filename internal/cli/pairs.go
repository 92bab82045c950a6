package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/wording"
)

// withPairs puts key=value arguments over an object of arguments.
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

// pairValue reads a value as its schema wants it. A value that cannot be read so
// stays text, and the check against the schema tells what was expected.
func pairValue(schema *config.Data, text string) value.Value {
	if kind := schema.Get("type"); kind != nil && kind.Scalar == "string" {
		return text
	}
	if value, err := value.Decode([]byte(text)); err == nil {
		return value
	}
	return text
}

// mostUndeclared bounds the warnings about one list of arguments.
const mostUndeclared = 10

// warnUndeclared warns of arguments that the inputSchema allows and does not declare:
// they are likely to be misspelt, and nothing else would say so.
func warnUndeclared(w io.Writer, tool *config.Tool, args value.Value) {
	found := undeclared(nil, "", tool.InputSchema, args)
	for _, text := range found[:min(len(found), mostUndeclared)] {
		fmt.Fprintf(w, "toolgraph: warning: tool %q declares no argument %s\n", wording.OneLine(tool.Name.Value), text)
	}
}

// undeclared adds to found the properties of an object, and of the objects in it, that
// their schemas allow and do not declare; path leads to the object. A schema that
// refuses further properties is silent: the check of the arguments reports them. So is
// one that may declare properties elsewhere.
func undeclared(found []string, path string, schema *config.Data, v value.Value) []string {
	object, isObject := v.(value.Object)
	declared := schema.Get("properties")
	if !isObject || declared == nil || len(found) > mostUndeclared {
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

// firstKey is a key that the tool takes, for an example.
func firstKey(schema *config.Data) string {
	if properties := schema.Get("properties"); properties != nil && len(properties.Keys) > 0 {
		return properties.Keys[0].Value
	}
	return "key"
}
