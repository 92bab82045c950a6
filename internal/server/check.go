package server

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"toolgraph/config"
)

// maxSchemaDepth bounds how deep a schema may be nested.
const maxSchemaDepth = 64

// CheckSchemas tells what is wrong with the schemas of the tools: what New would
// refuse, and as warnings what some hosts refuse. Sorted.
func CheckSchemas(tools []*config.Tool) config.Diagnostics {
	var found config.Diagnostics
	for _, def := range tools {
		newTool(Tool{Def: def}).prepare(&found)
	}
	found.Sort()
	return found
}

// prepare compiles the tool's schemas and tells what is wrong with them. With an
// error among the findings, the tool cannot be used.
func (t *tool) prepare(found *config.Diagnostics) {
	if source := t.input.source; source == nil || checkRoot(source, found) {
		t.input.prepare("inputSchema", found)
		warnCombined(source, found)
	}
	if t.output != nil {
		t.output.prepare("outputSchema", found)
	}
}

// checkRoot reports whether an inputSchema speaks of an object, as MCP demands.
func checkRoot(source *config.Data, found *config.Diagnostics) bool {
	if source.Kind != config.KindObject {
		found.Add(source.Pos, "schema-root", "inputSchema must be an object, a JSON Schema of type object", "")
		return false
	}
	if t := source.Get("type"); t != nil && t.Scalar != "object" {
		found.Add(t.Pos, "schema-root",
			fmt.Sprintf("inputSchema has type %s, expected object", appendData(nil, t)),
			"arguments are always an object; make the value one of its properties")
		return false
	}
	return true
}

// warnCombined tells of keywords that some model interfaces refuse at the root.
func warnCombined(source *config.Data, found *config.Diagnostics) {
	for _, key := range []string{"oneOf", "anyOf", "allOf"} {
		if source.Get(key) != nil {
			found.Warn(keyOf(source, key), "schema-portability",
				key+" at the root of an inputSchema is refused by some hosts, which then drop the tool",
				"move it into a property")
		}
	}
}

// prepare compiles the schema. Depth comes first: the library's time grows with
// its cube (v6.0.3: 40 s at 5,000 levels).
func (s *schema) prepare(field string, found *config.Diagnostics) {
	if deep := deeperThan(s.source, maxSchemaDepth); deep != nil {
		found.Add(deep.Pos, "schema-depth", fmt.Sprintf("%s is nested deeper than %d levels", field, maxSchemaDepth), "")
		return
	}
	err := s.compile()
	if err == nil {
		return
	}
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
func (s *schema) invalidParts(faults *jsonschema.ValidationError, field string, found *config.Diagnostics) {
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
			field, where, expectation(e.ErrorKind), shorten(string(appendData(nil, at))))
		hint := enumHint(e.ErrorKind)
		if format, ok := e.ErrorKind.(*kind.Format); ok && format.Want == "regex" {
			message = fmt.Sprintf("%s%s is no regular expression that can be used: %v", field, where, regexFault(format.Err))
			hint = "patterns follow RE2: no lookaround, no backreferences"
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

// deeperThan is the first part of d that is nested deeper than limit, or nil.
func deeperThan(d *config.Data, limit int) *config.Data {
	if d == nil || len(d.Items) == 0 {
		return nil
	}
	if limit == 0 {
		return d
	}
	for _, item := range d.Items {
		if deep := deeperThan(item, limit-1); deep != nil {
			return deep
		}
	}
	return nil
}
