package server

import (
	"cmp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// maxProblems bounds how many problems of one value are told.
const maxProblems = 10

// problem is one way in which a value does not fit its schema.
type problem struct {
	path     []string // keys and indexes from the value's root
	where    string   // the path as people write it; "" for the root
	expected string
	given    string // "" when expected says all
	hint     string
}

func (p problem) text(root string) string {
	var b strings.Builder
	b.WriteString(root + p.where + ": " + p.expected)
	if p.given != "" {
		b.WriteString(", got " + p.given)
	}
	if p.hint != "" {
		b.WriteString("; " + p.hint)
	}
	return b.String()
}

// tell joins problems, one a line, all of them below root ("arguments").
func tell(root string, problems []problem) string {
	lines := make([]string, 0, len(problems))
	for i, p := range problems {
		if i == maxProblems {
			lines = append(lines, "and more")
			break
		}
		lines = append(lines, p.text(root))
	}
	return strings.Join(lines, "\n")
}

// problems flattens what the validator found into our own words.
func (s *schema) problems(invalid *jsonschema.ValidationError, value any) []problem {
	var found []problem
	s.collect(invalid, value, &found)
	slices.SortStableFunc(found, func(a, b problem) int { return cmp.Compare(a.where, b.where) })
	return slices.CompactFunc(found, func(a, b problem) bool {
		return a.where == b.where && a.expected == b.expected
	})
}

func (s *schema) collect(e *jsonschema.ValidationError, value any, found *[]problem) {
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

func (s *schema) leaf(e *jsonschema.ValidationError, value any) problem {
	at := lookUp(value, e.InstanceLocation)
	p := problem{path: e.InstanceLocation, where: pathText(value, e.InstanceLocation), given: describe(at)}
	p.expected = "expected " + expectation(e.ErrorKind)
	p.hint = enumHint(e.ErrorKind)
	if fs, isFalse := e.ErrorKind.(*kind.FalseSchema); isFalse && fs != nil {
		p.expected, p.given = "not allowed here", ""
	}
	if names, ok := e.ErrorKind.(*kind.PropertyNames); ok {
		p.given = "the key " + quoted(names.Property)
	}
	return p
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
	if near := nearest(got, allowed); near != "" {
		return "did you mean " + quoted(near) + "?"
	}
	return ""
}

func missing(e *jsonschema.ValidationError, value any, name string) problem {
	path := append(slices.Clone(e.InstanceLocation), name)
	return problem{path: path, where: pathText(value, path), expected: "required, but missing"}
}

// unknownProperties tells each property that the schema has not, and what may have
// been meant: a property that it has and the value has not.
func (s *schema) unknownProperties(e *jsonschema.ValidationError, names []string, value any) []problem {
	known := propertiesOf(s.document, e.SchemaURL)
	given, _ := lookUp(value, e.InstanceLocation).(map[string]any)
	var free []string
	for _, name := range known {
		if _, taken := given[name]; !taken {
			free = append(free, name)
		}
	}
	out := make([]problem, 0, len(names))
	for _, name := range slices.Sorted(slices.Values(names)) {
		path := append(slices.Clone(e.InstanceLocation), name)
		p := problem{path: path, where: pathText(value, path), expected: "unknown property"}
		if near := nearest(name, free); near != "" {
			p.hint = "did you mean " + quoted(near) + "?"
		} else if len(known) > 0 && len(known) <= maxProblems {
			p.expected += ", expected one of " + strings.Join(known, ", ")
		} else if len(known) == 0 {
			p.expected += ", expected none"
		}
		out = append(out, p)
	}
	return out
}

// alternatives tells why no branch of anyOf or oneOf fits. When the branches want
// different types, their types are the answer; else the branch that came nearest.
func (s *schema) alternatives(e *jsonschema.ValidationError, value any) problem {
	var wanted []string
	var best []problem
	for _, branch := range e.Causes {
		var found []problem
		s.collect(branch, value, &found)
		if types, ok := branch.ErrorKind.(*kind.Type); ok && len(branch.InstanceLocation) == len(e.InstanceLocation) {
			wanted = append(wanted, types.Want...)
			continue
		}
		if len(found) > 0 && (best == nil || nearer(found, best)) {
			best = found
		}
	}
	p := problem{path: e.InstanceLocation, where: pathText(value, e.InstanceLocation)}
	if best == nil {
		p.expected = "expected " + typeWords(wanted)
		p.given = describe(lookUp(value, e.InstanceLocation))
		return p
	}
	p.expected = "fits none of the allowed forms; the nearest fails at " + best[0].text("value")
	if best[0].where != "" {
		p = best[0]
		p.hint = strings.TrimPrefix(p.hint+"; no other allowed form fits either", "; ")
	}
	return p
}

// nearer prefers the branch that failed deeper in the value, then the one that
// failed less often.
func nearer(a, b []problem) bool {
	if len(a[0].path) != len(b[0].path) {
		return len(a[0].path) > len(b[0].path)
	}
	return len(a) < len(b)
}
