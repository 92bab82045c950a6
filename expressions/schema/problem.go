package schema

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"toolgraph/internal/base/wording"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// maxProblems bounds how many problems of one value are listed.
const maxProblems = 10

// Problem is one place in which a value does not fit its schema.
type Problem struct {
	Path     []string // keys and indexes from the value's root
	Where    string   // the path for people, .items[2].name; "" for the root
	Expected string
	Given    string // "" when Expected is the whole message
	Hint     string
	Meant    string // the word that was meant in the place of the value, or of the key that is unknown; or ""
	Unknown  bool   // the schema does not have the property at the end of Path
}

// Text returns the problem in one line; root is the name of the value ("arguments").
func (p Problem) Text(root string) string {
	text := root + p.Where + ": " + p.Expected
	if p.Given != "" {
		text += ", got " + p.Given
	}
	if p.Hint != "" {
		text += "; " + p.Hint
	}
	return text
}

// Problems are the problems of one value, sorted by place.
type Problems []Problem

// Text joins the problems, one a line; beyond ten it says that there are more.
func (ps Problems) Text(root string) string {
	var lines []string
	for _, p := range ps[:min(len(ps), maxProblems)] {
		lines = append(lines, p.Text(root))
	}
	if len(ps) > maxProblems {
		lines = append(lines, "and more")
	}
	return strings.Join(lines, "\n")
}

// problems converts the validator's errors to a flat list.
func (s *Schema) problems(invalid *jsonschema.ValidationError, value any) Problems {
	x := &explainer{schema: s, value: value, choices: map[*jsonschema.ValidationError]Problem{}}
	found := x.problems(invalid)
	if len(found) == 0 { // all details were omitted
		found = Problems{{Expected: "does not fit, for more reasons than can be listed"}}
	}
	if s.wrapped {
		for i, p := range found {
			if len(p.Path) > 0 && p.Path[0] == resultKey {
				found[i].Path, found[i].Where = p.Path[1:], strings.TrimPrefix(p.Where, "."+resultKey)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Problem) int { return cmp.Compare(a.Where, b.Where) })
	return slices.CompactFunc(found, func(a, b Problem) bool {
		return a.Where == b.Where && a.Expected == b.Expected
	})
}

// explainer converts the errors about one value. Several errors share a cause, so that
// each cause is converted once.
type explainer struct {
	schema  *Schema
	value   any
	choices map[*jsonschema.ValidationError]Problem // results of choice
}

// problems returns the problems of an error, at most one more than are listed.
func (x *explainer) problems(e *jsonschema.ValidationError) Problems {
	var found Problems
	x.collect(e, &found, map[*jsonschema.ValidationError]bool{})
	return found
}

func (x *explainer) collect(e *jsonschema.ValidationError, found *Problems, seen map[*jsonschema.ValidationError]bool) {
	if len(*found) > maxProblems || seen[e] {
		return
	}
	seen[e] = true
	switch k := e.ErrorKind.(type) {
	case omitted:
		return
	case *kind.AnyOf:
		*found = append(*found, x.choice(e))
		return
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			*found = append(*found, x.choice(e))
			return
		}
	case *kind.AdditionalProperties:
		*found = append(*found, x.unknownProperties(e, k.Properties)...)
		return
	case *kind.Required:
		for _, name := range k.Missing {
			p := x.at(e, name)
			p.Expected = "required, but missing"
			*found = append(*found, p)
		}
		return
	case *kind.PropertyNames, *kind.ContentSchema, *kind.Contains, *kind.Not, *kind.FalseSchema:
		*found = append(*found, x.leaf(e))
		return
	}
	if len(e.Causes) == 0 {
		*found = append(*found, x.leaf(e))
		return
	}
	for _, cause := range e.Causes {
		x.collect(cause, found, seen)
	}
}

// at returns a problem at the place of an error, or at a property there.
func (x *explainer) at(e *jsonschema.ValidationError, property ...string) Problem {
	path := slices.Concat(e.InstanceLocation, property)
	return Problem{Path: path, Where: pathText(x.value, path)}
}

