package examplefile

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Expect is what a case expects of its result.
type Expect struct {
	Value    json.RawMessage `json:"value"`
	Partial  json.RawMessage `json:"partial"`
	Contains string          `json:"contains"`
	IsError  bool            `json:"isError"`
	Path     []string        `json:"path"`
}

func (e Expect) empty() bool {
	return e.Value == nil && e.Partial == nil && e.Contains == "" && !e.IsError
}

// Match is an error that says what of a result is not as expected: text is its value
// as JSON, or why there is none when the tool failed. The path is for those who can
// see it to compare.
func (e Expect) Match(text string, failed bool) error {
	if failed != e.IsError {
		return fmt.Errorf("isError is %t, expected %t: %s", failed, e.IsError, text)
	}
	if !strings.Contains(text, e.Contains) {
		return fmt.Errorf("the text is %q, expected %q in it", text, e.Contains)
	}
	if e.Value == nil && e.Partial == nil {
		return nil
	}
	var got any
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		return fmt.Errorf("the value %q is no JSON: %w", text, err)
	}
	if e.Value != nil {
		var want any
		if err := json.Unmarshal(e.Value, &want); err != nil {
			return err
		}
		if !reflect.DeepEqual(got, want) {
			return fmt.Errorf("the value is %s, expected %s", text, e.Value)
		}
	}
	if e.Partial != nil {
		var want any
		if err := json.Unmarshal(e.Partial, &want); err != nil {
			return err
		}
		if !within(want, got) {
			return fmt.Errorf("the value is %s, expected %s in it", text, e.Partial)
		}
	}
	return nil
}

// within tells whether got is want, but for further keys of objects.
func within(want, got any) bool {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return false
		}
		for key, v := range want {
			item, ok := object[key]
			if !ok || !within(v, item) {
				return false
			}
		}
		return true
	case []any:
		list, ok := got.([]any)
		return ok && slices.EqualFunc(want, list, within)
	}
	return reflect.DeepEqual(want, got)
}
