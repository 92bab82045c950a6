package shape

import (
	"slices"
	"strings"
	"sync"

	"toolgraph/expressions/value"
)

// OfSchema returns the shape of the values that fit a JSON Schema. Keywords that a Shape
// cannot express are ignored, since they only make the set smaller. The shape is Value
// for JSON that is not a schema and for a reference that leads out of the schema's own
// $defs.
func OfSchema(raw []byte) Shape {
	root, err := value.Decode(raw)
	if err != nil {
		return Value()
	}
	r := schemaReader{root: root, steps: maxSchemaSteps}
	return r.read(root, 0)
}

const (
	maxSchemaSteps = 20_000
	maxReferences  = 8 // $refs that lead to $refs
)

// schemaReader reads one schema.
type schemaReader struct {
	root  value.Value
	steps int // parts that may still be read
	refs  int // $refs that are being followed
}

func (r *schemaReader) read(schema value.Value, depth int) Shape {
	if r.steps--; r.steps < 0 || depth > maxDepth {
		return Value()
	}
	if schema == false {
		return none
	}
	if _, isObject := schema.(value.Object); !isObject {
		return Value()
	}
	if ref, ok := member(schema, "$ref").(string); ok {
		return r.reference(ref, depth)
	}
	if constant := member(schema, "const"); constant != nil {
		return Constant(constant)
	}
	if values, ok := member(schema, "enum").([]any); ok && len(values) > 0 && len(values) <= maxConstants {
		out := none
		for _, v := range values {
			out = union(out, Constant(v))
		}
		return out
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		// Beside types or properties, a choice only says which of them go together;
		// alone, it is the whole schema.
		branches, _ := member(schema, keyword).([]any)
		if len(branches) > 0 && member(schema, "type") == nil && member(schema, "properties") == nil {
			return r.choice(branches, depth)
		}
	}
	return r.typed(schema, depth)
}

// member returns a field of an object; nil when v has no such field.
func member(v value.Value, name string) value.Value {
	if o, ok := v.(value.Object); ok {
		item, _ := o.Get(name)
		return item
	}
	return nil
}

func (r *schemaReader) choice(branches []any, depth int) Shape {
	out := none
	for _, branch := range branches {
		out = union(out, r.read(branch, depth+1))
	}
	return out
}

// reference follows #, #/$defs/name and #/definitions/name.
func (r *schemaReader) reference(ref string, depth int) Shape {
	r.refs++
	defer func() { r.refs-- }()
	if r.refs > maxReferences {
		return Value()
	}
	if ref == "#" {
		return r.read(r.root, depth+1)
	}
	rest, _ := strings.CutPrefix(ref, "#/")
	defs, name, found := strings.Cut(rest, "/")
	if !found || rest == ref || defs != "$defs" && defs != "definitions" {
		return Value()
	}
	name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	return r.read(member(member(r.root, defs), name), depth+1) // any value when it is missing
}

var schemaKinds = sync.OnceValue(func() map[string]kinds {
	return map[string]kinds{
		"null": kindNull, "boolean": kindBoolean, "number": kindNumber, "integer": kindNumber,
		"string": kindString, "array": kindArray, "object": kindObject,
	}
})

// typed returns the shape that type, properties and items describe.
func (r *schemaReader) typed(schema value.Value, depth int) Shape {
	a := alternatives{rest: open}
	types, isList := member(schema, "type").([]any)
	if !isList {
		types = []any{member(schema, "type")}
	}
	for _, t := range types {
		name, _ := t.(string)
		a.kinds |= schemaKinds()[name]
	}
	a.whole = slices.Contains(types, any("integer")) && !slices.Contains(types, any("number"))
	if a.kinds.has(kindNumber) {
		a.span = spanOf(schema, a.whole)
	}
	if a.kinds == 0 {
		a.kinds = kindValue
		if _, named := member(schema, "properties").(value.Object); named && member(schema, "type") == nil {
			a.kinds = kindObject // a schema that lists properties and has no type is meant for objects
		}
	}
	if a.kinds.has(kindArray) {
		a.items = r.items(schema, depth)
		least, isNumber := member(schema, "minItems").(float64)
		a.filled = isNumber && least >= 1
	}
	if a.kinds.has(kindObject) {
		r.object(&a, schema, depth)
	}
	return shapeOf(a)
}

// items returns the shape of the items of arrays, those with a schema of their own
// included.
func (r *schemaReader) items(schema value.Value, depth int) Shape {
	first, rest := member(schema, "prefixItems"), member(schema, "items")
	if _, older := rest.([]any); older { // before draft 2020-12
		first, rest = rest, member(schema, "additionalItems")
	}
	out := Value()
	if rest != nil {
		out = r.read(rest, depth+1)
	}
	if tuple, ok := first.([]any); ok {
		out = union(out, r.choice(tuple, depth))
	}
	return out
}

