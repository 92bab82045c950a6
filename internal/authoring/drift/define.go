package drift

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project/lock"
	"toolgraph/mcpclient"
)

// The fields of findings about definitions.
const (
	argumentsField = "arguments"
	toolField      = "tool"
	hintField      = "annotations.readOnlyHint"
)

// definition is a tool as its server lists it now, and as it was locked.
type definition struct {
	tool   mcpclient.Tool
	lock   lock.Entry
	locked bool
}

// effects returns what calls of a tool did when it was locked, and do now.
func (d *definition) effects() (was, is config.Effect) {
	return d.lock.Hints().Effect(), lock.HintsOf(d.tool.Annotations).Effect()
}

// mayCall reports whether a call is known only to read: by the file, the lock, or a server that is trusted. A tool that
// has more effects than when it was locked, or than the file says, is not called; now says so.
func (s *Servers) mayCall(d *definition, node *graph.MCP, server string) (may bool, now string) {
	was, is := d.effects()
	switch {
	case node == nil:
		return false, ""
	case node.Effect != "" && node.Effect != config.ReadEffect:
		return false, ""
	case d.locked && was == config.ReadEffect && is != config.ReadEffect:
		return false, "only read when it was locked, and may change something now"
	case node.Effect == config.ReadEffect:
		return d.locked || is == "" || is == config.ReadEffect, ""
	case d.locked:
		return was == config.ReadEffect, ""
	}
	return s.File.Trusts(server) && is == config.ReadEffect, ""
}

// arguments returns how the present definition refuses recorded arguments that it allowed before. Without a lock
// every refusal counts.
func (d *definition) arguments(ctx context.Context, args value.Value) (found []change) {
	if d.locked && len(problems(ctx, d.lock.Input, args)) > 0 {
		return nil // as before
	}
	for _, p := range problems(ctx, d.tool.InputSchema, args) {
		found = append(found, change{field: argumentsField + p.Where, what: strings.TrimPrefix(p.Text(""), p.Where+": ")})
	}
	if !d.locked {
		return found
	}
	was, is := propertiesOf(decoded(d.lock.Input)), propertiesOf(decoded(d.tool.InputSchema))
	given, isObject := value.ObjectOf(args)
	if !isObject || is == nil {
		return found
	}
	for _, key := range given.Keys() {
		field := argumentsField + step(key)
		known := slices.ContainsFunc(found, func(c change) bool { return c.field == field })
		if was[key] != nil && is[key] == nil && !known {
			found = append(found, change{field: field, what: "is an argument that the tool does not have any more" + wording.Suggest(key, keysOf(is))})
		}
	}
	return found
}

// problems returns the problems of a value with a schema; none when that cannot be used.
func problems(ctx context.Context, src []byte, v value.Value) schema.Problems {
	if len(src) == 0 {
		return nil
	}
	s, err := schema.Compile(src)
	if err != nil {
		return nil
	}
	found, _ := s.Check(ctx, v) // a value that cannot be validated is not reported
	return found
}

// declared returns the recorded answer as the present outputSchema describes it: without the properties that it has no
// more, and of its types. Without a lock only types are compared.
func (d *definition) declared(was value.Value) value.Value {
	if len(d.tool.OutputSchema) == 0 {
		return was
	}
	var before any
	if d.locked && d.lock.Learned == 0 {
		before = decoded(d.lock.Output)
	}
	return declaredAs(was, before, decoded(d.tool.OutputSchema))
}

// declaredAs is declared for a part of an answer.
func declaredAs(v value.Value, before, now any) value.Value {
	if refuses(now, v) && !refuses(before, v) {
		return sampleOf(typesOf(now)[0], v)
	}
	switch kindOf(v) {
	case listKind:
		items := make([]any, len(v.([]any)))
		for i, item := range v.([]any) {
			items[i] = declaredAs(item, under(before, "items"), under(now, "items"))
		}
		return items
	case objectKind:
		was, is := propertiesOf(before), propertiesOf(now)
		object := objectOf(v)
		var keys []string
		var values []value.Value
		for _, key := range object.Keys() {
			item, _ := object.Get(key)
			if was[key] != nil && is != nil && is[key] == nil {
				continue
			}
			keys, values = append(keys, key), append(values, declaredAs(item, was[key], is[key]))
		}
		return value.NewObject(keys, values)
	}
	return v
}

// refuses reports whether the type of a schema excludes a value.
func refuses(of any, v value.Value) bool {
	types := typesOf(of)
	return len(types) > 0 && !slices.Contains(types, kindOf(v))
}

// sampleOf returns a value of a kind in place of another.
func sampleOf(kind string, v value.Value) value.Value {
	switch kind {
	case textKind:
		src, err := value.Encode(v)
		if err == nil {
			return string(src)
		}
		return ""
	case numberKind:
		return float64(0)
	case boolKind:
		return false
	case listKind:
		return []any{}
	case objectKind:
		return value.NewObject(nil, nil)
	}
	return value.Null
}

// kindsOfTypes are the kinds of values by the types of schemas.
var kindsOfTypes = map[string]string{
	"string": textKind, "number": numberKind, "integer": numberKind, "boolean": boolKind, "array": listKind, "object": objectKind, "null": nullKind,
}

// typesOf returns the kinds that a schema declares; none when it does not say.
func typesOf(of any) (kinds []string) {
	types, several := under(of, "type").([]any)
	if !several {
		types = []any{under(of, "type")}
	}
	for _, t := range types {
		name, _ := t.(string)
		if kindsOfTypes[name] == "" {
			return nil
		}
		kinds = append(kinds, kindsOfTypes[name])
	}
	return kinds
}

// decoded returns JSON as plain Go values; nil when it is missing.
func decoded(src []byte) any {
	var v any
	if json.Unmarshal(src, &v) != nil {
		return nil
	}
	return v
}

func under(of any, key string) any {
	o, _ := of.(map[string]any)
	return o[key]
}

// propertiesOf returns the properties that a schema declares by name; nil when it declares none.
func propertiesOf(of any) map[string]any {
	properties, _ := under(of, "properties").(map[string]any)
	return properties
}

func keysOf(of map[string]any) (keys []string) {
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// difference returns the places in which the definition differs from the locked one, one a line.
func (s *Servers) difference(d *definition, call *execution.Call) []string {
	if !d.locked {
		return nil
	}
	for _, u := range s.File.Servers {
		if u.Name.Value != call.Server {
			continue
		}
		older, newer := lock.Of("", d.lock), lock.Of("")
		if d.tool.Name != "" {
			newer = lock.Of("", lock.Pin(u, d.tool, s.File.Secrets))
		}
		for _, c := range older.Compare(newer) {
			if c.Kind == lock.Removed {
				return []string{"- " + c.Server + "." + c.Tool}
			}
			return c.Diff
		}
	}
	return nil
}
