package flow

import (
	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/graph"
)

// wordSearch looks for the string that gives a value.
type wordSearch struct {
	*checker
	word string
	seen map[*jsonata.Tree]bool // each part is followed once
}

// at returns the place of the string that a part of an expression gives as its value, also through variables of the expression, defaults
// and the transforms whose outputs it reads; nil without one.
func (s *wordSearch) at(e *graph.Expr, part *jsonata.Tree) (in *graph.Expr, at *jsonata.Tree) {
	part = lastOf(part)
	if s.seen[part] {
		return nil, nil
	}
	s.seen[part] = true
	if written := literalIn(part, s.word); written != nil {
		return e, written
	}
	switch {
	case part.Kind == "variable":
		if bound := boundOnce(e.Tree(), part.Text); bound != nil {
			return s.at(e, bound)
		}
	case part.Kind == "operator" && (part.Text == "??" || part.Text == "?:"):
		return s.first(e, part.Parts)
	case part.Kind == "conditional":
		return s.first(e, part.Parts[1:])
	}
	path := names(part)
	if len(path) == 0 {
		return nil, nil
	}
	by, inner := s.writtenBy(path)
	if inner == nil {
		return nil, nil
	}
	return s.at(by, inner)
}

func (s *wordSearch) first(e *graph.Expr, parts []jsonata.Tree) (in *graph.Expr, at *jsonata.Tree) {
	for i := range parts {
		if in, at = s.at(e, &parts[i]); at != nil {
			return in, at
		}
	}
	return nil, nil
}

// boundOnce returns the value of a variable that an expression assigns in one place; nil for any other variable.
func boundOnce(t *jsonata.Tree, name string) *jsonata.Tree {
	var values []*jsonata.Tree
	var look func(t *jsonata.Tree)
	look = func(t *jsonata.Tree) {
		switch {
		case t.Kind == "assignment" && t.Parts[0].Text == name:
			values = append(values, &t.Parts[1])
		case (t.Kind == "parameter" || t.Kind == "focus" || t.Kind == "index") && t.Text == name:
			values = append(values, nil, nil)
		}
		for i := range t.Parts {
			look(&t.Parts[i])
		}
	}
	look(t)
	if len(values) != 1 {
		return nil
	}
	return values[0]
}

// wordPlace returns the place of the string of an excess, and its source.
func (c *checker) wordPlace(e *graph.Expr, part *jsonata.Tree, word string) (at config.Pos, source string, found bool) {
	if word == "" {
		return at, "", false
	}
	search := wordSearch{checker: c, word: word, seen: map[*jsonata.Tree]bool{}}
	in, written := search.at(e, part)
	if written == nil {
		return at, "", false
	}
	return c.place(in.Text, written.Offset), sourceOf(in, written), true
}
