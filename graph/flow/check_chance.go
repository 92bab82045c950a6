package flow

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// chance warns of lists in the result that are lists only by chance.
func (c *checker) chance(node graph.Node, given, want shape.Shape) {
	t, isTransform := node.(*graph.Transform)
	if !isTransform {
		return
	}
	for _, slip := range slipsOf(t.Expr, given, want) {
		what := "the result"
		if len(slip.Path) > 0 {
			what = fmt.Sprintf("%q of the result", pathText(slip.Path))
		}
		c.slip(t.Expr, slip, want, fmt.Sprintf("%s is %s by outputSchema of tool %q", what, slip.Wanted, c.graph.Tool.Name.Value))
	}
}

// slipsOf returns the parts of the value of an expression that are lists only by chance: those that its shape shows, and the values of
// $filter and $map of which nothing is known.
func slipsOf(e *graph.Expr, given, want shape.Shape) []shape.Slip {
	all := given.Slips(want)
	if e.Tree() == nil {
		return all
	}
	for _, slip := range unknownLists(e.Tree(), given, want, nil, nil) {
		if !slices.ContainsFunc(all, func(other shape.Slip) bool { return slices.Equal(other.Path, slip.Path) }) {
			all = append(all, slip)
		}
	}
	return all
}

func unknownLists(t *jsonata.Tree, given, want shape.Shape, path []string, found []shape.Slip) []shape.Slip {
	t = lastOf(t)
	switch {
	case t.Kind == jsonata.CallKind && t.Parts[0].Kind == jsonata.VariableKind && (t.Parts[0].Text == "filter" || t.Parts[0].Text == "map"):
		if given.IsAny() && onlyOf(want, shape.Array(shape.Any())) {
			found = append(found, shape.Slip{Path: path, Wanted: want, One: true})
		}
	case t.Kind == jsonata.ObjectKind:
		for _, f := range want.Fields() {
			if value := fieldIn(t, f.Name); value != nil {
				found = unknownLists(value, given.Field(f.Name), f.Shape, below(path, f.Name), found)
			}
		}
	}
	return found
}

// slip warns of a list that an expression gives only when it finds several items; wanted says where a
// list is wanted. Of an array that is written, the author knows how many items it has.
func (c *checker) slip(e *graph.Expr, slip shape.Slip, want shape.Shape, wanted string) {
	part := partOf(e.Tree(), slip.Path, want)
	if c.isWritten(e, part, 0) || !slip.One && (!slip.None || !filters(part) || c.asksForPath(part)) {
		return
	}
	e, part = c.madeBy(e, part, 0)
	text, why := sourceOf(e, part), "when the expression finds one item, its value is that item and no list"
	if !slip.One {
		text, why = strings.TrimSuffix(text, "[]"), "when the expression finds nothing, it has no value, also with [] behind it"
	}
	at := c.place(e.Text, part.Offset)
	if slices.ContainsFunc(c.found, func(f config.Diagnostic) bool { return f.Pos == at && f.Code == "maybe-no-list" }) {
		return // it is used as a list in several places
	}
	end := part.Offset + len(text)
	if strings.HasPrefix(e.Text.Value[end:], "[]") {
		end += len("[]") // the list is written around it instead
	}
	title := "Write [" + wording.Truncate(text, 200) + "]"
	c.found.Warn(at, "maybe-no-list", wanted+": "+why, "write ["+wording.Truncate(text, 200)+"]").
		Fixed(config.Replace(title, e.Text, config.Replacement{From: part.Offset, To: end, Text: "[" + text + "]"}))
}

// madeBy returns the expression, and its part, that makes the value of a part: of one that is the output of a transform, or a field that
// the transform writes, that transform's.
func (c *checker) madeBy(e *graph.Expr, part *jsonata.Tree, depth int) (*graph.Expr, *jsonata.Tree) {
	path := names(part)
	if len(path) == 0 || depth > mostOrigins {
		return e, part
	}
	t, isTransform := c.graph.Node(path[0]).(*graph.Transform)
	if !isTransform || t.Expr.Tree() == nil {
		return e, part
	}
	inner := t.Expr.Tree()
	for _, name := range path[1:] {
		if inner = fieldIn(lastOf(inner), name); inner == nil {
			return e, part
		}
	}
	return c.madeBy(t.Expr, lastOf(inner), depth+1)
}

