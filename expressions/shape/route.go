package shape

import (
	"slices"

	"toolgraph/expressions/jsonata"
)

// route is a path as package jsonata evaluates it: its steps one after the other, each with what
// follows it, then what applies to the whole path wherever it is written. A part that is no
// path has one step.
type route struct {
	steps   []step
	isPath  bool
	start   int   // byte in the source where it begins
	keeps   bool  // a step has []: the result stays an array
	array   bool  // [] is behind the whole
	group   *tree // by whose keys the result is grouped, or nil
	tuples  bool  // its steps carry variables
	parents bool  // some of them are parents (%)
}

// step is a step of a path.
type step struct {
	*tree           // the step itself; for a sort, the tree with the terms
	end     int     // byte in the source behind the step and what belongs to it
	sorts   bool    // it is ^
	inner   []*tree // filters behind a part that is no step
	filters []*tree // filters behind a step
	keeps   bool    // it has []
	group   *tree   // by whose keys a part that is no path is grouped
	opens   bool    // array constructors among its results are flattened
	focus   string  // the variable of @
	index   string  // the variable of #
	cons    bool    // it is an array constructor that is not flattened, or a block that begins with one
}

// routeOf returns a part as a route, as jsonata's builder makes it.
func routeOf(t *tree) *route {
	r := &route{start: t.Offset}
	switch t.Kind {
	case jsonata.NameKind:
		r.isPath, r.steps = true, []step{{tree: t}}
	case jsonata.PathKind:
		r = routeOf(&t.Parts[0])
		r.isPath = true
		for i := range r.steps {
			r.keeps = r.keeps || r.steps[i].keeps
		}
		for i := range t.Parts[1:] {
			r.add(&t.Parts[1+i])
		}
	case jsonata.PredicateKind:
		r = routeOf(&t.Parts[0])
		r.filter(t.Parts[1:])
	case jsonata.KeepKind:
		r = routeOf(&t.Parts[0])
		r.keep(&t.Parts[0])
	case jsonata.FocusKind:
		r = routeOf(&t.Parts[0])
		r.last().focus = t.Text
	case jsonata.IndexKind:
		r = routeOf(&t.Parts[0])
		r.isPath = true
		last := r.last()
		last.index, last.filters, last.inner = t.Text, append(last.filters, last.inner...), nil
	case jsonata.SortKind:
		r = routeOf(&t.Parts[0])
		r.isPath = true
		r.steps = append(r.steps, step{tree: t, sorts: true})
	case jsonata.GroupKind:
		r = routeOf(&t.Parts[0])
		if r.isPath {
			r.group = t
		} else {
			r.last().group = t
		}
	default:
		r.steps = []step{{tree: t, cons: t.Kind == jsonata.BlockKind && beginsWithArray(t)}}
	}
	r.last().end = t.End
	r.tuples = r.tuples || contains(t, jsonata.FocusKind, jsonata.IndexKind, jsonata.ParentKind)
	r.parents = r.parents || r.tuples && contains(t, jsonata.ParentKind)
	return r
}

func (r *route) last() *step { return &r.steps[len(r.steps)-1] }

// add adds a step to a path.
func (r *route) add(t *tree) {
	more := routeOf(t)
	for i := range more.steps {
		s := &more.steps[i]
		if !more.isPath {
			s.filters, s.inner = append(s.filters, s.inner...), nil
		}
		if s.Kind == jsonata.StringKind {
			s.tree = &tree{Kind: jsonata.NameKind, Text: s.Text, Offset: s.Offset, End: s.End}
		}
		r.keeps = r.keeps || s.keeps
	}
	r.steps = append(r.steps, more.steps...)
	for _, s := range []*step{&r.steps[0], r.last()} {
		s.cons = s.cons || s.Kind == jsonata.ArrayKind
	}
}

// beginsWithArray reports whether a block has a path that begins with an array constructor.
func beginsWithArray(t *tree) bool {
	for i := range t.Parts {
		if part := &t.Parts[i]; part.Kind != jsonata.ArrayKind && mayConstruct(part) {
			if r := routeOf(part); r.steps[0].cons {
				return true
			}
		}
	}
	return false
}

// mayConstruct reports whether a part is a path, or a block, which may begin with an array constructor.
func mayConstruct(t *tree) bool {
	switch t.Kind {
	case jsonata.PathKind, jsonata.PredicateKind, jsonata.KeepKind, jsonata.SortKind, jsonata.GroupKind, jsonata.FocusKind, jsonata.IndexKind, jsonata.BlockKind:
		return true
	}
	return false
}

func (r *route) filter(filters []tree) {
	for i := range filters {
		if last := r.last(); r.isPath {
			last.filters = append(last.filters, &filters[i])
		} else {
			last.inner = append(last.inner, &filters[i])
		}
	}
}

// keep is [] behind a part: only a name stays an array by itself.
func (r *route) keep(t *tree) {
	for t.Kind == jsonata.PredicateKind || t.Kind == jsonata.KeepKind {
		t = &t.Parts[0]
	}
	last := r.last()
	if r.isPath {
		r.array = true
	} else {
		last.keeps = true
	}
	switch t.Kind {
	case jsonata.NameKind:
		r.keeps, last.keeps = true, true
	case jsonata.FocusKind:
		last.keeps = true
	}
}

// contains reports whether a part, or a part of it, is of one of the kinds.
func contains(t *tree, kinds ...jsonata.Kind) bool {
	if slices.Contains(kinds, t.Kind) {
		return true
	}
	for i := range t.Parts {
		if contains(&t.Parts[i], kinds...) {
			return true
		}
	}
	return false
}
