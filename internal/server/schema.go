package server

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolgraph/config"
	"toolgraph/expressions"
)

// schema is a JSON Schema of the file: as it is listed, and compiled. Immutable.
type schema struct {
	source   *config.Data // nil when the file has none
	listed   []byte       // compact JSON, in file order
	document any          // listed, decoded
	compiled *jsonschema.Schema
	wrapped  bool // the value is the "result" of the listed object
}

// schemaURL names the one schema of a compiler. It is never fetched.
const schemaURL = "toolgraph:///schema"

// errNoFetch is the answer to every reference that leaves the schema.
var errNoFetch = errors.New("schemas are never fetched")

type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errNoFetch }

// newInputSchema takes the schema of a tool's arguments, which MCP wants to be of
// type object.
func newInputSchema(source *config.Data) *schema {
	s := &schema{source: source}
	s.listed = withObjectType(source)
	return s
}

// newOutputSchema takes the schema of a tool's value. Clients refuse a whole list
// that has a schema whose root is not of type object, so others are wrapped.
func newOutputSchema(source *config.Data) *schema {
	s := &schema{source: source}
	if !isObjectSchema(source) {
		s.wrapped = true
		s.listed = wrapSchema(source)
		return s
	}
	s.listed = withObjectType(source)
	return s
}

// withObjectType is the schema as it stands, with "type":"object" before the rest
// when the root names no type.
func withObjectType(source *config.Data) []byte {
	const head = `{"type":"object"`
	raw := appendData(nil, source)
	switch {
	case source == nil:
		return []byte(head + "}")
	case source.Kind != config.KindObject:
		return raw
	case source.Get("type") != nil:
		return raw
	case len(source.Keys) == 0:
		return []byte(head + "}")
	}
	return append([]byte(head+","), raw[1:]...)
}

// isObjectSchema tells whether a schema without doubt speaks of objects.
func isObjectSchema(source *config.Data) bool {
	if source == nil || source.Kind != config.KindObject {
		return false
	}
	if t := source.Get("type"); t != nil {
		return t.Scalar == "object"
	}
	for _, key := range []string{"properties", "required", "additionalProperties", "patternProperties", "propertyNames"} {
		if source.Get(key) != nil {
			return true
		}
	}
	return false
}

// resultPointer is where a wrapped schema stands.
const resultPointer = "#/properties/result"

// wrapSchema lists a schema as the property "result" of an object. References to
// its own parts are led to where they now stand; $schema belongs to the root.
func wrapSchema(source *config.Data) []byte {
	dst := []byte("{")
	if dialect := source.Get("$schema"); dialect != nil {
		dst = append(appendData(append(dst, `"$schema":`...), dialect), ',')
	}
	dst = append(dst, `"type":"object","properties":{"result":`...)
	inner := withoutKey(source, "$schema")
	if source.Get("$id") == nil {
		inner = rebase(inner, resultPointer)
	}
	dst = appendData(dst, inner)
	return append(dst, `},"required":["result"]}`...)
}

func withoutKey(d *config.Data, key string) *config.Data {
	if d.Get(key) == nil {
		return d
	}
	out := &config.Data{Pos: d.Pos, Kind: d.Kind}
	for i, k := range d.Keys {
		if k.Value != key {
			out.Keys, out.Items = append(out.Keys, k), append(out.Items, d.Items[i])
		}
	}
	return out
}

// rebase is the schema with each local pointer of a $ref below the new root.
func rebase(d *config.Data, root string) *config.Data {
	if d == nil || (d.Kind != config.KindObject && d.Kind != config.KindArray) {
		return d
	}
	out := &config.Data{Pos: d.Pos, Kind: d.Kind, Keys: d.Keys, Items: make([]*config.Data, len(d.Items))}
	for i, item := range d.Items {
		out.Items[i] = item
		if d.Kind == config.KindArray {
			out.Items[i] = rebase(item, root)
			continue
		}
		switch ref, _ := item.Scalar.(string); d.Keys[i].Value {
		case "const", "enum", "default", "examples":
		case "$ref", "$dynamicRef":
			if ref == "#" || len(ref) > 1 && ref[:2] == "#/" {
				out.Items[i] = &config.Data{Pos: item.Pos, Scalar: root + ref[1:]}
			}
		default:
			out.Items[i] = rebase(item, root)
		}
	}
	return out
}

// compile makes the schema ready to check values: draft 2020-12 unless it names
// another, patterns by RE2, no references to elsewhere.
func (s *schema) compile() error {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.listed))
	if err != nil {
		return fmt.Errorf("the schema is no JSON: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(schemaURL, document); err != nil {
		return err
	}
	s.document = document
	s.compiled, err = compiler.Compile(schemaURL)
	return err
}

// check is what is wrong with a value, none when it fits. A wrapped schema is given
// the bare value.
func (s *schema) check(v expressions.Value) []problem {
	if s.compiled == nil {
		return nil
	}
	plain := expressions.Plain(v)
	if s.wrapped {
		plain = map[string]any{"result": plain}
	}
	err := s.compiled.Validate(plain)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []problem{{expected: "a value that can be checked", given: err.Error()}}
	}
	return s.problems(invalid, plain)
}
