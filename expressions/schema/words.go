package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"toolgraph/internal/base/wording"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// expectation describes the values that fit a keyword.
func expectation(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return typeWords(k.Want)
	case *kind.Enum:
		return "one of " + valueList(k.Want)
	case *kind.Const:
		return valueList([]any{k.Want})
	case *kind.Not:
		return "a value that the schema does not exclude"
	case *kind.OneOf:
		return fmt.Sprintf("exactly one of the allowed forms, but %d fit", len(k.Subschemas))
	case *kind.DependentRequired:
		return quotedList(k.Missing) + " together with " + wording.Quote(k.Prop)
	case *kind.Dependency:
		return quotedList(k.Missing) + " together with " + wording.Quote(k.Prop)
	case *kind.PropertyNames:
		return "keys that fit propertyNames"
	case *kind.RefCycle:
		return "a schema whose references end"
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
	case *kind.Format:
		return "a string of format " + k.Want
	case *kind.Pattern:
		return "a string that matches " + k.Want
	case *kind.ContentEncoding:
		return "content in " + k.Want
	case *kind.ContentMediaType:
		return "content of type " + k.Want
	}
	return sizeExpectation(k)
}

func sizeExpectation(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.MinLength:
		return "at least " + wording.Count(k.Want, "character")
	case *kind.MaxLength:
		return "at most " + wording.Count(k.Want, "character")
	case *kind.MinItems:
		return "at least " + wording.Count(k.Want, "item")
	case *kind.MaxItems:
		return "at most " + wording.Count(k.Want, "item")
	case *kind.MinProperties:
		return "at least " + wording.Count(k.Want, "key")
	case *kind.MaxProperties:
		return "at most " + wording.Count(k.Want, "key")
	case *kind.AdditionalItems:
		return wording.Count(k.Count, "item") + " fewer"
	case *kind.UniqueItems:
		return fmt.Sprintf("items that differ, but %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains:
		return "an item that fits contains"
	case *kind.MinContains:
		return "at least " + wording.Count(k.Want, "item") + " that fit contains"
	case *kind.MaxContains:
		return "at most " + wording.Count(k.Want, "item") + " that fit contains"
	}
	return "a value that fits " + strings.Join(k.KeywordPath(), "/")
}

var typeNames = map[string]string{
	"object": "an object", "array": "an array", "string": "a string", "number": "a number",
	"integer": "an integer", "boolean": "a boolean (true or false)", "null": "null",
}

func typeWords(types []string) string {
	var words []string
	for _, t := range types {
		if word := typeNames[t]; !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, " or ")
}

// describe names a value: its kind, and its text where that is short.
func describe(v any) string {
	switch v := v.(type) {
	case string:
		if n := len([]rune(v)); n > 40 {
			return "a string of " + wording.Count(n, "character")
		}
		return "the string " + wording.Quote(v)
	case []any:
		return "an array of " + wording.Count(len(v), "item")
	case map[string]any:
		return "an object with " + wording.Count(len(v), "key")
	}
	return valueList([]any{v})
}

// valueList returns up to 12 values as JSON, each shortened.
func valueList(vs []any) string {
	const most = 12
	var words []string
	for _, v := range vs[:min(len(vs), most)] {
		raw, err := json.Marshal(v)
		if err != nil {
			raw = fmt.Append(nil, v)
		}
		words = append(words, wording.Shorten(string(raw)))
	}
	if len(vs) > most {
		words = append(words, fmt.Sprintf("… (%d in all)", len(vs)))
	}
	return strings.Join(words, ", ")
}

func quotedList(names []string) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = wording.Quote(name)
	}
	return strings.Join(words, ", ")
}

func ratio(r *big.Rat) string {
	if r.IsInt() {
		return wording.Shorten(r.RatString())
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}