func (x *explainer) leaf(e *jsonschema.ValidationError) Problem {
	p := x.at(e)
	value := lookUp(x.value, p.Path)
	p.Expected, p.Given = "expected "+expectation(e.ErrorKind), describe(value)
	p.Meant = nearestAllowed(e.ErrorKind)
	p.Hint = cmp.Or(wording.Meant(p.Meant), textHint(e.ErrorKind, value))
	switch k := e.ErrorKind.(type) {
	case *kind.FalseSchema:
		p.Expected, p.Given = "not allowed here", ""
	case *kind.PropertyNames:
		p.Given = "the key " + wording.Quote(k.Property)
	}
	return p
}

// textHint returns the hint for an object or an array that is given as a string of JSON.
func textHint(k jsonschema.ErrorKind, given any) string {
	text, isText := given.(string)
	types, ofType := k.(*kind.Type)
	if !isText || !ofType || !json.Valid([]byte(text)) {
		return ""
	}
	for name, begin := range map[string]string{"object": "{", "array": "["} {
		if slices.Contains(types.Want, name) && strings.HasPrefix(strings.TrimSpace(text), begin) {
			return "give the " + name + " itself, not a string with its JSON"
		}
	}
	return ""
}

// nearestAllowed returns the allowed string that is nearest to the given one, or "".
func nearestAllowed(k jsonschema.ErrorKind) string {
	enum, isEnum := k.(*kind.Enum)
	if !isEnum {
		return ""
	}
	given, _ := enum.Got.(string)
	var allowed []string
	for _, v := range enum.Want {
		if word, ok := v.(string); ok {
			allowed = append(allowed, word)
		}
	}
	return wording.Nearest(given, allowed)
}

// unknownProperties returns a problem for each property that the schema does not have,
// with the nearest property that the schema has and the value does not.
func (x *explainer) unknownProperties(e *jsonschema.ValidationError, names []string) Problems {
	part, _ := lookUp(x.schema.document, pointer(e.SchemaURL)).(map[string]any)
	properties, _ := part["properties"].(map[string]any)
	known := slices.Sorted(maps.Keys(properties))
	given, _ := lookUp(x.value, e.InstanceLocation).(map[string]any)
	free := slices.DeleteFunc(slices.Clone(known), func(name string) bool { _, taken := given[name]; return taken })
	out := make(Problems, 0, len(names))
	for _, name := range slices.Sorted(slices.Values(names)) {
		p := x.at(e, name)
		p.Expected, p.Unknown = "unknown property", true
		p.Meant = wording.Nearest(name, free)
		p.Hint = wording.Meant(p.Meant)
		if len(known) == 0 {
			p.Expected += ", expected none"
		} else if p.Hint == "" && len(known) <= maxProblems {
			p.Expected += ", expected one of " + strings.Join(known, ", ")
		}
		out = append(out, p)
	}
	return out
}

// choice explains why no branch of anyOf or oneOf fits. When the branches require
// different types, it lists their types; else it explains the nearest branch.
func (x *explainer) choice(e *jsonschema.ValidationError) Problem {
	if p, known := x.choices[e]; known {
		return p
	}
	var types []string
	var best Problems
	for _, branch := range e.Causes {
		found := x.problems(branch)
		if k, ok := branch.ErrorKind.(*kind.Type); ok && len(branch.InstanceLocation) == len(e.InstanceLocation) {
			types = append(types, k.Want...)
			continue
		}
		if len(found) > 0 && (best == nil || nearer(found, best)) {
			best = found
		}
	}
	p := x.at(e)
	switch {
	case best == nil:
		p.Expected = "expected " + typeWords(types)
		p.Given = describe(lookUp(x.value, p.Path))
	case best[0].Where == "":
		p.Expected = "fits none of the allowed forms; the nearest fails at " + best[0].Text("value")
	default:
		p = best[0]
		p.Hint = strings.TrimPrefix(p.Hint+"; no other allowed form fits either", "; ")
	}
	x.choices[e] = p
	return p
}

// nearer reports whether branch a is nearer to the value than b: it fails deeper in the
// value, or else less often.
func nearer(a, b Problems) bool {
	if len(a[0].Path) != len(b[0].Path) {
		return len(a[0].Path) > len(b[0].Path)
	}
	return len(a) < len(b)
}
