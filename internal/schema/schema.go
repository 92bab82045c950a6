package schema

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolgraph/config"
	"toolgraph/expressions"
)

// Schema is a JSON Schema, ready to check values. Immutable; safe for concurrent use.
type Schema struct {
	source   *config.Data // where it stands in a graph file; nil or empty when it does not
	listed   []byte       // compact JSON, in file order
	document any          // listed, decoded
	compiled *jsonschema.Schema
	wrapped  bool // the value is the "result" of the listed object
}

// ownURL names the one schema of a compiler. It is never fetched.
const ownURL = "toolgraph:///schema"

// errNoFetch is the answer to every reference that leaves the schema.
var errNoFetch = errors.New("schemas are never fetched")

type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errNoFetch }

// Compile takes a schema as JSON, such as an upstream server tells it. The dialect is
// draft 2020-12 unless it names another. A pattern that RE2 does not know, one with a
// lookaround, is not checked: whoever wrote the schema checks it as well. The error is
// why the schema cannot be used, in one line.
func Compile(raw []byte) (*Schema, error) {
	s := &Schema{source: &config.Data{}, listed: raw}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("the schema is no JSON: %w", err)
	}
	if tooDeep(document, maxDepth) {
		return nil, fmt.Errorf("the schema is nested deeper than %d levels", maxDepth)
	}
	if err := s.compile(document, anyPattern); err != nil {
		var found config.Diagnostics
		s.tell(err, "schema", &found)
		return nil, errors.New(found[0].Message)
	}
	return s, nil
}

// anyPattern is the engine for the patterns of others.
func anyPattern(pattern string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return unchecked(pattern), nil //nolint:nilerr // it passes, see Compile
	}
	return re, nil
}

// unchecked is a pattern that every text matches.
type unchecked string

func (unchecked) MatchString(string) bool { return true }
func (u unchecked) String() string        { return string(u) }

// compile makes the schema ready to check values. A nil engine is RE2.
func (s *Schema) compile(document any, engine jsonschema.RegexpEngine) error {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(noLoader{})
	compiler.UseRegexpEngine(engine)
	if err := compiler.AddResource(ownURL, document); err != nil {
		return err
	}
	s.document = document
	var err error
	s.compiled, err = compiler.Compile(ownURL)
	return err
}

// JSON is the schema as clients are shown it: compact, keys in file order.
func (s *Schema) JSON() []byte { return s.listed }

// Wrapped reports whether the schema that is shown is of an object whose "result" is
// the value that Check takes.
func (s *Schema) Wrapped() bool { return s.wrapped }

// Check is what is wrong with a value, none when it fits.
func (s *Schema) Check(v expressions.Value) Problems {
	if s.compiled == nil {
		return nil
	}
	plain := expressions.Plain(v)
	if s.wrapped {
		plain = map[string]any{resultKey: plain}
	}
	err := s.compiled.Validate(plain)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return Problems{{Expected: "a value that can be checked", Given: err.Error()}}
	}
	return s.problems(invalid, plain)
}
