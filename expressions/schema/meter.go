package schema

import (
	"context"
	"fmt"
)

// A validation may take StepsAtLeast steps, and StepsPerValue more for each value inside
// the value that is validated. A step is one schema object applied to one value; a
// pattern matched against a long text takes several. Schemas take about as many steps as
// they have objects for each value, so that only schemas which apply the same objects to
// the same values again and again come to the end of the budget.
const (
	StepsAtLeast  = 200_000
	StepsPerValue = 100
)

// BudgetError is a validation that was given up: the schema needs more steps than its
// budget allows.
type BudgetError struct{ Steps int }

func (e *BudgetError) Error() string {
	return fmt.Sprintf("the validation takes more than %d steps; simplify the schema: "+
		"a recursive oneOf, anyOf or allOf whose branches share a subschema tries every combination of them", e.Steps)
}

// What a validation may hold on to, in bytes. Beyond detailBytes, errors lose their
// details; beyond memoBytes, verdicts are forgotten and found again.
const (
	detailBytes = 8 << 20
	memoBytes   = 8 << 20
)

// meter bounds one validation.
type meter struct {
	done   <-chan struct{} // closed when the validation is to end
	steps  int
	most   int
	detail int // bytes of the errors that may become part of the answer
	memo   int // bytes of known
	known  map[place]verdict
}

// stopped is what a meter panics with, for Check to recover.
type stopped struct{ overBudget bool }

// begin makes the meter ready for a validation.
func (m *meter) begin(ctx context.Context, values int) {
	*m = meter{done: ctx.Done(), most: StepsAtLeast + StepsPerValue*values}
}

// stepsPerLook is how many steps pass between two looks at the context.
const stepsPerLook = 128

// spend counts steps. It panics with stopped at the end of the budget, and when the
// context has ended: the library can be left in no other way.
func (m *meter) spend(steps int) {
	if m.most == 0 {
		return // no validation is going on: patterns are compiled
	}
	before := m.steps
	m.steps += steps
	if m.steps > m.most {
		panic(stopped{overBudget: true})
	}
	if before/stepsPerLook == m.steps/stepsPerLook && before > 0 {
		return
	}
	select {
	case <-m.done:
		panic(stopped{})
	default:
	}
}

// remember notes a verdict.
func (m *meter) remember(at place, v verdict, size int) {
	if m.memo += size; m.memo > memoBytes {
		m.memo, m.known = size, nil
	}
	if m.known == nil {
		m.known = map[place]verdict{}
	}
	m.known[at] = v
}
