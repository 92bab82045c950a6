package schema

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolgraph/expressions/value"
)

// The limits of a schema. The library's time to compile grows with the cube of the depth,
// with the square of the number of objects, and, for each reference to a part that is not
// known as a schema, with the number of objects (v6.0.3).
const (
	maxDepth   = 64
	maxObjects = 10_000
	maxStrays  = 500
	maxBytes   = 1 << 20 // of a schema as JSON; a graph file is bounded as a whole
)

// SizeError says that a schema is too large to be used.
type SizeError struct{ message string }

func (e *SizeError) Error() string { return e.message }

// size counts the parts of a value or a schema.
type size struct {
	values  int // itself among them
	objects int
	strays  int // references to parts that are not in $defs, definitions or properties
	depth   int // 0 for a value that contains no others
}

func sizeOf(v any) size {
	var s size
	s.add(v, 0)
	return s
}

func (s *size) add(v any, depth int) {
	s.values++
	s.depth = max(s.depth, depth)
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			s.add(item, depth+1)
		}
	case map[string]any:
		s.objects++
		if ref, isText := v["$ref"].(string); isText && isStray(ref) {
			s.strays++
		}
		for _, item := range v {
			s.add(item, depth+1)
		}
	}
}

func isStray(ref string) bool {
	for _, head := range []string{"#/$defs/", "#/definitions/", "#/properties/"} {
		if strings.HasPrefix(ref, head) {
			return false
		}
	}
	return strings.HasPrefix(ref, "#/")
}

// excess says why a schema of this size has too many parts, or returns "".
func (s size) excess() string {
	switch {
	case s.objects > maxObjects:
		return fmt.Sprintf("has %d objects, at most %d are allowed", s.objects, maxObjects)
	case s.strays > maxStrays:
		return fmt.Sprintf("has %d references to parts that are not in $defs, definitions or properties, at most %d are allowed", s.strays, maxStrays)
	}
	return ""
}

// A validation may take StepsAtLeast steps, and StepsPerValue more for each value inside
// the validated value. A step is one schema object applied to one value; a pattern matched
// against a long text takes several. Most schemas take about as many steps as they have
// objects for each value: only schemas that apply the same objects to the same values
// again and again exceed the budget.
const (
	StepsAtLeast  = 200_000
	StepsPerValue = 100
)

// BudgetError says that a validation was given up: the schema needs more steps than its
// budget allows.
type BudgetError struct{ Steps int }

func (e *BudgetError) Error() string {
	return fmt.Sprintf("the validation takes more than %d steps; simplify the schema: "+
		"a recursive oneOf, anyOf or allOf whose branches share a subschema tries every combination of them", e.Steps)
}

// The memory of a validation, in bytes. Beyond detailBytes, errors lose their details;
// beyond memoBytes, verdicts are forgotten and found again.
const (
	detailBytes = 8 << 20
	memoBytes   = 8 << 20
)

// meter bounds one validation.
type meter struct {
	value.Meter

	limits value.Limits // no steps: no validation is going on
	detail int          // bytes of the errors that may become part of the result
	memo   int          // bytes of known
	known  map[place]verdict
}

// stopped is the value of the panic that ends a validation.
type stopped struct{ overBudget bool }

// errStopped says that a validation ended with its context.
var errStopped = errors.New("the validation was stopped")

// begin prepares the meter for a validation.
func (m *meter) begin(ctx context.Context, values int) {
	*m = meter{limits: value.Limits{Steps: StepsAtLeast + StepsPerValue*values}}
	m.Meter = value.MakeMeter(ctx, &m.limits)
	_ = m.Look() // an error is that of the first step too
}

// end forgets what the meter holds of a validation.
func (m *meter) end() { *m = meter{} }

// validate validates a value until the meter stops it.
func (m *meter) validate(s *jsonschema.Schema, v any) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case stopped:
			err = errStopped
			if p.overBudget {
				err = &BudgetError{m.limits.Steps}
			}
		default:
			panic(p)
		}
	}()
	return s.Validate(v)
}

// spend counts steps. It panics with stopped at the end of the budget and when the context
// has ended, since the library offers no other way to leave it.
func (m *meter) spend(steps int) {
	if m.limits.Steps == 0 {
		return // no validation is going on: patterns are being compiled
	}
	if m.Spend(steps) != nil {
		panic(stopped{overBudget: m.Cancelled() == nil})
	}
}

// remember stores a verdict.
func (m *meter) remember(at place, v verdict, size int) {
	if m.memo += size; m.memo > memoBytes {
		m.memo, m.known = size, nil
	}
	if m.known == nil {
		m.known = map[place]verdict{}
	}
	m.known[at] = v
}
