package graphs

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// place is something in the context that a path can lead to.
type place struct {
	path string // from the context, such as entry.items
	kind string // of the grammar
}

// scope is what can be read where a term stands.
type scope struct {
	places []place
	ids    []string // of nodes
	root   string   // what leads to the context: "", "$$." or "$ctx."
	items  []string // what leads to the fields of an item: "" in a predicate, "$v."
	vars   []place  // variables that are no items
}

// in is the scope of a hole with this mode.
func (s scope) in(mode string) scope {
	inner := s
	switch mode {
	case "item", "deep":
		inner.items = nil
		for _, prefix := range s.items {
			if prefix != "" {
				inner.items = append(inner.items, prefix)
			}
		}
		if s.root == "" {
			inner.root = "$$."
		}
		if mode == "item" {
			inner.items = append(inner.items, "")
		}
	case "v":
		inner.items = slices.Concat(s.items, []string{"$v."})
	case "w":
		inner.vars = slices.Concat(s.vars, []place{{"$w", "num"}})
	case "body":
		inner.items, inner.root, inner.vars = []string{""}, "$ctx.", nil
	case "bare":
		inner.items, inner.root, inner.vars = nil, "$ctx.", nil
	}
	return inner
}

// itemFields are the fields of the items that entries and tools give.
var itemFields = []place{
	{"id", "num"},
	{"price", "num"},
	{"qty", "num"},
	{"name", "str"},
	{"kind", "str"},
	{"active", "bool"},
	{"tags", "strs"},
	{"sub", "obj"},
	{"sub.x", "num"},
	{"sub.y", "str"},
	{"note", "any"},
	{"missing", "any"},
}

// maker makes random terms.
type maker struct{ *rand.Rand }

// ref is a path to something of the kind, or of any kind where there is none, or
// sometimes although there is one.
func (m maker) ref(s scope, kind string) string {
	var fit, all []string
	add := func(path, its string) {
		all = append(all, path)
		if its == kind || kind == "any" {
			fit = append(fit, path)
		}
	}
	for _, p := range s.places {
		add(s.root+p.path, p.kind)
	}
	for _, prefix := range s.items {
		for _, f := range itemFields {
			// A field of the item at hand is what most terms in a predicate are about.
			for range 3 {
				add(prefix+f.path, f.kind)
			}
		}
	}
	for _, v := range s.vars {
		for range 8 {
			add(v.path, v.kind)
		}
	}
	if len(fit) == 0 || m.IntN(25) == 0 {
		fit = all
	}
	path := fit[m.IntN(len(fit))]
	if s.root == "" && m.IntN(2) == 0 && !strings.HasPrefix(path, "$") {
		return "$." + path
	}
	return path
}

// term makes a term of the kind with at most so many levels of forms.
func (m maker) term(s scope, h hole, depth int) *term {
	if h.kind == "ref" {
		t := literalTerm(m.ref(s, "any"))
		t.hole = h
		return t
	}
	forms := grammar[h.kind]
	f := forms[m.IntN(len(forms))]
	for tries := 0; len(f.holes) > 0 && depth <= 0 && tries < 30; tries++ {
		f = forms[m.IntN(len(forms))]
	}
	if len(f.holes) == 0 {
		t := literalTerm(f.texts[0])
		if f.texts[0] == "ref" {
			t = literalTerm(m.ref(s, h.kind))
		}
		t.texts[0] = m.withIDs(s, t.texts[0])
		t.hole = h
		return t
	}
	t := &term{hole: h}
	for i, text := range f.texts {
		t.texts = append(t.texts, m.withIDs(s, text))
		if i < len(f.holes) {
			t.terms = append(t.terms, m.term(s.in(f.holes[i].mode), f.holes[i], depth-1))
		}
	}
	return t
}

var idHole = regexp.MustCompile(`\{id\}`)

// withIDs is the text with a node's id, as a string, for each {id}.
func (m maker) withIDs(s scope, text string) string {
	return idHole.ReplaceAllStringFunc(text, func(string) string { return quote(s.ids[m.IntN(len(s.ids))]) })
}
