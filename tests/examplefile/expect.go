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

// Result is what a tool gave, as some client saw it.
type Result struct {
	Value   []byte   // JSON; nil when the tool failed
	Text    string   // the first text item of the answer
	IsError bool     // the answer is marked so
	Path    []string // the ids of the nodes walked; nil for a client that cannot see them
}

func (e Expect) empty() bool {
	return e.Value == nil && e.Partial == nil && e.Contains == "" && !e.IsError
}

// Check is an error that says what of the result is not as expected.
func (e Expect) Check(r Result) error {
	if r.IsError != e.IsError {
		return fmt.Errorf("isError is %t, expected %t: %s", r.IsError, e.IsError, r.Text)
	}
	if !strings.Contains(r.Text, e.Contains) {
		return fmt.Errorf("the text is %q, expected %q in it", r.Text, e.Contains)
	}
	if e.Path != nil && r.Path != nil && !slices.Equal(e.Path, r.Path) {
		return fmt.Errorf("the path is %v, expected %v", r.Path, e.Path)
	}
	if e.Value == nil && e.Partial == nil {
		return nil
	}
	var got any
	if err := json.Unmarshal(r.Value, &got); err != nil {
		return fmt.Errorf("the value %q is no JSON: %w", r.Value, err)
	}
	if e.Value != nil {
		var want any
		if err := json.Unmarshal(e.Value, &want); err != nil {
			return err
		}
		if !reflect.DeepEqual(got, want) {
			return fmt.Errorf("the value is %s, expected %s", r.Value, e.Value)
		}
	}
	if e.Partial != nil {
		var want any
		if err := json.Unmarshal(e.Partial, &want); err != nil {
			return err
		}
		if !within(want, got) {
			return fmt.Errorf("the value is %s, expected %s in it", r.Value, e.Partial)
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
