package mcpgraph

import (
	"regexp"
	"slices"
	"strings"

	"toolgraph/expressions/value"
)

// agree reports whether another answer is the same as toolgraph's: the same value, keys in the same order, or
// a failure for the same reason.
func agree(ours, other outcome, reason func(outcome) string) bool {
	if ours.failed != "" || other.failed != "" {
		return ours.failed != "" && other.failed != "" && reasonHere(ours) == reason(other)
	}
	return canonical(ours.value) == canonical(other.value)
}

// canonical is the text of a JSON value as toolgraph writes it.
func canonical(text string) string {
	v, err := value.Decode([]byte(text))
	if err != nil {
		return "unreadable: " + text
	}
	written, err := value.Encode(v)
	if err != nil {
		return "unwritable: " + text
	}
	return string(written)
}

// A reason is why a run failed: of a limit, of a call, of an expression, of the result.
type reason struct{ name, here, there string }

var reasons = []reason{
	{"limit", `maxNodeExecutions`, `Execution limit exceeded`},
	{"call", `server "up", tool `, `^MCP error|Tool call result:`},
	{"result", `does not fit its outputSchema`, `Invalid tools/call result`},
	{"expression", `\[[A-Z]\d{4}\]|\[(function|depth|size)\]`, `^JSON(ata| Logic) evaluation failed`},
}

func reasonHere(o outcome) string {
	for _, r := range reasons {
		if regexp.MustCompile(r.here).MatchString(o.failed) {
			return r.name
		}
	}
	return "unknown here"
}

func reasonThere(o outcome) string {
	for _, r := range slices.Backward(reasons) { // an invalid result is an MCP error, too
		if regexp.MustCompile(r.there).MatchString(o.failed) {
			return r.name
		}
	}
	return "unknown there"
}

// A difference in the answers that no other way to write the graph shows.
var ofAnswers = []struct {
	name string
	is   func(s *sample, ours, theirs outcome) bool
}{
	{argumentsChecked, func(s *sample, ours, _ outcome) bool {
		return s.wrong && strings.HasPrefix(ours.failed, "invalid arguments: ")
	}},
	// mcpGraph makes {} of 0, "", false, null and nothing at the exit.
	{resultChecked, func(_ *sample, ours, theirs outcome) bool {
		return theirs.value == "{}" && falsy.MatchString(ours.failed)
	}},
	// JavaScript puts keys that look like integers before all others.
	{"integer-keys", func(_ *sample, ours, theirs outcome) bool {
		return theirs.value != "" && ours.value != "" && inScriptOrder(ours.value) == canonical(theirs.value)
	}},
	// JavaScript rounds integers beyond 2^53.
	{"digits", func(_ *sample, ours, theirs outcome) bool {
		rounded := strings.ReplaceAll(ours.value, "9007199254740993", "9007199254740992")
		return ours.value != rounded && canonical(rounded) == canonical(theirs.value)
	}},
}

var falsy = regexp.MustCompile(`does not fit its outputSchema: result: expected an object, got (0|null|false|the string "")\n`)

// ofAnswersRule is the name of the rule by which the answers differ, or empty.
func ofAnswersRule(s *sample, ours, theirs outcome) string {
	for _, r := range ofAnswers {
		if r.is(s, ours, theirs) {
			return r.name
		}
	}
	return ""
}

// inScriptOrder is a JSON text with its keys in the order of JavaScript.
func inScriptOrder(text string) string {
	v, err := value.Decode([]byte(text))
	if err != nil {
		return text
	}
	written, err := value.Encode(sorted(v))
	if err != nil {
		return text
	}
	return string(written)
}

var index = regexp.MustCompile(`^(0|[1-9][0-9]{0,8})$`)

func sorted(v value.Value) value.Value {
	switch x := v.(type) {
	case []any:
		items := make([]any, len(x))
		for i, item := range x {
			items[i] = sorted(item)
		}
		return items
	case value.Object:
		keys := slices.Clone(x.Keys())
		slices.SortStableFunc(keys, func(a, b string) int {
			switch first, second := index.MatchString(a), index.MatchString(b); {
			case first && second:
				return strings.Compare(pad(a), pad(b))
			case first:
				return -1
			case second:
				return 1
			}
			return 0
		})
		values := make([]value.Value, len(keys))
		for i, key := range keys {
			item, _ := x.Get(key)
			values[i] = sorted(item)
		}
		return value.NewObject(keys, values)
	}
	return v
}

func pad(n string) string { return strings.Repeat("0", 9-len(n)) + n }
