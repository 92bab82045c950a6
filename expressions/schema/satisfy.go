package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// warnUnsatisfiable reports schemas that no value fits, and values of an enum that the schema excludes.
func warnUnsatisfiable(source *config.Data, field string, found *config.Diagnostics) {
	for path, part := range schemas(source) {
		u := unsatisfiable{part: part, where: field + path, found: found}
		u.bounds()
		u.choices()
		u.closed()
		u.pattern()
	}
}

// unsatisfiable checks one schema.
type unsatisfiable struct {
	part  *config.Data
	where string
	found *config.Diagnostics
}

func (u *unsatisfiable) warn(pos config.Pos, message, hint string) *config.Diagnostic {
	return u.found.Warn(pos, "schema-unsatisfiable", message, hint)
}

// pairsOfBounds are the keywords that bound the same from below and above; with open, equal bounds
// exclude each other.
var pairsOfBounds = []struct {
	least, most string
	open        bool
}{
	{"minimum", "maximum", false},
	{"exclusiveMinimum", "maximum", true},
	{"minimum", "exclusiveMaximum", true},
	{"exclusiveMinimum", "exclusiveMaximum", true},
	{"minLength", "maxLength", false},
	{"minItems", "maxItems", false},
	{"minProperties", "maxProperties", false},
	{"minContains", "maxContains", false},
}

// bounds reports a lower bound above the upper one.
func (u *unsatisfiable) bounds() {
	for _, pair := range pairsOfBounds {
		least, most := u.number(pair.least), u.number(pair.most)
		if least == nil || most == nil {
			continue
		}
		if order := least.Cmp(most); order < 0 || order == 0 && !pair.open {
			continue
		}
		hint := "lower " + pair.least + ", or raise " + pair.most
		if !pair.open && pair.least != "minContains" {
			hint = "swap the bounds, or correct one"
		}
		u.warn(u.part.Get(pair.least).Pos, fmt.Sprintf("no value fits %s: %s is %s, and %s is %s", u.where, pair.least, ratio(least), pair.most, ratio(most)), hint)
		return
	}
}

// number returns the number of a keyword, or nil.
func (u *unsatisfiable) number(name string) *big.Rat { return numberOf(u.part.Get(name)) }

func numberOf(d *config.Data) *big.Rat {
	if d == nil {
		return nil
	}
	switch n := d.Scalar.(type) {
	case float64:
		return new(big.Rat).SetFloat64(n)
	case json.Number:
		if r, ok := new(big.Rat).SetString(string(n)); ok {
			return r
		}
	}
	return nil
}

// choices reports what is wrong with enum and const.
func (u *unsatisfiable) choices() {
	enum := u.part.Get("enum")
	if one := u.part.Get("const"); one != nil {
		u.choice(one, "const")
		if enum != nil && !slices.ContainsFunc(enum.Items, func(item *config.Data) bool { return string(item.JSON()) == string(one.JSON()) }) {
			u.warn(one.Pos, fmt.Sprintf("no value fits %s: const is %s, and enum does not have it", u.where, one.JSON()), "remove enum, or correct const").Fixed(config.RemoveNamed(one.Pos, "enum"))
		}
	}
	if enum == nil || enum.Kind != config.KindArray {
		return
	}
	if len(enum.Items) == 0 {
		u.warn(enum.Pos, fmt.Sprintf("no value fits %s: enum is empty", u.where), "list the allowed values, or remove enum").Fixed(config.RemoveNamed(enum.Pos, "enum"))
	}
	seen := map[string]bool{}
	for _, item := range enum.Items {
		text := string(item.JSON())
		if seen[text] {
			u.warn(item.Pos, fmt.Sprintf("enum of %s has %s twice", u.where, wording.Shorten(text)), "remove one of them").Over(item.Text).Fixed(config.RemoveItem(item.Pos))
			continue
		}
		seen[text] = true
		if !u.choice(item, "enum") {
			return // most likely all are of that kind
		}
	}
}

// choice reports a value of enum or const that type or the bounds exclude, and whether there is none.
func (u *unsatisfiable) choice(item *config.Data, keyword string) bool {
	written := wording.Shorten(string(item.JSON()))
	types := typesOf(u.part)
	if kind := kindOf(item); len(types) > 0 && !slices.Contains(types, kind) && (kind != "integer" || !slices.Contains(types, "number")) {
		hint, fix := "correct type, or the value", config.Fix{}
		switch text, isText := item.Scalar.(string); {
		case slices.Contains(types, "string") && item.Kind == config.KindScalar:
			hint, fix = "quote it: "+wording.Quote(written), config.QuoteAt(item.Pos)
		case isText && json.Valid([]byte(text)):
			hint, fix = "write "+wording.Shorten(text)+" without quotes", config.WriteScalar("Remove the quotes", item.Text, text)
		}
		u.warn(item.Pos, fmt.Sprintf("%s of %s has %s, which its type, %s, excludes", keyword, u.where, written, strings.Join(types, " or ")), hint).Fixed(fix)
		return false
	}
	n := numberOf(item)
	for _, bound := range []struct {
		name  string
		order int // of the value to the bound, when it is excluded
	}{{"minimum", -1}, {"maximum", 1}} {
		if limit := u.number(bound.name); n != nil && limit != nil && n.Cmp(limit) == bound.order {
			u.warn(item.Pos, fmt.Sprintf("%s of %s has %s, which its %s, %s, excludes", keyword, u.where, written, bound.name, ratio(limit)), "correct one of the two")
			return false
		}
	}
	return true
}

// kindOf returns the type of a value.
func kindOf(d *config.Data) string {
	switch d.Kind {
	case config.KindObject:
		return "object"
	case config.KindArray:
		return "array"
	case config.KindScalar, config.KindExpression:
	}
	switch d.Scalar.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	}
	if n := numberOf(d); n != nil && n.IsInt() {
		return "integer"
	}
	return "number"
}

// closed reports required names that an object without properties does not allow.
func (u *unsatisfiable) closed() {
	more, required := u.part.Get("additionalProperties"), u.part.Get("required")
	if more == nil || more.Scalar != false || required == nil || len(required.Items) == 0 || hasAny(u.part, elsewhere...) || hasAny(u.part, "properties") {
		return
	}
	first := required.Items[0]
	u.warn(first.Pos, fmt.Sprintf("no value fits %s: it requires %s, and additionalProperties: false allows no properties", u.where, wording.Shorten(string(first.JSON()))),
		"declare it under properties")
}

var (
	delimited = wording.Pattern(`^/\^.*/[a-z]*$|^/.*[^\\]\$/[a-z]*$`)
	escaped   = wording.Pattern(`(?:^|[^\\])\\\\[dswDSW](?:[+*?{]|$)`)
)

// pattern reports the delimiters and the escapes of other languages in a pattern.
func (u *unsatisfiable) pattern() {
	at := u.part.Get("pattern")
	if at == nil {
		return
	}
	text, _ := at.Scalar.(string)
	switch {
	case delimited().MatchString(text):
		inner := text[1:strings.LastIndexByte(text, '/')]
		u.warn(at.Pos, fmt.Sprintf("pattern of %s is between slashes, which belong to the pattern, so that no text matches", u.where), "write "+wording.Shorten(inner))
	case escaped().MatchString(text):
		u.warn(at.Pos, fmt.Sprintf("pattern of %s has \\\\, which matches a backslash", u.where), `write one \ outside of double quotes, as in '\d+'`)
	}
}
