package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
	"toolgraph/mcpclient"
)

// form is a question, from the params of elicitation/create.
type form struct {
	message string
	sends   string // the last question: whether the answer is to be sent
	url     string // for the user to open, instead of fields to fill in
	fields  []*field
}

// field is one property of the requestedSchema.
type field struct {
	name, title, description string

	kind     string // string, number, integer, boolean or array
	format   string
	required bool
	fallback value.Value // the default; nil without one
	choices  []choice    // the allowed values; none: any value that the schema allows
	schema   *schema.Schema
}

type choice struct{ value, label string }

const (
	maxFields  = 50
	maxChoices = 200
)

// readForm reads the params of elicitation/create; its error says why no user can answer.
func readForm(params json.RawMessage) (*form, error) {
	q, err := mcpclient.ReadQuestion(params)
	if err != nil {
		return nil, err
	}
	f := &form{message: q.Message, sends: "Send this answer?", url: q.URL}
	if q.Schema == nil {
		return f, nil
	}
	var raw struct {
		Required   []string
		Properties map[string]json.RawMessage
	}
	if err := json.Unmarshal(q.Schema, &raw); err != nil {
		return nil, fmt.Errorf("requestedSchema of the question: %w", err)
	}
	if len(raw.Properties) > maxFields {
		return nil, fmt.Errorf("the question has %d fields, expected at most %d", len(raw.Properties), maxFields)
	}
	order, err := value.Decode(q.Schema) // maps have none
	if err != nil {
		return nil, err
	}
	for _, name := range keysAt(order, "properties") {
		one, err := readField(name, raw.Properties[name])
		if err != nil {
			return nil, fmt.Errorf("field %q of the question: %w", wording.Shorten(name), err)
		}
		one.required = slices.Contains(raw.Required, name)
		f.fields = append(f.fields, one)
	}
	return f, nil
}

// readField reads the schema of a field.
func readField(name string, raw json.RawMessage) (*field, error) {
	type options struct {
		Enum         []string
		EnumNames    []string
		OneOf, AnyOf []struct{ Const, Title string }
	}
	var d struct {
		Type, Title, Description, Format string
		Default                          json.RawMessage
		options
		Items options
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return nil, errors.New("expected a schema of one string, number, integer, boolean or list of choices")
	}
	f := &field{name: name, title: cmp.Or(d.Title, name), description: d.Description, kind: d.Type, format: d.Format}
	of := d.options
	if f.kind == "array" {
		of = d.Items
	}
	for i, value := range of.Enum {
		label := value
		if i < len(of.EnumNames) {
			label = of.EnumNames[i]
		}
		f.choices = append(f.choices, choice{value, label})
	}
	for _, one := range append(of.OneOf, of.AnyOf...) {
		f.choices = append(f.choices, choice{one.Const, one.Title})
	}
	switch {
	case len(f.choices) > maxChoices:
		return nil, fmt.Errorf("it has %d choices, expected at most %d", len(f.choices), maxChoices)
	case f.kind == "array" && len(f.choices) == 0, !slices.Contains([]string{"string", "number", "integer", "boolean", "array"}, f.kind):
		return nil, fmt.Errorf("expected a string, number, integer, boolean or list of choices, got %s", wording.Shorten(f.kind))
	}
	var err error
	if len(d.Default) > 0 {
		if f.fallback, err = value.Decode(d.Default); err != nil {
			return nil, err
		}
	}
	f.schema, err = schema.Compile(raw)
	return f, err
}

// expects describes what the user can type.
func (f *field) expects() string {
	what := map[string]string{"string": "text", "number": "a number", "integer": "an integer", "boolean": "yes or no", "array": "numbers of choices, with commas"}[f.kind]
	switch {
	case f.kind == "string" && len(f.choices) > 0:
		what = "number of a choice"
	case f.kind == "string" && f.format != "":
		what = f.format
	}
	switch {
	case f.fallback != nil:
		text, err := value.Encode(f.fallback)
		if err == nil {
			what += ", default " + string(text)
		}
	case f.required:
		what += ", required"
	}
	return what
}

// read returns the value of a line; given is false for an empty field, and wrong says why a line
// is not valid.
func (f *field) read(ctx context.Context, text string) (value value.Value, given bool, wrong string) {
	if text == "" {
		switch {
		case f.fallback != nil:
			return f.fallback, true, ""
		case f.required:
			return nil, false, "a value is required"
		}
		return nil, false, ""
	}
	if value, wrong = f.value(text); wrong != "" {
		return nil, false, wrong
	}
	problems, err := f.schema.Check(ctx, value)
	switch {
	case err != nil:
		return nil, false, err.Error()
	case len(problems) > 0:
		return nil, false, problems.Text(f.title)
	}
	return value, true, ""
}

// value converts a line to the type of the field.
func (f *field) value(text string) (got value.Value, wrong string) {
	switch f.kind {
	case "string":
		if len(f.choices) > 0 {
			return f.choose(text)
		}
		return text, f.misformed(text)
	case "boolean":
		if v, ok := yesOrNo(text); ok {
			return v, ""
		}
		return nil, "expected yes or no"
	case "array":
		var chosen []any
		for part := range strings.SplitSeq(text, ",") {
			one, wrong := f.choose(strings.TrimSpace(part))
			if wrong != "" {
				return nil, wrong
			}
			chosen = append(chosen, one)
		}
		return value.FromPlain(chosen), ""
	}
	got, err := value.Decode([]byte(text))
	if err != nil {
		return nil, "expected a number"
	}
	return got, ""
}

// choose returns the value of a choice, by its number, its label or the value itself.
func (f *field) choose(text string) (value any, wrong string) {
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(f.choices) {
		return f.choices[n-1].value, ""
	}
	for _, c := range f.choices {
		if text == c.value || text == c.label {
			return c.value, ""
		}
	}
	return nil, fmt.Sprintf("expected a number from 1 to %d", len(f.choices))
}

// misformed returns why a text does not have the field's format, or "".
func (f *field) misformed(text string) string {
	var err error
	switch f.format {
	case "email":
		var address *mail.Address
		if address, err = mail.ParseAddress(text); err == nil && address.Address != text {
			err = errors.New("expected only an address")
		}
	case "uri":
		var address *url.URL
		if address, err = url.Parse(text); err == nil && address.Scheme == "" {
			err = errors.New("expected a scheme")
		}
	case "date":
		_, err = time.Parse(time.DateOnly, text)
	case "date-time":
		_, err = time.Parse(time.RFC3339, text)
	}
	if err != nil {
		return "expected text of format " + f.format
	}
	return ""
}

func yesOrNo(text string) (yes, ok bool) {
	switch strings.ToLower(text) {
	case "y", "yes", "true":
		return true, true
	case "n", "no", "false":
		return false, true
	}
	return false, false
}

// keysAt returns the keys of the object under a key of an object, in order.
func keysAt(v value.Value, key string) []string {
	object, _ := v.(value.Object)
	if object == nil {
		return nil
	}
	inner, _ := object.Get(key)
	if object, _ = inner.(value.Object); object == nil {
		return nil
	}
	return object.Keys()
}
