package shape

import "toolgraph/expressions/value"

// Schema is the shape as a JSON Schema: what has the shape fits it, and OfSchema
// reads the same shape from it. Nothing and functions, which are no JSON, are
// left out.
func (s Shape) Schema() []byte {
	text, err := value.Encode(s.schema())
	if err != nil {
		return []byte("{}") // cannot be: it is made of scalars
	}
	return text
}

// record is an object under construction.
type record struct {
	keys   []string
	values []value.Value
}

func (r *record) add(key string, value value.Value) {
	r.keys, r.values = append(r.keys, key), append(r.values, value)
}

func (r *record) value() value.Value { return value.NewObject(r.keys, r.values) }

func (s Shape) schema() value.Value {
	a := s.get()
	var alone []value.Value // alternatives that need a schema of their own
	var types []value.Value
	for _, one := range []struct {
		kind  kinds
		named string
	}{{kindString, "string"}, {kindNumber, "number"}, {kindBoolean, "boolean"}, {kindObject, "object"}, {kindArray, "array"}, {kindNull, "null"}} {
		if a.kinds&one.kind != one.kind {
			continue
		}
		if constants := a.constants(one.kind); constants != nil {
			var r record
			r.add("enum", constants)
			alone = append(alone, r.value())
			continue
		}
		if one.kind == kindNumber && a.whole {
			one.named = "integer"
		}
		types = append(types, one.named)
	}
	for _, one := range []struct {
		kind kinds
		fact bool
	}{{kindTrue, true}, {kindFalse, false}} {
		if a.kinds&kindBoolean == one.kind {
			var r record
			r.add("const", one.fact)
			alone = append(alone, r.value())
		}
	}
	var r record
	switch {
	case a.kinds&kindValue == 0:
		r.add("not", value.NewObject(nil, nil))
		return r.value()
	case len(types) == 1:
		r.add("type", types[0])
	case len(types) > 1 && !s.inside().IsAny():
		r.add("type", types)
	}
	a.details(&r)
	switch {
	case len(alone) == 0:
		return r.value()
	case len(types) == 0 && len(alone) == 1:
		return alone[0]
	case len(types) > 0:
		alone = append(alone, r.value())
	}
	var choice record
	choice.add("anyOf", alone)
	return choice.value()
}

// constants are the only numbers or strings of the shape.
func (a *alternatives) constants(kind kinds) []any {
	var out []any
	switch kind {
	case kindString:
		for _, s := range a.strings {
			out = append(out, s)
		}
	case kindNumber:
		for _, f := range a.numbers {
			out = append(out, f)
		}
	default:
	}
	return out
}

// details tells of properties and items.
func (a *alternatives) details(r *record) {
	if a.kinds.has(kindObject) && (len(a.fields) > 0 || a.rest != open) {
		var properties record
		required := []value.Value{}
		for _, f := range a.fields {
			properties.add(f.Name, f.Shape.schema())
			if !f.Optional {
				required = append(required, f.Name)
			}
		}
		r.add("properties", properties.value())
		if len(required) > 0 {
			r.add("required", required)
		}
		switch a.rest {
		case closed:
			r.add("additionalProperties", false)
		case open:
			r.add("additionalProperties", true)
		case declared:
		}
	}
	if !a.kinds.has(kindArray) {
		return
	}
	switch items := a.items.only(kindValue); {
	case items.get().kinds == 0:
		r.add("items", false)
	case !items.Equal(Value()):
		r.add("items", items.schema())
	}
	if a.filled {
		r.add("minItems", 1.0)
	}
}
