package schema

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"toolgraph/internal/wording"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
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
	t := &telling{schema: s, value: value, choices: map[*jsonschema.ValidationError]Problem{}}
	found := t.problems(invalid)
	if len(found) == 0 { // all that is known was omitted
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

// telling puts what the validator found about one value into words. Errors are shared by
// all that have met them, so that each is looked at once.
type telling struct {
	schema  *Schema
	value   any
	choices map[*jsonschema.ValidationError]Problem // what alternatives has said
}

// problems are those of an error, at most one more than are shown.
func (t *telling) problems(e *jsonschema.ValidationError) Problems {
	var found Problems
	t.collect(e, &found, map[*jsonschema.ValidationError]bool{})
	return found
}

func (t *telling) collect(e *jsonschema.ValidationError, found *Problems, seen map[*jsonschema.ValidationError]bool) {
	if len(*found) > maxProblems || seen[e] {
		return
	}
	seen[e] = true
	switch k := e.ErrorKind.(type) {
	case omitted:
		return
	case *kind.AnyOf:
		*found = append(*found, t.alternatives(e))
		return
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			*found = append(*found, t.alternatives(e))
			return
		}
	case *kind.AdditionalProperties:
		*found = append(*found, t.unknownProperties(e, k.Properties)...)
		return
	case *kind.Required:
		for _, name := range k.Missing {
			*found = append(*found, missing(e, t.value, name))
		}
		return
	case *kind.PropertyNames, *kind.ContentSchema, *kind.Contains, *kind.Not, *kind.FalseSchema:
		*found = append(*found, t.leaf(e))
		return
	}
	if len(e.Causes) == 0 {
		*found = append(*found, t.leaf(e))
		return
	}
	for _, cause := range e.Causes {
		t.collect(cause, found, seen)
	}
}

func (t *telling) leaf(e *jsonschema.ValidationError) Problem {
	value := t.value
	at := lookUp(value, e.InstanceLocation)
	p := Problem{Path: e.InstanceLocation, Where: pathText(value, e.InstanceLocation), Given: describe(at)}
	p.Expected = "expected " + expectation(e.ErrorKind)
	p.Hint = cmp.Or(enumHint(e.ErrorKind), textHint(e.ErrorKind, at))
	if fs, isFalse := e.ErrorKind.(*kind.FalseSchema); isFalse && fs != nil {
		p.Expected, p.Given = "not allowed here", ""
	}
	if names, ok := e.ErrorKind.(*kind.PropertyNames); ok {
		p.Given = "the key " + wording.Quote(names.Property)
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
	if near := wording.Nearest(got, allowed); near != "" {
		return "did you mean " + wording.Quote(near) + "?"
	}
	return ""
}

func missing(e *jsonschema.ValidationError, value any, name string) Problem {
	path := append(slices.Clone(e.InstanceLocation), name)
	return Problem{Path: path, Where: pathText(value, path), Expected: "required, but missing"}
}

// unknownProperties tells each property that the schema has not, and what may have
// been meant: a property that it has and the value has not.
func (t *telling) unknownProperties(e *jsonschema.ValidationError, names []string) Problems {
	value := t.value
	known := propertiesOf(t.schema.document, e.SchemaURL)
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
		if near := wording.Nearest(name, free); near != "" {
			p.Hint = "did you mean " + wording.Quote(near) + "?"
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
func (t *telling) alternatives(e *jsonschema.ValidationError) Problem {
	p, known := t.choices[e]
	if !known {
		p = t.choose(e)
		t.choices[e] = p
	}
	return p
}

func (t *telling) choose(e *jsonschema.ValidationError) Problem {
	value := t.value
	var wanted []string
	var best Problems
	for _, branch := range e.Causes {
		found := t.problems(branch)
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
