package schema

import (
	"math"
	"slices"
	"strings"

	"toolgraph/expressions/value"
)

// simple is a schema of types, properties, required members and items, which most tools have. It says of most small values that they
// fit: the validator, which says why others do not, takes more time and stack for them than the rest of a short call. It is
// immutable; nil says that of none.
type simple struct {
	types      types // 0: all
	properties map[string]*simple
	required   []string
	closed     bool    // there are no other properties
	items      *simple // nil: any
}

// types is a set of JSON types.
type types uint8

const (
	objectType types = 1 << iota
	arrayType
	stringType
	numberType
	integerType
	booleanType
	nullType
)

var typesByName = map[string]types{
	"object": objectType, "array": arrayType, "string": stringType, "number": numberType | integerType, "integer": integerType, "boolean": booleanType, "null": nullType,
}

const (
	// simpleDepth bounds the parts of simple schemas, and simpleValues the values that are looked at.
	simpleDepth  = 8
	simpleValues = 64
)

// newSimple returns the simple form of a decoded schema, or nil when it says more.
func newSimple(document any, depth int) *simple {
	if document == true {
		return &simple{}
	}
	all, isObject := document.(map[string]any)
	if !isObject || depth > simpleDepth {
		return nil
	}
	s, ok := &simple{}, true
	for key, is := range all {
		switch {
		case key == "type":
			s.types = typeSet(is)
			ok = s.types != 0
		case key == "properties":
			s.properties, ok = simpleProperties(is, depth)
		case key == "required":
			s.required, ok = textsOf(is)
		case key == "additionalProperties":
			allowed, isBool := is.(bool)
			s.closed, ok = !allowed, isBool
		case key == "items":
			s.items = newSimple(is, depth+1)
			ok = s.items != nil
		case key == "$schema":
			text, _ := is.(string)
			ok = depth == 0 && (strings.Contains(text, "/2020-12/") || strings.Contains(text, "/2019-09/") || strings.Contains(text, "draft-07"))
		case key == "title", key == "description", key == "default", key == "examples", key == "$comment", key == "deprecated", strings.HasPrefix(key, "x-"):
		default:
			ok = false
		}
		if !ok {
			return nil
		}
	}
	return s
}

func typeSet(is any) (set types) {
	if name, isText := is.(string); isText {
		return typesByName[name]
	}
	names, all := textsOf(is)
	for _, name := range names {
		if set |= typesByName[name]; typesByName[name] == 0 {
			return 0
		}
	}
	if !all {
		return 0
	}
	return set
}

func textsOf(is any) (texts []string, all bool) {
	list, isList := is.([]any)
	for _, item := range list {
		text, isText := item.(string)
		if !isText {
			return nil, false
		}
		texts = append(texts, text)
	}
	return texts, isList
}

func simpleProperties(is any, depth int) (properties map[string]*simple, all bool) {
	object, isObject := is.(map[string]any)
	properties = make(map[string]*simple, len(object))
	for name, part := range object {
		if properties[name] = newSimple(part, depth+1); properties[name] == nil {
			return nil, false
		}
	}
	return properties, isObject
}

// fits reports whether a value is known to fit. left is how many values may still be looked at.
func (s *simple) fits(v value.Value, left *int) bool {
	if *left--; s == nil || *left < 0 {
		return false
	}
	has := func(t types) bool { return s.types == 0 || s.types&t != 0 }
	switch v := v.(type) {
	case string:
		return has(stringType)
	case bool:
		return has(booleanType)
	case float64:
		return has(numberType) || has(integerType) && v == math.Trunc(v)
	case value.NullType:
		return has(nullType)
	case []any:
		return has(arrayType) && (s.items == nil || !slices.ContainsFunc(v, func(item any) bool { return !s.items.fits(item, left) }))
	case value.Object:
		return has(objectType) && s.fitsObject(v, left)
	}
	return false
}

func (s *simple) fitsObject(o value.Object, left *int) bool {
	for _, name := range s.required {
		if _, has := o.Get(name); !has {
			return false
		}
	}
	for _, name := range o.Keys() {
		part := s.properties[name]
		if part == nil && s.closed {
			return false
		}
		if v, _ := o.Get(name); part != nil && !part.fits(v, left) {
			return false
		}
	}
	return true
}
