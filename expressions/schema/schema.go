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

// Schema is a JSON Schema, ready to validate values. It is immutable and may be used by
// several goroutines. A nil Schema allows every value.
type Schema struct {
	source    *config.Data // its part of a graph file; nil or empty when it is from elsewhere
	listed    []byte       // compact JSON, in file order
	document  any          // listed, decoded
	simple    *simple      // nil: only the validator says what fits
	wrapped   bool         // values are the "result" of the listed object
	patterns  *patterns
	pointers  []string   // parts that are validated against alone
	anchored  []string   // parts that only $dynamicRef leads to
	instances *instances // nil: the schema is not usable
	defaults  *resolver  // nil: the schema has no defaults
}

// ownURL is the URL of the only schema of a compiler. It is never fetched.
const ownURL = "toolgraph:///schema"

// Compile compiles a schema from JSON, in the form in which an upstream server lists it.
// The dialect is draft 2020-12 unless the schema names another. A pattern that RE2 does
// not support, such as one with a lookaround, is not checked, since the server checks it
// as well. The error says in one line why the schema is not usable; it is a *SizeError
// when the schema is too large.
func Compile(raw []byte) (*Schema, error) {
	if len(raw) > maxBytes {
		return nil, &SizeError{fmt.Sprintf("the schema has %d bytes, at most %d are allowed", len(raw), maxBytes)}
	}
	s := &Schema{source: &config.Data{}, listed: raw, patterns: newPatterns(true)}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("the schema is not JSON: %w", err)
	}
	size := sizeOf(document)
	if size.depth > maxDepth {
		return nil, fmt.Errorf("the schema is nested deeper than %d levels", maxDepth)
	}
	if why := size.excess(); why != "" {
		return nil, &SizeError{"the schema " + why}
	}
	if err := s.ready(document); err != nil {
		if s.patterns.refused {
			return nil, &SizeError{"a pattern of the schema is not usable: " + errPatterns.Error()}
		}
		var found config.Diagnostics
		s.diagnose(err, "schema", &found)
		return nil, errors.New(found[0].Message)
	}
	return s, nil
}

// ready compiles the document for the first time.
func (s *Schema) ready(document any) error {
	s.document, s.simple = document, newSimple(document, 0)
	if bytes.Contains(s.listed, []byte(`"$dynamicRef"`)) {
		s.anchored = dynamicAnchors(document)
	}
	first, err := s.compile()
	if err != nil {
		return err
	}
	s.patterns.sealed = true
	s.instances = newInstances(first)
	return nil
}

// prepare compiles a schema from a graph file and checks its defaults; field names it in
// messages. Depth comes first: the library's time grows with its cube (v6.0.3: 40 s at
// 5,000 levels).
func (s *Schema) prepare(ctx context.Context, field string, found *config.Diagnostics) {
	for path, part := range parts(s.source) {
		if len(path) == maxDepth && len(part.Items) > 0 {
			found.Add(part.Pos, "schema-depth", fmt.Sprintf("%s is nested deeper than %d levels", field, maxDepth), "")
			return
		}
	}
	var defaults []declared
	if s.defaults != nil {
		defaults = s.defaults.declarations()
	}
	for _, one := range defaults {
		s.pointers = append(s.pointers, pointerTo(one.path))
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.listed))
	if err == nil {
		if why := sizeOf(document).excess(); why != "" {
			found.Add(s.source.Pos, "schema-size", field+" "+why, "remove parts that need no check")
			return
		}
		err = s.ready(document)
	}
	if err != nil {
		s.diagnose(err, field, found)
		return
	}
	warnRecursive(s.source, field, found)
	warnRequired(s.source, field, found)
	warnUnsatisfiable(s.source, field, found)
	if field != "schema" { // package graph checks the keywords of a form
		warnKeywords(s.source, field, found)
	}
	s.checkDefaults(ctx, defaults, field, found)
}

// JSON returns the schema in the form that clients get: compact, keys in file order.
func (s *Schema) JSON() []byte { return s.listed }

// Find returns the value of the first key of this name inside a schema, or nil.
func Find(d *config.Data, key string) *config.Data {
	for _, part := range parts(d) {
		if at := part.Get(key); at != nil {
			return at
		}
	}
	return nil
}

// Wrapped reports whether the listed schema is of an object whose "result" is the value
// that Check takes.
func (s *Schema) Wrapped() bool { return s.wrapped }

// Check validates a value and returns its problems, none when it fits. The error is a
// *BudgetError when the validation needs too many steps, or the cause that ended the
// context.
func (s *Schema) Check(ctx context.Context, v value.Value) (Problems, error) {
	if s == nil || s.instances == nil {
		return nil, nil
	}
	if left := simpleValues; !s.wrapped && s.simple.fits(v, &left) {
		return nil, nil
	}
	plain, err := s.plain(ctx, v)
	if err != nil {
		return nil, err
	}
	return s.check(ctx, "", plain)
}

// plain returns a value as the schema's document describes it.
func (s *Schema) plain(ctx context.Context, v value.Value) (any, error) {
	plain, err := value.PlainOf(value.Until(ctx), v)
	if err != nil {
		return nil, context.Cause(ctx)
	}
	if s.wrapped {
		plain = map[string]any{resultKey: plain}
	}
	return plain, nil
}

// check validates a plain value against a part of the schema, "" for all of it.
func (s *Schema) check(ctx context.Context, pointer string, plain any) (Problems, error) {
	i, err := s.take(ctx)
	if err != nil {
		return nil, err
	}
	defer s.instances.give(i)
	return s.validate(ctx, i, pointer, plain)
}

// validate is check with an instance.
func (s *Schema) validate(ctx context.Context, i *instance, pointer string, plain any) (Problems, error) {
	i.meter.begin(ctx, sizeOf(plain).values)
	err := i.meter.validate(i.parts[pointer], plain)
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
