package flow

import (
	"fmt"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

const subtractionHint = "take the larger of both: $max([0, …]); or test first: … > … ? … : …"

// subtractions warns of differences that may be less than the minimum of what is wanted, by the ranges of both sides, unless a switch asks for one of them.
func (c *checker) subtractions(e *graph.Expr, want shape.Shape, path []string, add func(path []string, at config.Pos, message string)) {
	var look func(t *jsonata.Tree, want shape.Shape, path []string)
	look = func(t *jsonata.Tree, want shape.Shape, path []string) {
		e, t := c.madeBy(e, lastOf(t), 0)
		if value := assignedIn(e.Tree(), t); value != nil {
			t = value
		}
		switch {
		case t.Kind == jsonata.ObjectKind:
			for _, f := range want.Fields() {
				if value := fieldIn(t, f.Name); value != nil {
					look(value, f.Shape, below(path, f.Name))
				}
			}
		case t.Kind == jsonata.OperatorKind && t.Text == "-" && len(t.Parts) == 2:
			least, known := c.leastDifference(t)
			if _, below := shape.Constant(least).Conflict(want); known && below && !c.asksForPath(&t.Parts[0]) && !c.asksForPath(&t.Parts[1]) {
				message := fmt.Sprintf("is %s, which may be %s; expected %s", sourceOf(e, t), value.NumberText(least), want.Range())
				add(path, c.place(e.Text, t.Offset), message)
			}
		}
	}
	if e.Tree() != nil {
		look(e.Tree(), want, path)
	}
}

// leastDifference returns the least value of a difference, as far as the ranges of its sides say.
func (c *checker) leastDifference(t *jsonata.Tree) (least float64, known bool) {
	from, knownFrom := c.constantNumber(&t.Parts[0])
	if s := c.spanOf(&t.Parts[0]); !knownFrom && s.least != nil {
		from, knownFrom = *s.least, true
	}
	less, knownLess := c.constantNumber(&t.Parts[1])
	if s := c.spanOf(&t.Parts[1]); !knownLess && s.most != nil {
		less, knownLess = *s.most, true
	}
	return from - less, knownFrom && knownLess
}
