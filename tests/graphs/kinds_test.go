package graphs

import (
	"regexp"
	"slices"
	"strings"

	"toolgraph/expressions/value"
)

// kind is a difference that is meant. Each has a row in a table of docs/expressions.md
// that begins with its name.
type kind struct {
	name string
	is   func(p pair, ours, theirs answer) bool
}

// kinds are all differences that are meant. One that never comes up fails the test, and
// so does a difference that is of none of them.
var kinds = []kind{
	{"not-finite", isNotFinite},
	{"integer-keys", isIntegerKeys},
	{"characters", isCharacters},
	{"writes-into-empty", isWrittenInto},
	{"javascript-errors", isScriptError},
	{"base64-utf8", isMeant("base64-utf8")},
	{"context-order", isMeant("context-order")},
	{"equality-of-contents", isMeant("equality-of-contents")},
	{"substr-of-characters", isMeant("substr-of-characters")},
}

// kindOf is the name of the kind that the difference is of, or empty.
func kindOf(p pair, ours, theirs answer) string {
	for _, k := range kinds {
		if k.is(p, ours, theirs) {
			return k.name
		}
	}
	return ""
}

// isNotFinite: the reference writes null for a number that is not finite.
func isNotFinite(_ pair, ours, theirs answer) bool {
	return theirs.Odd && strings.Contains(ours.Error, "not finite")
}

// isIntegerKeys: JavaScript puts keys that look like integers before all others.
func isIntegerKeys(_ pair, ours, theirs answer) bool {
	if ours.Value == nil || theirs.Value == nil || !integerKey.Match(theirs.Value) {
		return false
	}
	v, err := value.Decode(ours.Value)
	if err != nil {
		return false
	}
	text, err := value.Encode(inScriptOrder(v))
	return err == nil && string(text) == theirs.String()
}

var integerKey = regexp.MustCompile(`"(0|[1-9][0-9]{0,8})":`)

// inScriptOrder is the value with its keys in the order of JavaScript.
func inScriptOrder(v value.Value) value.Value {
	switch x := v.(type) {
	case []any:
		items := make([]any, len(x))
		for i, item := range x {
			items[i] = inScriptOrder(item)
		}
		return items
	case value.Object:
		var numbers, others []string
		for _, key := range x.Keys() {
			if integerKey.MatchString(quote(key) + ":") {
				numbers = append(numbers, key)
			} else {
				others = append(others, key)
			}
		}
		sortNumbers(numbers)
		keys := slices.Concat(numbers, others)
		values := make([]value.Value, len(keys))
		for i, key := range keys {
			item, _ := x.Get(key)
			values[i] = inScriptOrder(item)
		}
		return value.NewObject(keys, values)
	}
	return v
}

func sortNumbers(keys []string) {
	for i := range keys {
		for j := i; j > 0 && (len(keys[j]) < len(keys[j-1]) || len(keys[j]) == len(keys[j-1]) && keys[j] < keys[j-1]); j-- {
			keys[j], keys[j-1] = keys[j-1], keys[j]
		}
	}
}

var matchIndex = regexp.MustCompile(`"index":[0-9]+`)

// isCharacters: text is counted in characters here, and in UTF-16 units by regular
// expressions and $split of the reference, which can take a character apart.
func isCharacters(p pair, ours, theirs answer) bool {
	source := p.source.String()
	if theirs.Error == "D3140" { // half a character in a URL
		return ours.Value != nil && strings.Contains(source, "/, ")
	}
	if p.isRule || ours.Value == nil || theirs.Value == nil {
		return false
	}
	if strings.Contains(source, "$match(") {
		without := func(a answer) string { return matchIndex.ReplaceAllString(a.String(), `"index":0`) }
		if without(ours) == without(theirs) {
			return true
		}
	}
	return strings.ContainsRune(theirs.String(), '\uFFFD') && !strings.ContainsRune(ours.String(), '\uFFFD')
}

// isWrittenInto: a group or a transform of the reference puts undefined into the empty
// list that it looks at, and whatever else reads that list finds it.
func isWrittenInto(p pair, ours, theirs answer) bool {
	if ours.Value == nil || theirs.Value == nil || !strings.ContainsAny(p.source.String(), "{|") {
		return false
	}
	nulls := func(a answer) int { return strings.Count(a.String(), "null") }
	return nulls(theirs) > nulls(ours) && withoutNulls(theirs) == withoutNulls(ours)
}

var nullItems = strings.NewReplacer(",null", "", "null,", "", "[null]", "[]")

func withoutNulls(a answer) string { return nullItems.Replace(a.String()) }

// isScriptError: the reference fails inside JavaScript, where a transform changes what is
// no object, or #$i counts nothing.
func isScriptError(_ pair, ours, theirs answer) bool {
	return ours.Error == "" && strings.HasPrefix(theirs.Error, "TypeError: ")
}

// isMeant: the answer is the one that the reference gives with this difference made in it.
func isMeant(name string) func(pair, answer, answer) bool {
	return func(_ pair, ours, theirs answer) bool {
		other, ok := theirs.Meant[name]
		return ok && other.agrees(ours)
	}
}
