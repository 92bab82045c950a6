package flow

import (
	"fmt"
	"strings"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
	"toolgraph/internal/wording"
)

// chance warns of lists in the result that are lists only by chance.
func (c *checker) chance(node graph.Node, given, want shape.Shape) {
	t, isTransform := node.(*graph.Transform)
	if !isTransform {
		return
	}
	for _, slip := range given.Slips(want) {
		what := "the result"
		if len(slip.Path) > 0 {
			what = fmt.Sprintf("%q of the result", pathText(slip.Path))
		}
		c.slip(t.Expr, slip, want, fmt.Sprintf("%s is %s by outputSchema of tool %q", what, slip.Wanted, c.graph.Tool.Name.Value))
	}
}

// slip warns of a list that an expression gives only when it finds several items; wanted says where a
// list is wanted. Of an array that is written, the author knows how many items it has.
func (c *checker) slip(e *graph.Expr, slip shape.Slip, want shape.Shape, wanted string) {
	part := partOf(e.Tree(), slip.Path, want)
	if startsWithArray(part) || !slip.One && !slip.None {
		return
	}
	text, why := sourceOf(e, part), "when the expression finds one item, its value is that item and no list"
	if !slip.One {
		text, why = strings.TrimSuffix(text, "[]"), "when the expression finds nothing, it has no value, also with [] behind it"
	}
	c.found.Warn(c.place(e.Text, part.Offset), "maybe-no-list", wanted+": "+why, "write ["+wording.Truncate(text, 200)+"]")
}

// startsWithArray reports whether a part is a path over an array constructor.
func startsWithArray(t *jsonata.Tree) bool {
	for {
		switch t.Kind {
		case "path", "predicate", "keep", "sort", "focus", "index":
			t = &t.Parts[0]
		default:
			return t.Kind == "array"
		}
	}
}
