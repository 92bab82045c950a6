package schema

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// errNoFetch is the error of every reference that leaves the schema.
var errNoFetch = errors.New("schemas are never fetched")

type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errNoFetch }

// diagnose reports why the schema does not compile; field names it.
func (s *Schema) diagnose(err error, field string, found *config.Diagnostics) {
	var invalid *jsonschema.SchemaValidationError
	var faults *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &faults) {
		s.invalidParts(faults, field, map[config.Pos]bool{}, found)
		return
	}
	pos, message, hint := s.brokenReference(err)
	found.Add(pos, "schema-reference", field+": "+message, hint)
}

// invalidParts reports each keyword whose value the dialect does not allow, once for each
// place in seen.
func (s *Schema) invalidParts(e *jsonschema.ValidationError, field string, seen map[config.Pos]bool, found *config.Diagnostics) {
	for _, cause := range e.Causes {
		s.invalidParts(cause, field, seen, found)
	}
	if len(e.Causes) > 0 {
		return
	}
	path := e.InstanceLocation
	part, err := json.Marshal(lookUp(s.document, path))
	if err != nil { // never happens: it was JSON
		part = nil
	}
	if s.wrapped && len(path) >= 2 && path[0] == "properties" && path[1] == resultKey {
		path = path[2:]
	}
	at, _ := partAt(s.source, path)
	if seen[at.Pos] {
		return // from another branch of a choice
	}
	seen[at.Pos] = true
	where := field + pathText(s.document, path)
	message := fmt.Sprintf("%s is not a valid JSON Schema: expected %s, found %s", where, expectation(e.ErrorKind), wording.Shorten(string(part)))
	hint := cmp.Or(remedy(path, at), enumHint(e.ErrorKind))
	if format, ok := e.ErrorKind.(*kind.Format); ok && format.Want == "regex" {
		message = fmt.Sprintf("%s is not a usable regular expression: %s", where, strings.TrimPrefix(format.Err.Error(), "error parsing regexp: "))
		hint = "patterns follow RE2: no lookaround, no backreferences"
		if errors.Is(format.Err, errPatterns) {
			hint = "repeat fewer times, or bound the length by maxLength"
		}
	}
	found.Add(at.Pos, "schema-invalid", message, hint)
}

// brokenReference finds the reference that an error of the compiler is about.
func (s *Schema) brokenReference(err error) (pos config.Pos, message, hint string) {
	var load *jsonschema.LoadURLError
	var part *jsonschema.JSONPointerNotFoundError
	var anchor *jsonschema.AnchorNotFoundError
	switch {
	case errors.As(err, &load):
		ref, key := findReference(s.source, load.URL)
		if key == "$schema" {
			return ref.Pos, "unknown $schema " + wording.Quote(load.URL), "leave $schema out (2020-12), or name a published draft"
		}
		pos, target := s.source.Pos, load.URL
		if ref != nil {
			pos, target = ref.Pos, ref.Scalar.(string)
		}
		return pos, "refers to " + wording.Quote(target) + ", but schemas are never fetched", "put the schema into $defs and refer to #/$defs/NAME"
	case errors.As(err, &part):
		return s.missingPart(part.URL)
	case errors.As(err, &anchor):
		return s.missingPart(anchor.Reference)
	}
	return s.source.Pos, "does not compile: " + strings.ReplaceAll(err.Error(), ownURL, ""), ""
}

// missingPart describes a reference into the schema itself that leads nowhere.
func (s *Schema) missingPart(target string) (pos config.Pos, message, hint string) {
	if s.wrapped {
		target = strings.Replace(target, resultPointer, "#", 1)
	}
	_, fragment, _ := strings.Cut(target, "#")
	pos = s.source.Pos
	if ref, _ := findReference(s.source, "#"+fragment); ref != nil {
		pos = ref.Pos
	}
	var names []string
	for _, key := range []string{"$defs", "definitions"} {
		if defs := s.source.Get(key); defs != nil {
			for _, name := range defs.Keys {
				names = append(names, "#/"+key+"/"+name.Value)
			}
		}
	}
	return pos, "refers to " + wording.Quote("#"+fragment) + ", which does not exist", wording.DidYouMean("#"+fragment, names)
}

// findReference finds the reference whose target is the URL, or its end, and its key.
func findReference(d *config.Data, target string) (ref *config.Data, key string) {
	for path, part := range parts(d) {
		value, isText := part.Scalar.(string)
		if len(path) == 0 || !isText || value == "" {
			continue
		}
		switch key := path[len(path)-1]; key {
		case "$ref", "$dynamicRef", "$schema", "$id":
			bare, _, _ := strings.Cut(value, "#")
			if strings.HasSuffix(target, value) || bare != "" && strings.HasSuffix(target, bare) {
				return part, key
			}
		}
	}
	return nil, ""
}
