package shape

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

const (
	// maxText is how long a shape in a message may be, in characters.
	maxText = 80
	// missing is the text for nothing.
	missing = "missing"
)

// String returns the shape for people: array of {name: string, size?: number}. It has at
// most 80 characters; inner parts of a large shape are left out.
func (s Shape) String() string {
	var out string
	for depth := 4; depth >= 0; depth-- {
		if out = s.text(depth); utf8.RuneCountInString(out) <= maxText {
			return out
		}
	}
	return wording.Truncate(out, maxText-1)
}

// kindNames are the kinds in the order in which a shape lists them, with their names for
// people and in JSON Schema, which are those of $type as well.
var kindNames = []struct {
	kind kinds
	name string
}{
	{kindString, "string"},
	{kindNumber, "number"},
	{kindBoolean, "boolean"},
	{kindObject, "object"},
	{kindArray, "array"},
	{kindFunction, "function"},
	{kindNull, "null"},
}

// text returns the shape with objects and arrays shown down to depth.
func (s Shape) text(depth int) string {
	a := s.get()
	switch a.kinds {
	case kindAll:
		return "anything"
	case 0:
		return "no value"
	}
	var parts []string
	rest := a.kinds
	if rest&kindValue == kindValue {
		parts = append(parts, "any value")
		rest &^= kindValue | kindFunction
	}
	for _, k := range kindNames {
		switch rest & k.kind {
		case 0:
			continue
		case kindTrue, kindFalse:
			k.name = strconv.FormatBool(rest.has(kindTrue))
		case kindObject:
			k.name = a.objectText(depth)
		case kindArray:
			k.name = a.arrayText(depth)
		case kindNumber:
			if a.whole {
				k.name = "integer"
			}
		}
		if constants := a.constants(k.kind); constants != nil {
			parts = append(parts, constantsText(constants)...)
		} else {
			parts = append(parts, k.name)
		}
	}
	if rest.has(kindNothing) {
		parts = append(parts, missing)
	}
	return strings.Join(parts, " or ")
}

// constants returns the only strings or numbers of the shape; nil when it has others.
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

// constantsText names up to four constants; of more, the first three.
func constantsText(constants []any) []string {
	var out []string
	for i, v := range constants {
		if i == 3 && len(constants) > 4 {
			return append(out, "one of "+strconv.Itoa(len(constants)-i)+" more")
		}
		if s, isText := v.(string); isText {
			out = append(out, strconv.Quote(wording.Truncate(s, 23)))
		} else {
			out = append(out, value.NumberText(v.(float64)))
		}
	}
	return out
}

func (a *alternatives) arrayText(depth int) string {
	switch {
	case a.items.isNone():
		return "empty array"
	case depth == 0 || a.items.can(kindNothing) || a.items.only(kindValue).Equal(Value()):
		return "array"
	}
	text := a.items.text(depth - 1)
	if !a.items.get().kinds.single() || strings.Contains(text, " or ") && text[0] == '"' {
		text = "(" + text + ")"
	}
	return "array of " + text
}

func (a *alternatives) objectText(depth int) string {
	switch {
	case len(a.fields) == 0 && a.rest == closed:
		return "empty object"
	case len(a.fields) == 0 || depth == 0:
		return "object"
	}
	const most = 8
	var parts []string
	for _, f := range a.fields[:min(most, len(a.fields))] {
		name := f.Name
		if f.Optional {
			name += "?"
		}
		text := "any value"
		if !f.Shape.IsAny() {
			text = f.Shape.text(depth - 1)
		}
		parts = append(parts, name+": "+text)
	}
	if a.rest == open || len(a.fields) > most {
		parts = append(parts, "…")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