// openers are the keywords that can declare properties beside properties.
var openers = []string{
	"patternProperties", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "dependencies",
	"$dynamicRef", "$recursiveRef", "unevaluatedProperties",
}

func (r *schemaReader) object(a *alternatives, schema value.Value, depth int) {
	required := map[string]bool{}
	names, _ := member(schema, "required").([]any)
	for _, name := range names {
		if s, ok := name.(string); ok {
			required[s] = true
		}
	}
	if properties, ok := member(schema, "properties").(value.Object); ok {
		for _, name := range properties.Keys() {
			a.fields = append(a.fields, Field{Name: name, Shape: r.read(member(properties, name), depth+1), Optional: !required[name]})
			delete(required, name)
		}
	}
	if len(a.fields) > 0 {
		a.rest = declared
	}
	for _, name := range sortedNames(required) {
		a.fields = append(a.fields, Field{Name: name, Shape: Value()})
	}
	for _, keyword := range openers {
		if v := member(schema, keyword); v != nil && v != false {
			a.rest = open
		}
	}
	switch more := member(schema, "additionalProperties"); {
	case more == false && member(schema, "patternProperties") == nil:
		a.rest = closed
	case more != nil:
		if a.rest = open; member(schema, "patternProperties") == nil {
			a.others = r.read(more, depth+1)
		}
	}
}

// Schema returns the shape as a JSON Schema: all values of the shape fit it, and OfSchema
// reads the same shape from it. It leaves out nothing and functions, which JSON does not
// have.
func (s Shape) Schema() []byte {
	text, err := value.Encode(s.schema())
	if err != nil {
		return []byte("{}") // never happens: it is made of scalars
	}
	return text
}

// keyword is one field of a schema that is being written.
type keyword struct {
	name  string
	value value.Value
}

func schemaOf(keywords ...keyword) value.Value {
	var names []string
	var values []value.Value
	for _, k := range keywords {
		names, values = append(names, k.name), append(values, k.value)
	}
	return value.NewObject(names, values)
}

func (s Shape) schema() value.Value {
	a := s.get()
	if a.kinds&kindValue == 0 {
		return schemaOf(keyword{"not", schemaOf()})
	}
	var branches []value.Value // alternatives that need a schema of their own
	var types []value.Value
	for _, k := range kindNames {
		constants := a.constants(k.kind)
		switch {
		case a.kinds&k.kind == 0 || k.kind == kindFunction:
		case a.kinds&k.kind != k.kind:
			branches = append(branches, schemaOf(keyword{"const", a.kinds.has(kindTrue)}))
		case constants != nil:
			branches = append(branches, schemaOf(keyword{"enum", constants}))
		case k.kind == kindNumber && a.whole:
			types = append(types, "integer")
		default:
			types = append(types, k.name)
		}
	}
	var keywords []keyword
	switch {
	case len(types) == 1:
		keywords = append(keywords, keyword{"type", types[0]})
	case len(types) > 1 && !s.inside().IsAny():
		keywords = append(keywords, keyword{"type", types})
	}
	keywords = append(keywords, a.details()...)
	switch {
	case len(branches) == 0:
		return schemaOf(keywords...)
	case len(types) == 0 && len(branches) == 1:
		return branches[0]
	case len(types) > 0:
		branches = append(branches, schemaOf(keywords...))
	}
	return schemaOf(keyword{"anyOf", branches})
}

// details returns the keywords about numbers, properties and items.
func (a *alternatives) details() (keywords []keyword) {
	keywords = a.span.bounds()
	if a.kinds.has(kindObject) && (len(a.fields) > 0 || a.rest != open || !a.others.IsAny()) {
		var properties []keyword
		required := []value.Value{}
		for _, f := range a.fields {
			properties = append(properties, keyword{f.Name, f.Shape.schema()})
			if !f.Optional {
				required = append(required, f.Name)
			}
		}
		keywords = append(keywords, keyword{"properties", schemaOf(properties...)})
		if len(required) > 0 {
			keywords = append(keywords, keyword{"required", required})
		}
		switch {
		case !a.others.IsAny():
			keywords = append(keywords, keyword{"additionalProperties", a.others.schema()})
		case a.rest != declared:
			keywords = append(keywords, keyword{"additionalProperties", a.rest == open})
		}
	}
	if !a.kinds.has(kindArray) {
		return keywords
	}
	switch items := a.items.only(kindValue); {
	case items.isNone():
		keywords = append(keywords, keyword{"items", false})
	case !items.Equal(Value()):
		keywords = append(keywords, keyword{"items", items.schema()})
	}
	if a.filled {
		keywords = append(keywords, keyword{"minItems", 1.0})
	}
	return keywords
}
