package schema

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"toolgraph/config"
)

// maxProblems bounds how many problems of one value are told.
const maxProblems = 10

// Problem is one way in which a value does not fit its schema.
type Problem struct {
	Path     []string // keys and indexes from the value's root
	Where    string   // the path as people write it, .items[2].name; "" for the root
	Expected string
	Given    string // "" when Expected says all
	Hint     string
}

// Text is the problem in one line; root is how the value is called ("arguments").
func (p Problem) Text(root string) string {
	var b strings.Builder
	b.WriteString(root + p.Where + ": " + p.Expected)
	if p.Given != "" {
		b.WriteString(", got " + p.Given)
	}
	if p.Hint != "" {
		b.WriteString("; " + p.Hint)
	}
	return b.String()
}

// Problems are what is wrong with one value, sorted by their places.
type Problems []Problem

// Text joins the problems, one a line; beyond ten it says that there are more.
func (ps Problems) Text(root string) string {
	lines := make([]string, 0, len(ps))
	for i, p := range ps {
		if i == maxProblems {
			lines = append(lines, "and more")
			break
		}
		lines = append(lines, p.Text(root))
	}
	return strings.Join(lines, "\n")
}

// problems flattens what the validator found into our own words.
func (s *Schema) problems(invalid *jsonschema.ValidationError, value any) Problems {
	var found Problems
	s.collect(invalid, value, &found)
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

func (s *Schema) collect(e *jsonschema.ValidationError, value any, found *Problems) {
	if len(*found) > maxProblems {
		return
	}
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf:
		*found = append(*found, s.alternatives(e, value))
		return
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			*found = append(*found, s.alternatives(e, value))
			return
		}
	case *kind.AdditionalProperties:
		*found = append(*found, s.unknownProperties(e, k.Properties, value)...)
		return
	case *kind.Required:
		for _, name := range k.Missing {
			*found = append(*found, missing(e, value, name))
		}
		return
	case *kind.PropertyNames, *kind.ContentSchema, *kind.Contains, *kind.Not, *kind.FalseSchema:
		*found = append(*found, s.leaf(e, value))
		return
	}
	if len(e.Causes) == 0 {
		*found = append(*found, s.leaf(e, value))
		return
	}
	for _, cause := range e.Causes {
		s.collect(cause, value, found)
	}
}

func (s *Schema) leaf(e *jsonschema.ValidationError, value any) Problem {
	at := lookUp(value, e.InstanceLocation)
	p := Problem{Path: e.InstanceLocation, Where: pathText(value, e.InstanceLocation), Given: describe(at)}
	p.Expected = "expected " + expectation(e.ErrorKind)
	p.Hint = cmp.Or(enumHint(e.ErrorKind), textHint(e.ErrorKind, at))
	if fs, isFalse := e.ErrorKind.(*kind.FalseSchema); isFalse && fs != nil {
		p.Expected, p.Given = "not allowed here", ""
	}
	if names, ok := e.ErrorKind.(*kind.PropertyNames); ok {
		p.Given = "the key " + quoted(names.Property)
	}
	return p
}

// textHint tells of an object or a list that was written as JSON once more.
func textHint(k jsonschema.ErrorKind, got any) string {
	text, isText := got.(string)
	types, ofType := k.(*kind.Type)
	if !isText || !ofType || !json.Valid([]byte(text)) {
		return ""
	}
	for is, begin := range map[string]string{"object": "{", "array": "["} {
		if slices.Contains(types.Want, is) && strings.HasPrefix(strings.TrimSpace(text), begin) {
			return "give the " + is + " itself, not a string with its JSON"
		}
	}
	return ""
}

// enumHint tells which of the allowed strings may have been meant.
func enumHint(k jsonschema.ErrorKind) string {
	enum, ok := k.(*kind.Enum)
	if !ok {
		return ""
	}
	got, isText := enum.Got.(string)
	if !isText {
		return ""
	}
	var allowed []string
	for _, want := range enum.Want {
		if word, ok := want.(string); ok {
			allowed = append(allowed, word)
		}
	}
	if near := config.DidYouMean(got, allowed); near != "" {
		return "did you mean " + quoted(near) + "?"
	}
	return ""
}

func missing(e *jsonschema.ValidationError, value any, name string) Problem {
	path := append(slices.Clone(e.InstanceLocation), name)
	return Problem{Path: path, Where: pathText(value, path), Expected: "required, but missing"}
}

// unknownProperties tells each property that the schema has not, and what may have
// been meant: a property that it has and the value has not.
func (s *Schema) unknownProperties(e *jsonschema.ValidationError, names []string, value any) Problems {
	known := propertiesOf(s.document, e.SchemaURL)
	given, _ := lookUp(value, e.InstanceLocation).(map[string]any)
	var free []string
	for _, name := range known {
		if _, taken := given[name]; !taken {
			free = append(free, name)
		}
	}
	out := make(Problems, 0, len(names))
	for _, name := range slices.Sorted(slices.Values(names)) {
		path := append(slices.Clone(e.InstanceLocation), name)
		p := Problem{Path: path, Where: pathText(value, path), Expected: "unknown property"}
		if near := config.DidYouMean(name, free); near != "" {
			p.Hint = "did you mean " + quoted(near) + "?"
		} else if len(known) > 0 && len(known) <= maxProblems {
			p.Expected += ", expected one of " + strings.Join(known, ", ")
		} else if len(known) == 0 {
			p.Expected += ", expected none"
		}
		out = append(out, p)
	}
	return out
}

// alternatives tells why no branch of anyOf or oneOf fits. When the branches want
// different types, their types are the answer; else the branch that came nearest.
func (s *Schema) alternatives(e *jsonschema.ValidationError, value any) Problem {
	var wanted []string
	var best Problems
	for _, branch := range e.Causes {
		var found Problems
		s.collect(branch, value, &found)
		if types, ok := branch.ErrorKind.(*kind.Type); ok && len(branch.InstanceLocation) == len(e.InstanceLocation) {
			wanted = append(wanted, types.Want...)
			continue
		}
		if len(found) > 0 && (best == nil || nearer(found, best)) {
			best = found
		}
	}
	p := Problem{Path: e.InstanceLocation, Where: pathText(value, e.InstanceLocation)}
	if best == nil {
		p.Expected = "expected " + typeWords(wanted)
		p.Given = describe(lookUp(value, e.InstanceLocation))
		return p
	}
	p.Expected = "fits none of the allowed forms; the nearest fails at " + best[0].Text("value")
	if best[0].Where != "" {
		p = best[0]
		p.Hint = strings.TrimPrefix(p.Hint+"; no other allowed form fits either", "; ")
	}
	return p
}

// nearer prefers the branch that failed deeper in the value, then the one that
// failed less often.
func nearer(a, b Problems) bool {
	if len(a[0].Path) != len(b[0].Path) {
		return len(a[0].Path) > len(b[0].Path)
	}
	return len(a) < len(b)
}
