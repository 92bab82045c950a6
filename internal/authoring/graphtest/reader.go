package graphtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// reader reads the parts of a test file and collects every error in it. who is the owner of
// a key in messages.
type reader struct {
	found  config.Diagnostics
	graph  string // of a file that names none
	drafts bool   // cases may expect nothing
}

// object reports whether data is a mapping, and reports its unknown keys.
func (r *reader) object(data *config.Data, who string, known ...string) bool {
	keys := "its keys are " + strings.Join(known, ", ")
	if data.Kind != config.KindObject {
		r.wrong(data, who, "a mapping", keys)
		return false
	}
	for _, key := range data.Keys {
		if !slices.Contains(known, key.Value) {
			near := wording.Nearest(key.Value, known)
			r.found.Add(key.Pos, "unknown-key", fmt.Sprintf("unknown field %q of %s", key.Value, who), cmp.Or(wording.Meant(near), keys)).Meant(key, near)
		}
	}
	return true
}

func (r *reader) wrong(data *config.Data, who, expected, hint string) *config.Diagnostic {
	return r.found.Add(data.Pos, "wrong-type", fmt.Sprintf("%s is %s, expected %s", who, describe(data), expected), hint)
}

// bad reports an error that only test files can have.
func (r *reader) bad(pos config.Pos, message, hint string) *config.Diagnostic {
	return r.found.Add(pos, "bad-test", message, hint)
}

// text returns the text under a key; "" when it is missing.
func (r *reader) text(data *config.Data, key, who string) config.Text {
	item := data.Get(key)
	if item == nil {
		return config.Text{}
	}
	return r.textOf(item, key+" of "+who)
}

func (r *reader) textOf(item *config.Data, who string) config.Text {
	if _, ok := item.Scalar.(string); !ok {
		r.wrong(item, who, "text", "quote it").Fixed(config.QuoteAt(item.Pos))
	}
	return item.Text
}

// texts returns the list of texts under a key.
func (r *reader) texts(data *config.Data, key, who string) []config.Text {
	var texts []config.Text
	for _, one := range r.list(data, key, who, "a list of text") {
		texts = append(texts, r.textOf(one, "an item of "+key+" of "+who))
	}
	return texts
}

// flag returns the boolean under a key; false when it is missing.
func (r *reader) flag(data *config.Data, key, who string) bool {
	item := data.Get(key)
	if item == nil {
		return false
	}
	b, ok := item.Scalar.(bool)
	if !ok {
		r.wrong(item, key+" of "+who, "true or false", "")
	}
	return b
}

// count returns the whole number under a key, at least least; 0 when it is missing.
func (r *reader) count(data *config.Data, key, who string, least int) int {
	item := data.Get(key)
	if item == nil {
		return 0
	}
	n, ok := item.Scalar.(float64)
	if !ok || n != math.Trunc(n) || n < float64(least) || n > math.MaxInt32 {
		r.wrong(item, key+" of "+who, fmt.Sprintf("a whole number of at least %d", least), "")
		return 0
	}
	return int(n)
}

// list returns the items of a list under a key.
func (r *reader) list(data *config.Data, key, who, expected string) []*config.Data {
	item := data.Get(key)
	if item != nil && item.Kind != config.KindArray {
		r.wrong(item, key+" of "+who, expected, "")
		return nil
	}
	if item == nil {
		return nil
	}
	return item.Items
}

// mapping returns the mapping under a key; an empty one when it is missing.
func (r *reader) mapping(data *config.Data, key, who, expected string) *config.Data {
	item := data.Get(key)
	if item != nil && item.Kind == config.KindObject {
		return item
	}
	if item != nil {
		r.wrong(item, key+" of "+who, expected, "")
	}
	return &config.Data{Kind: config.KindObject}
}

// valueOf returns data as a value; nil for no data, Null for null.
func valueOf(data *config.Data) value.Value {
	if data == nil {
		return nil
	}
	v, err := value.Decode(data.JSON())
	if err != nil { // data is always JSON
		return value.Null
	}
	return v
}

// describe returns the kind of data, for "found …".
func describe(data *config.Data) string {
	switch data.Kind {
	case config.KindObject:
		return "a mapping"
	case config.KindArray:
		return "a list"
	case config.KindExpression, config.KindScalar:
	}
	switch v := data.Scalar.(type) {
	case nil:
		return "nothing"
	case string:
		return "text"
	case float64, json.Number:
		return fmt.Sprintf("the number %v", v)
	}
	return fmt.Sprintf("the value %v", data.Scalar)
}
