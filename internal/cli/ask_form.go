package cli

import (
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
	"toolgraph/internal/wording"
	"toolgraph/mcpclient"
)

// form is a question of an upstream server: the params of elicitation/create.
type form struct {
	message string
	url     string // to be opened by the user, instead of fields to fill in
	fields  []*field
}

// field is one property of the requestedSchema.
type field struct {
	name, title, description string

	kind     string // string, number, integer, boolean or array
	format   string
	required bool
	fallback value.Value // the default; nil: none
	choices  []choice    // the values that are allowed; none: any that fits the schema
	schema   *schema.Schema
}

type choice struct{ value, label string }

const (
	mostFields  = 50
	mostChoices = 200
)

// readForm reads the params of elicitation/create; its error is why no user can answer.
func readForm(params json.RawMessage) (*form, error) {
	q, err := mcpclient.ReadQuestion(params)
	if err != nil {
		return nil, err
	}
	f := &form{message: q.Message, url: q.URL}
	if q.Schema == nil {
		return f, nil
	}
	var raw struct{ Required []string }
	if err := json.Unmarshal(q.Schema, &raw); err != nil {
		return nil, fmt.Errorf("requestedSchema of the question: %w", err)
	}
	form, err := value.Decode(q.Schema)
	if err != nil {
		return nil, err
	}
	properties, _ := member(form, "properties").(value.Object)
	if properties == nil {
		return f, nil
	}
	if properties.Len() > mostFields {
		return nil, fmt.Errorf("the question has %d fields, at most %d are asked", properties.Len(), mostFields)
	}
	for _, name := range properties.Keys() {
		definition, _ := properties.Get(name)
		one, err := readField(name, definition)
		if err != nil {
			return nil, fmt.Errorf("field %q of the question: %w", wording.Shorten(name), err)
		}
		one.required = slices.Contains(raw.Required, name)
		f.fields = append(f.fields, one)
	}
	return f, nil
}

func readField(name string, definition value.Value) (*field, error) {
	raw, err := value.Encode(definition)
	if err != nil {
		return nil, err
	}
	type options struct {
		Enum         []string
		EnumNames    []string
		OneOf, AnyOf []struct{ Const, Title string }
	}
	var d struct {
		Type, Title, Description, Format string
		options
		Items options
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return nil, errors.New("expected a schema of one string, number, integer, boolean or list of choices")
	}
	f := &field{name: name, title: d.Title, description: d.Description, kind: d.Type, format: d.Format}
	if f.title == "" {
		f.title = name
	}
	f.fallback = member(definition, "default")
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
	case len(f.choices) > mostChoices:
		return nil, fmt.Errorf("it has %d choices, at most %d are asked", len(f.choices), mostChoices)
	case f.kind == "array" && len(f.choices) == 0, !slices.Contains([]string{"string", "number", "integer", "boolean", "array"}, f.kind):
		return nil, fmt.Errorf("expected a string, number, integer, boolean or list of choices, got %s", wording.Shorten(f.kind))
	}
	f.schema, err = schema.Compile(raw)
	return f, err
}

// expects is what the user may write.
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

// read is the value that a line means; given is false for a field that is left out, wrong
// says why there is none.
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

// value reads a line as the type of the field.
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

// choose is the value of a choice, by its number, its label or the value itself.
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

// misformed says why a text is not of the field's format, if so.
func (f *field) misformed(text string) string {
	var err error
	switch f.format {
	case "email":
		var address *mail.Address
		if address, err = mail.ParseAddress(text); err == nil && address.Address != text {
			err = errors.New("expected an address alone")
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

// member is the value under a key of an object; nil when there is none.
func member(v value.Value, key string) value.Value {
	object, ok := v.(value.Object)
	if !ok {
		return nil
	}
	inner, _ := object.Get(key)
	return inner
}
