package schema

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// Schema is a JSON Schema, ready to validate values. Immutable; safe for concurrent use.
type Schema struct {
	source    *config.Data // where it stands in a graph file; nil or empty when it does not
	listed    []byte       // compact JSON, in file order
	document  any          // listed, decoded
	wrapped   bool         // the value is the "result" of the listed object
	patterns  *patterns
	pointers  []string   // the parts that are validated against by themselves
	anchored  []string   // the parts that only $dynamicRef leads to
	instances *instances // nil: it cannot be used
	defaults  *defaults  // nil: there are none
}

// ownURL names the one schema of a compiler. It is never fetched.
const ownURL = "toolgraph:///schema"

// errNoFetch is the answer to every reference that leaves the schema.
var errNoFetch = errors.New("schemas are never fetched")

type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errNoFetch }

// Compile takes a schema as JSON, as an upstream server lists it. The dialect is
// draft 2020-12 unless it names another. A pattern that RE2 does not know, one with a
// lookaround, is not checked: the server checks it as well. The error is why the schema
// cannot be used, in one line; it is a *SizeError when the schema is too large.
func Compile(raw []byte) (*Schema, error) {
	if len(raw) > maxBytes {
		return nil, &SizeError{fmt.Sprintf("the schema has %d bytes, at most %d are allowed", len(raw), maxBytes)}
	}
	s := &Schema{source: &config.Data{}, listed: raw, patterns: newPatterns(true)}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("the schema is no JSON: %w", err)
	}
	if tooDeep(document, maxDepth) {
		return nil, fmt.Errorf("the schema is nested deeper than %d levels", maxDepth)
	}
	if why := tooLarge(document); why != "" {
		return nil, &SizeError{"the schema " + why}
	}
	if err := s.ready(document); err != nil {
		if s.patterns.refused {
			return nil, &SizeError{"a pattern of the schema cannot be used: " + errPatterns.Error()}
		}
		var found config.Diagnostics
		s.tell(err, "schema", &found)
		return nil, errors.New(found[0].Message)
	}
	return s, nil
}

// ready compiles the document for the first time.
func (s *Schema) ready(document any) error {
	s.document = document
	if bytes.Contains(s.listed, []byte(`"$dynamicRef"`)) {
		s.anchored = dynamicAnchors(document)
	}
	first, err := s.compile()
	if err != nil {
		return err
	}
	s.patterns.sealed = true
	s.instances = newInstances()
	s.instances.more()
	s.give(first)
	return nil
}

// JSON is the schema as clients are shown it: compact, keys in file order.
func (s *Schema) JSON() []byte { return s.listed }

// Find is the value of the first key of this name inside a schema, or nil.
func Find(d *config.Data, key string) *config.Data {
	if d == nil {
		return nil
	}
	if at := d.Get(key); at != nil {
		return at
	}
	for _, item := range d.Items {
		if at := Find(item, key); at != nil {
			return at
		}
	}
	return nil
}

// Wrapped reports whether the schema that is shown is of an object whose "result" is
// the value that Check takes.
func (s *Schema) Wrapped() bool { return s.wrapped }

// Check is what is wrong with a value, none when it fits. The error is a *BudgetError
// when the schema takes too many steps to say so, or the cause that ended the context.
func (s *Schema) Check(ctx context.Context, v value.Value) (Problems, error) {
	if s == nil || s.instances == nil {
		return nil, nil
	}
	plain := value.Plain(v)
	if s.wrapped {
		plain = map[string]any{resultKey: plain}
	}
	return s.check(ctx, "", plain)
}

// check validates a plain value against a part of the schema, "" for all of it.
func (s *Schema) check(ctx context.Context, pointer string, plain any) (Problems, error) {
	i, err := s.take(ctx)
	if err != nil {
		return nil, err
	}
	defer s.give(i)
	part := i.root
	if pointer != "" {
		part = i.parts[pointer]
	}
	i.meter.begin(ctx, countValues(plain))
	err = i.meter.validate(part, plain)
	var invalid *jsonschema.ValidationError
	switch {
	case err == nil:
		return nil, nil
	case errors.As(err, &invalid):
		return s.problems(invalid, plain), nil
	case errors.Is(err, errStopped):
		return nil, context.Cause(ctx)
	}
	return nil, err
}

// validate validates a value until the meter stops it.
func (m *meter) validate(s *jsonschema.Schema, v any) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case stopped:
			err = errStopped
			if p.overBudget {
				err = &BudgetError{m.most}
			}
		default:
			panic(p)
		}
	}()
	return s.Validate(v)
}

// countValues is how many values there are inside a plain value, itself among them.
func countValues(v any) int {
	n := 1
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			n += countValues(item)
		}
	case map[string]any:
		for _, item := range v {
			n += countValues(item)
		}
	}
	return n
}
