// Package toolresult is what a server has answered to tools/call, for tests that compare the ways in which a tool can be called:
// JSON goes in, the parts of the result and the value of the call, as docs/language.md has it, come out.
package toolresult

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// Result is a result by its members. Each member of _meta is a member of its own, without those that toolgraph adds. A
// structuredContent that is null is none.
type Result map[string]json.RawMessage

// Parse returns the result that a text has.
func Parse(raw []byte) (Result, error) {
	result, meta := Result{}, Result{}
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, fmt.Errorf("%s: %w", raw, err)
	}
	if string(result["structuredContent"]) == "null" {
		delete(result, "structuredContent")
	}
	if own := result["_meta"]; own != nil {
		if err := json.Unmarshal(own, &meta); err != nil {
			return nil, fmt.Errorf("%s: %w", raw, err)
		}
		delete(result, "_meta")
	}
	for name, value := range meta {
		if !strings.HasPrefix(name, "toolgraph/") {
			result["_meta "+name] = value
		}
	}
	return result, nil
}

// Failed reports whether the call has failed.
func (r Result) Failed() bool { return string(r["isError"]) == "true" }

// Items are the items of its content.
func (r Result) Items() []any {
	items, _ := Exact(r["content"]).([]any)
	return items
}

// Text is all text of its content.
func (r Result) Text() (text string) {
	for _, item := range r.Items() {
		text += textOf(item)
	}
	return text
}

// HasMedia reports whether its value is content for clients, or has such.
func (r Result) HasMedia() bool {
	return r["structuredContent"] == nil && slices.ContainsFunc(r.Items(), func(item any) bool {
		members, _ := item.(map[string]any)
		return slices.Contains([]any{"image", "audio", "resource", "resource_link"}, members["type"])
	})
}

// Value is the value of the call; has is false when there is none.
func (r Result) Value() (v any, has bool) {
	if raw := r["structuredContent"]; raw != nil {
		return Exact(raw), true
	}
	var values []any
	for _, item := range r.Items() {
		text := textOf(item)
		switch members, _ := item.(map[string]any); {
		case members["type"] != "text":
			values = append(values, item)
		case json.Valid([]byte(text)):
			values = append(values, Exact([]byte(text)))
		default:
			values = append(values, text)
		}
	}
	if len(values) == 1 {
		return values[0], true
	}
	return values, len(values) > 1
}

func textOf(item any) string {
	members, _ := item.(map[string]any)
	text, _ := members["text"].(string)
	return text
}

// Exact is JSON as a value whose numbers are exact: 1.10 and 1.1 are equal. It is nil for what is not JSON.
func Exact(raw []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return rational(v)
}

// rational is a value with its numbers as fractions.
func rational(v any) any {
	switch v := v.(type) {
	case json.Number:
		r, _ := new(big.Rat).SetString(v.String())
		return r.String()
	case []any:
		for i := range v {
			v[i] = rational(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = rational(v[name])
		}
	}
	return v
}

// Differs says how the results of two plans differ from that of the call itself: part has returned an object that has the value
// as "value", whole, nil for none, the value. It is "" when they do not.
func (r Result) Differs(whole, part Result) string {
	if r.Failed() {
		for _, plan := range []Result{whole, part} {
			if plan == nil {
				continue
			}
			if !plan.Failed() || !strings.Contains(plan.Text(), string(r["structuredContent"])) {
				return fmt.Sprintf("the failure\n%s\nis in a plan\n%s", r, plan)
			}
			for _, item := range r.Items() {
				for line := range strings.Lines(textOf(item)) {
					if !strings.Contains(plan.Text(), strings.TrimSpace(line)) {
						return fmt.Sprintf("the failure\n%s\nis in a plan\n%s", r, plan)
					}
				}
			}
		}
		return ""
	}
	object := map[string]any{}
	if value, has := r.Value(); has {
		object["value"] = value
	}
	if got := Exact(part["structuredContent"]); part.Failed() || !equal(got, object) {
		return fmt.Sprintf("the value of\n%s\nis in a plan\n%s", r, part)
	}
	if whole != nil && r.HasMedia() && !equal(whole.Items(), r.Items()) {
		return fmt.Sprintf("the content of\n%s\nis for the client of a plan\n%s", r, whole)
	}
	return ""
}

func equal(a, b any) bool {
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && bytes.Equal(x, y)
}
