package shape

import (
	"slices"
	"strings"

	"toolgraph/expressions/jsonata"
)

// Slip is a part of a value where a list is wanted and an expression gives one only by chance: of one
// item, JSONata gives the item and no list, and of none no value.
type Slip struct {
	Path   []string // names of fields; "[]" for the items of an array
	Wanted Shape
	One    bool // of one item the value is no list
	None   bool // of no item the value is missing, and it is required
}

// Slips returns the parts of a value of the shape that are lists only by chance where the expected shape
// has a list.
func (s Shape) Slips(expected Shape) []Slip { return s.slips(expected, nil, nil, true, 0) }

func (s Shape) slips(expected Shape, found []Slip, path []string, required bool, depth int) []Slip {
	if s.IsAny() || expected.IsAny() || depth > maxDepth {
		return found
	}
	a, b := s.get(), expected.get()
	if a.kinds.has(kindArray) && a.forms&formGuarded == 0 && b.kinds.has(kindArray) {
		none := required && a.kinds.has(kindNothing) && !b.kinds.has(kindNothing)
		if item, may := s.Bare(); may {
			if _, conflicts := item.Conflict(expected); conflicts {
				return append(found, Slip{Path: path, Wanted: expected, One: true, None: none})
			}
		} else if none && a.forms == formKeepArray && a.kinds == kindArray|kindNothing {
			return append(found, Slip{Path: path, Wanted: expected, None: true})
		}
	}
	if a.kinds.has(kindArray) && b.kinds.has(kindArray) {
		found = a.items.slips(b.items, found, below(path, "[]"), false, depth+1)
	}
	if a.kinds.has(kindObject) && b.kinds.has(kindObject) {
		for _, f := range b.fields {
			if own, known := a.field(f.Name); known {
				of := own.Shape
				if own.Optional && !of.IsAny() {
					of = union(of, Nothing())
				}
				found = of.slips(f.Shape, found, below(path, f.Name), !f.Optional, depth+1)
			}
		}
		for _, f := range a.fields {
			if _, known := b.field(f.Name); !known {
				found = f.Shape.slips(b.others, found, below(path, f.Name), false, depth+1)
			}
		}
		found = a.others.slips(b.others, found, below(path, Other), false, depth+1)
	}
	return found
}

func below(path []string, name string) []string { return append(path[:len(path):len(path)], name) }

// guarded marks the lists of a branch whose condition asks how many items there are, or of what type they
// are: the author knows.
func (in *inferrer) guarded(v fact, condition, branch *tree) fact {
	if v.shape.IsAny() || !in.asksFor(condition, in.source[branch.Offset:max(branch.Offset, min(branch.End, len(in.source)))]) {
		return v
	}
	v.reads = slices.DeleteFunc(slices.Clone(v.reads), func(r read) bool { return r.when != "" })
	if !v.shape.can(kindArray) {
		return v
	}
	v.shape = v.shape.withForms(v.shape.get().forms | formGuarded)
	return v
}

// asksFor reports whether a condition counts, asks for a type, or reads a value that the text reads too.
func (in *inferrer) asksFor(t *tree, text string) bool {
	switch t.Kind {
	case jsonata.CallKind:
		if name := t.Parts[0].Text; t.Parts[0].Kind == jsonata.VariableKind && (name == "count" || name == "type") {
			return true
		}
	case jsonata.PathKind, jsonata.VariableKind, jsonata.NameKind, jsonata.PredicateKind:
		if t.Offset < t.End && t.End <= len(in.source) && strings.Contains(text, in.source[t.Offset:t.End]) {
			return true
		}
	}
	for i := range t.Parts {
		if in.asksFor(&t.Parts[i], text) {
			return true
		}
	}
	return false
}
