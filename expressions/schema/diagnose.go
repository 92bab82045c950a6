package schema

import (
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
	at, message, hint, near := s.brokenReference(err)
	found.Add(at.Pos, "schema-reference", field+": "+message, hint).Meant(at.Text, near)
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
	hint, fix := remedy(path, at)
	if hint == "" {
		near := nearestAllowed(e.ErrorKind)
		hint, fix = wording.Meant(near), config.ReplaceWord(at.Text, 0, len(at.Text.Value), near)
	}
	if format, ok := e.ErrorKind.(*kind.Format); ok && format.Want == "regex" {
		message = fmt.Sprintf("%s is not a usable regular expression: %s", where, strings.TrimPrefix(format.Err.Error(), "error parsing regexp: "))
		hint, fix = "patterns follow RE2: no lookaround, no backreferences", config.Fix{}
		if errors.Is(format.Err, errPatterns) {
			hint = "repeat fewer times, or bound the length by maxLength"
		}
	}
	found.Add(at.Pos, "schema-invalid", message, hint).Over(at.Text).Fixed(fix)
}

// brokenReference finds the reference that an error of the compiler is about, and the one that was meant, or "".
func (s *Schema) brokenReference(err error) (at *config.Data, message, hint, near string) {
	var load *jsonschema.LoadURLError
	var part *jsonschema.JSONPointerNotFoundError
	var anchor *jsonschema.AnchorNotFoundError
	switch {
	case errors.As(err, &load):
		ref, key := findReference(s.source, load.URL)
		if key == "$schema" {
			return ref, "unknown $schema " + wording.Quote(load.URL), "leave $schema out (2020-12), or name a published draft", ""
		}
		at, target := s.source, load.URL
		if ref != nil {
			at, target = ref, ref.Scalar.(string)
		}
		return at, "refers to " + wording.Quote(target) + ", but schemas are never fetched", "put the schema into $defs and refer to #/$defs/NAME", ""
	case errors.As(err, &part):
		return s.missingPart(part.URL)
	case errors.As(err, &anchor):
		return s.missingPart(anchor.Reference)
	}
	return s.source, "does not compile: " + strings.ReplaceAll(err.Error(), ownURL, ""), "", ""
}

// missingPart describes a reference into the schema itself that leads nowhere.
func (s *Schema) missingPart(target string) (at *config.Data, message, hint, near string) {
	if s.wrapped {
		target = strings.Replace(target, resultPointer, "#", 1)
	}
	_, fragment, _ := strings.Cut(target, "#")
	at = s.source
	if ref, _ := findReference(s.source, "#"+fragment); ref != nil {
		at = ref
	}
	var names []string
	for _, key := range []string{"$defs", "definitions"} {
		if defs := s.source.Get(key); defs != nil {
			for _, name := range defs.Keys {
				names = append(names, "#/"+key+"/"+name.Value)
			}
		}
	}
	near = wording.Nearest("#"+fragment, names)
	return at, "refers to " + wording.Quote("#"+fragment) + ", which does not exist", wording.Meant(near), near
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
