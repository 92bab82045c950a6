package graphtest

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/wording"
)

// reader makes the nouns of a test file of its data, and notes every mistake.
type reader struct {
	found  config.Diagnostics
	graph  string // of a file that names none
	drafts bool   // cases may expect nothing
}

// object checks that data is a mapping with no other keys than the known ones.
func (r *reader) object(data *config.Data, who string, known ...string) bool {
	if data.Kind != config.KindObject {
		r.wrong(data, who, "a mapping", "its keys are "+strings.Join(known, ", "))
		return false
	}
	for _, key := range data.Keys {
		if slices.Contains(known, key.Value) {
			continue
		}
		hint := "its keys are " + strings.Join(known, ", ")
		if near := wording.Nearest(key.Value, known); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		r.found.Add(key.Pos, "unknown-key", fmt.Sprintf("unknown field %q of %s", key.Value, who), hint)
	}
	return true
}

func (r *reader) wrong(data *config.Data, who, expected, hint string) {
	r.found.Add(data.Pos, "wrong-type", fmt.Sprintf("%s is %s, expected %s", who, describe(data), expected), hint)
}

// bad notes a mistake that only test files can have.
func (r *reader) bad(pos config.Pos, message, hint string) {
	r.found.Add(pos, "bad-test", message, hint)
}

// text is the text under a key; "" when it is left out.
func (r *reader) text(data *config.Data, key, who string) config.Text {
	item := data.Get(key)
	if item == nil {
		return config.Text{}
	}
	if _, ok := item.Scalar.(string); !ok {
		r.wrong(item, key+" of "+who, "text", "quote it")
	}
	return item.Text
}

// texts is the list of texts under a key.
func (r *reader) texts(data *config.Data, key, who string) []config.Text {
	item := data.Get(key)
	if item == nil {
		return nil
	}
	if item.Kind != config.KindArray {
		r.wrong(item, key+" of "+who, "a list of text", "")
		return nil
	}
	texts := make([]config.Text, 0, len(item.Items))
	for _, one := range item.Items {
		if _, ok := one.Scalar.(string); !ok {
			r.wrong(one, "an item of "+key+" of "+who, "text", "quote it")
		}
		texts = append(texts, one.Text)
	}
	return texts
}

// flag is the bool under a key; false when it is left out.
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

// count is the whole number under a key, at least least; 0 when it is left out.
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

// list is the items of a list under a key.
func (r *reader) list(data *config.Data, key, who string) []*config.Data {
	item := data.Get(key)
	if item == nil {
		return nil
	}
	if item.Kind != config.KindArray {
		r.wrong(item, key+" of "+who, "a list", "")
		return nil
	}
	return item.Items
}

// valueOf is data as a value; nil when there is none, Null when it is null.
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

// describe says what data is, for "found …".
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
