package schema

import (
	"errors"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolgraph/config"
	"toolgraph/internal/wording"
)

// brokenReference finds the reference that an error of the compiler is about.
func (s *Schema) brokenReference(err error) (pos config.Pos, message, hint string) {
	var load *jsonschema.LoadURLError
	var part *jsonschema.JSONPointerNotFoundError
	var anchor *jsonschema.AnchorNotFoundError
	pos = s.source.Pos
	switch {
	case errors.As(err, &load):
		ref, key := findReference(s.source, load.URL)
		if key == "$schema" {
			return ref.Pos, "$schema " + wording.Quote(load.URL) + " is not known",
				"leave $schema out (2020-12), or name a published draft"
		}
		hint = "put the schema into $defs and refer to #/$defs/NAME"
		message = "refers to " + wording.Quote(load.URL) + ", and schemas are never fetched"
		if ref != nil {
			pos, message = ref.Pos, "refers to "+wording.Quote(ref.Scalar.(string))+", and schemas are never fetched"
		}
		return pos, message, hint
	case errors.As(err, &part):
		return s.missingPart(part.URL)
	case errors.As(err, &anchor):
		return s.missingPart(anchor.Reference)
	}
	return pos, "does not compile: " + strings.ReplaceAll(err.Error(), ownURL, ""), ""
}

// missingPart is about a reference into the schema itself that leads nowhere.
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
	if near := wording.Nearest("#"+fragment, names); near != "" {
		hint = "did you mean " + wording.Quote(near) + "?"
	}
	return pos, "refers to " + wording.Quote("#"+fragment) + ", which is not there", hint
}

// findReference finds the reference whose target is, or ends as, the URL, and under
// which key it stands.
func findReference(d *config.Data, target string) (ref *config.Data, key string) {
	if d == nil {
		return nil, ""
	}
	for i, item := range d.Items {
		value, isText := item.Scalar.(string)
		if d.Kind == config.KindObject && isText && value != "" {
			switch key := d.Keys[i].Value; key {
			case "$ref", "$dynamicRef", "$schema", "$id":
				bare, _, _ := strings.Cut(value, "#")
				if strings.HasSuffix(target, value) || bare != "" && strings.HasSuffix(target, bare) {
					return item, key
				}
			}
		}
		if ref, key := findReference(item, target); ref != nil {
			return ref, key
		}
	}
	return nil, ""
}
