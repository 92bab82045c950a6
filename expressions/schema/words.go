package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// expectation says what a keyword wants.
func expectation(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return typeWords(k.Want)
	case *kind.Enum:
		return "one of " + values(k.Want)
	case *kind.Const:
		return values([]any{k.Want})
	case *kind.Format:
		return "a string of format " + k.Want
	case *kind.Pattern:
		return "a string that matches " + k.Want
	case *kind.Not:
		return "something that the schema does not exclude"
	case *kind.OneOf:
		return fmt.Sprintf("exactly one of the allowed forms, but %d fit", len(k.Subschemas))
	case *kind.PropertyNames:
		return "keys that fit propertyNames"
	case *kind.DependentRequired:
		return list(k.Missing) + " together with " + quoted(k.Prop)
	case *kind.Dependency:
		return list(k.Missing) + " together with " + quoted(k.Prop)
	case *kind.RefCycle:
		return "a schema whose references end"
	case *kind.Minimum, *kind.Maximum, *kind.ExclusiveMinimum, *kind.ExclusiveMaximum, *kind.MultipleOf:
		return numberExpectation(k)
	}
	return sizeExpectation(k)
}

func numberExpectation(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Minimum:
		return "at least " + ratio(k.Want)
	case *kind.Maximum:
		return "at most " + ratio(k.Want)
	case *kind.ExclusiveMinimum:
		return "more than " + ratio(k.Want)
	case *kind.ExclusiveMaximum:
		return "less than " + ratio(k.Want)
	case *kind.MultipleOf:
		return "a multiple of " + ratio(k.Want)
	}
	return "another number"
}

func sizeExpectation(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.MinLength:
		return "at least " + count(k.Want, "character")
	case *kind.MaxLength:
		return "at most " + count(k.Want, "character")
	case *kind.MinItems:
		return "at least " + count(k.Want, "item")
	case *kind.MaxItems:
		return "at most " + count(k.Want, "item")
	case *kind.MinProperties:
		return "at least " + count(k.Want, "key")
	case *kind.MaxProperties:
		return "at most " + count(k.Want, "key")
	case *kind.AdditionalItems:
		return count(k.Count, "item") + " fewer"
	case *kind.UniqueItems:
		return fmt.Sprintf("items that differ, but %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains:
		return "an item that fits contains"
	case *kind.MinContains:
		return "at least " + count(k.Want, "item") + " that fit contains"
	case *kind.MaxContains:
		return "at most " + count(k.Want, "item") + " that fit contains"
	case *kind.ContentEncoding:
		return "content in " + k.Want
	case *kind.ContentMediaType:
		return "content of type " + k.Want
	}
	return "a value that fits " + strings.Join(k.KeywordPath(), "/")
}

var typeNames = map[string]string{
	"object": "an object", "array": "an array", "string": "a string", "number": "a number",
	"integer": "an integer", "boolean": "true or false", "null": "null",
}

func typeWords(types []string) string {
	words := make([]string, 0, len(types))
	seen := map[string]bool{}
	for _, t := range types {
		if !seen[t] {
			seen[t] = true
			words = append(words, typeNames[t])
		}
	}
	return strings.Join(words, " or ")
}

// describe names a value: its kind, and its text where that is short.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		if n := len([]rune(v)); n > 40 {
			return "a string of " + count(n, "character")
		}
		return "the string " + quoted(v)
	case []any:
		return "an array of " + count(len(v), "item")
	case map[string]any:
		return "an object with " + count(len(v), "key")
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return Shorten(string(raw))
}

func values(vs []any) string {
	const most = 12
	words := make([]string, 0, min(len(vs), most+1))
	for i, v := range vs {
		if i == most {
			words = append(words, fmt.Sprintf("… (%d in all)", len(vs)))
			break
		}
		raw, err := json.Marshal(v)
		if err != nil {
			raw = fmt.Append(nil, v)
		}
		words = append(words, Shorten(string(raw)))
	}
	return strings.Join(words, ", ")
}

func list(names []string) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = quoted(name)
	}
	return strings.Join(words, ", ")
}

func quoted(text string) string { return strconv.Quote(Shorten(text)) }

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func ratio(r *big.Rat) string {
	if r.IsInt() {
		return Shorten(r.RatString())
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// Shorten keeps a value from filling a message: at most 60 bytes of it, then …
func Shorten(text string) string {
	const limit = 60
	if len(text) <= limit {
		return text
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
