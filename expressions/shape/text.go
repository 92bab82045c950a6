package shape

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"toolgraph/expressions/value"
)

// maxText is how long a shape may be for people, in characters.
const maxText = 80

// String is the shape for people: array of {name: string, size?: number}. It is at
// most 80 characters long; what is deep inside a large one is left out.
func (s Shape) String() string {
	var out string
	for depth := 4; depth >= 0; depth-- {
		if out = s.text(depth); utf8.RuneCountInString(out) <= maxText {
			return out
		}
	}
	runes := []rune(out)
	return string(runes[:maxText-1]) + "…"
}

// text is the shape with objects and arrays shown down to depth.
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
	if rest.has(kindString) {
		parts = append(parts, constantsText("string", a.strings, shortQuote)...)
	}
	if rest.has(kindNumber) {
		all := "number"
		if a.whole {
			all = "integer"
		}
		parts = append(parts, constantsText(all, a.numbers, numberText)...)
	}
	switch rest & kindBoolean {
	case kindBoolean:
		parts = append(parts, "boolean")
	case kindTrue:
		parts = append(parts, "true")
	case kindFalse:
		parts = append(parts, "false")
	}
	if rest.has(kindObject) {
		parts = append(parts, a.objectText(depth))
	}
	if rest.has(kindArray) {
		parts = append(parts, a.arrayText(depth))
	}
	for _, one := range []struct {
		kind kinds
		text string
	}{{kindFunction, "function"}, {kindNull, "null"}, {kindNothing, "nothing"}} {
		if rest.has(one.kind) {
			parts = append(parts, one.text)
		}
	}
	return strings.Join(parts, " or ")
}

// constantsText names up to three constants.
func constantsText[T any](all string, values []T, text func(T) string) []string {
	if values == nil {
		return []string{all}
	}
	var out []string
	for i, v := range values {
		if i == 3 && len(values) > 4 {
			return append(out, "one of "+strconv.Itoa(len(values)-i)+" more")
		}
		out = append(out, text(v))
	}
	return out
}

func shortQuote(s string) string {
	const most = 24
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most-1]) + "…"
	}
	text, err := value.Encode(s)
	if err != nil {
		return "string"
	}
	return string(text)
}

func numberText(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func (a *alternatives) arrayText(depth int) string {
	switch {
	case a.items.get().kinds == 0:
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
	for i, f := range a.fields {
		if i == most && len(a.fields) > most {
			break
		}
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
