package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"toolgraph/config"
	"toolgraph/internal/wording"
)

// prepare compiles the schema. Depth comes first: the library's time grows with
// its cube (v6.0.3: 40 s at 5,000 levels).
func (s *Schema) prepare(field string, found *config.Diagnostics) {
	if deep := deeperThan(s.source, maxDepth); deep != nil {
		found.Add(deep.Pos, "schema-depth", fmt.Sprintf("%s is nested deeper than %d levels", field, maxDepth), "")
		return
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.listed))
	if err == nil {
		if why := tooLarge(document); why != "" {
			found.Add(s.source.Pos, "schema-size", field+" "+why, "leave out what need not be checked")
			return
		}
		err = s.ready(document)
	}
	if err != nil {
		s.tell(err, field, found)
		return
	}
	warnRecursive(s.source, field, found)
	warnRequired(s.source, field, found)
}

// prepareDefaults notes the defaults of the source, before the schema is compiled.
func (s *Schema) prepareDefaults() []declared {
	if s.defaults = newDefaults(s.source); s.defaults == nil {
		return nil
	}
	all := s.defaults.declarations()
	for _, one := range all {
		s.pointers = append(s.pointers, pointerTo(one.path))
	}
	return all
}

// tell says why the schema does not compile.
func (s *Schema) tell(err error, field string, found *config.Diagnostics) {
	var invalid *jsonschema.SchemaValidationError
	var faults *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &faults) {
		s.invalidParts(faults, field, found)
		return
	}
	pos, message, hint := s.brokenReference(err)
	found.Add(pos, "schema-reference", field+": "+message, hint)
}

// invalidParts tells each keyword that the dialect does not allow so.
func (s *Schema) invalidParts(faults *jsonschema.ValidationError, field string, found *config.Diagnostics) {
	seen := map[config.Pos]bool{}
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			walk(cause)
		}
		if len(e.Causes) > 0 {
			return
		}
		path := e.InstanceLocation
		part, err := json.Marshal(lookUp(s.document, path))
		if err != nil { // it was JSON
			part = nil
		}
		if s.wrapped && len(path) >= 2 && path[0] == "properties" && path[1] == "result" {
			path = path[2:]
		}
		at := s.source.At(steps(s.source, path)...)
		if seen[at.Pos] {
			return // the other branches of one choice
		}
		seen[at.Pos] = true
		where := pathText(s.document, path)
		message := fmt.Sprintf("%s%s is no valid JSON Schema: expected %s, found %s",
			field, where, expectation(e.ErrorKind), wording.Shorten(string(part)))
		hint := enumHint(e.ErrorKind)
		if format, ok := e.ErrorKind.(*kind.Format); ok && format.Want == "regex" {
			message = fmt.Sprintf("%s%s is no regular expression that can be used: %v", field, where, regexFault(format.Err))
			hint = "patterns follow RE2: no lookaround, no backreferences"
			if errors.Is(format.Err, errPatterns) {
				hint = "repeat fewer times, or bound the length by maxLength"
			}
		}
		found.Add(at.Pos, "schema-invalid", message, hint)
	}
	walk(faults)
}

func regexFault(err error) string {
	return strings.TrimPrefix(err.Error(), "error parsing regexp: ")
}

// steps turns a path of tokens into keys and indexes.
func steps(d *config.Data, path []string) []any {
	out := make([]any, 0, len(path))
	for _, token := range path {
		if d != nil && d.Kind == config.KindArray {
			i, err := strconv.Atoi(token)
			if err != nil {
				return out
			}
			out, d = append(out, i), d.At(i)
			continue
		}
		out, d = append(out, token), d.Get(token)
	}
	return out
}