// lastOf returns the part of a block that gives its value; any other expression itself.
func lastOf(t *jsonata.Tree) *jsonata.Tree {
	for t.Kind == jsonata.BlockKind && len(t.Parts) > 0 {
		t = &t.Parts[len(t.Parts)-1]
	}
	return t
}

// mostOrigins bounds how far the origin of a list is followed.
const mostOrigins = 20

// isWritten reports whether a part of an expression takes its values from an array constructor, by variables, $map and the
// outputs of nodes: its author knows how many there are.
func (c *checker) isWritten(e *graph.Expr, t *jsonata.Tree, depth int) bool {
	if depth > mostOrigins || t == nil {
		return false
	}
	inside := func(t *jsonata.Tree) bool { return c.isWritten(e, t, depth+1) }
	switch t.Kind {
	case jsonata.ArrayKind:
		return true
	case jsonata.BlockKind:
		return len(t.Parts) > 0 && inside(&t.Parts[len(t.Parts)-1])
	case jsonata.OperatorKind:
		return t.Text == "??" && inside(&t.Parts[0]) && inside(&t.Parts[1])
	case jsonata.CallKind:
		return len(t.Parts) > 1 && slices.Contains([]string{"map", "sort", "reverse"}, t.Parts[0].Text) && inside(&t.Parts[1])
	case jsonata.VariableKind:
		return inside(assignedTo(e.Tree(), t.Text))
	case jsonata.PredicateKind, jsonata.KeepKind, jsonata.SortKind, jsonata.FocusKind, jsonata.IndexKind:
		return inside(&t.Parts[0])
	case jsonata.PathKind:
		if t.Parts[0].Kind == jsonata.ContextKind && len(t.Parts) > 1 && t.Parts[1].Kind == jsonata.NameKind {
			return c.outputIsWritten(t.Parts[1].Text, depth)
		}
		return inside(&t.Parts[0])
	case jsonata.NameKind:
		return c.outputIsWritten(t.Text, depth)
	}
	return false
}

// outputIsWritten is isWritten of the output of a node.
func (c *checker) outputIsWritten(id string, depth int) bool {
	n := c.graph.Node(id)
	if t, isTransform := n.(*graph.Transform); isTransform {
		return c.isWritten(t.Expr, t.Expr.Tree(), depth+1)
	}
	if call := graph.CallingOf(n); call != nil && call.ForEach != nil {
		return c.isWritten(call.ForEach.Items, call.ForEach.Items.Tree(), depth+1)
	}
	return false
}

// assignedTo returns the only value that a variable gets in an expression; nil when it gets none, or several.
func assignedTo(t *jsonata.Tree, name string) (value *jsonata.Tree) {
	if t.Kind == jsonata.AssignmentKind && t.Parts[0].Text == name {
		return &t.Parts[1]
	}
	for i := range t.Parts {
		if found := assignedTo(&t.Parts[i], name); found != nil {
			if value != nil {
				return nil
			}
			value = found
		}
	}
	return value
}

// filters reports whether a part has a filter, which may find nothing.
func filters(t *jsonata.Tree) bool {
	return t.Kind == jsonata.PredicateKind || slices.ContainsFunc(t.Parts, func(p jsonata.Tree) bool { return filters(&p) })
}

// asksForPath reports whether a switch of the graph reads what a part begins with.
func (c *checker) asksForPath(t *jsonata.Tree) bool {
	for len(t.Parts) > 0 {
		if path := leading(t); len(path) > 1 {
			return c.asksForField(path)
		}
		t = &t.Parts[0]
	}
	return false
}

// leading returns the names with which a path begins.
func leading(t *jsonata.Tree) (path []string) {
	for i := range t.Parts {
		step := &t.Parts[i]
		for step.Kind == jsonata.PredicateKind {
			step = &step.Parts[0]
		}
		if step.Kind == jsonata.PathKind {
			return append(path, leading(step)...)
		}
		if step.Kind == jsonata.NameKind {
			path = append(path, step.Text)
		} else if i > 0 || step.Kind != jsonata.ContextKind {
			break
		}
	}
	return path
}
