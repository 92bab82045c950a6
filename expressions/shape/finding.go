package shape

import (
	"maps"
	"slices"
	"strings"
)

// Finding is something in an expression that is wrong or may go wrong.
type Finding struct {
	Offset, End   int    // bytes in the source
	Code          string // one of the Code constants
	Message, Hint string // lower case; Hint may be empty
	// Fails is set when every evaluation fails here, whatever there is to read.
	Fails bool
}

// The codes of findings.
const (
	// CodeUnknownField is a field that its object cannot have.
	CodeUnknownField = "unknown-field"
	// CodeUndeclaredField is a field that the object's schema does not declare, and
	// does not rule out either.
	CodeUndeclaredField = "undeclared-field"
	// CodeUnknownName is a name that the context cannot have.
	CodeUnknownName = "unknown-name"
	// CodeMayBeMissing is the output of a node that may not have run.
	CodeMayBeMissing = "may-be-missing"
	// CodeOptionalField is a field that may be missing where a value is required.
	CodeOptionalField = "optional-field"
	// CodeNeverRan is the output of a node that cannot have run.
	CodeNeverRan = "never-ran"
	// CodeWrongOperand is an operand that its operator cannot have.
	CodeWrongOperand = "wrong-operand"
	// CodeWrongArgument is an argument that its function cannot have.
	CodeWrongArgument = "wrong-argument"
	// CodeArgumentCount is a call with too few or too many arguments.
	CodeArgumentCount = "argument-count"
	// CodeUnboundVariable is a variable that has no value anywhere.
	CodeUnboundVariable = "unbound-variable"
	// CodeNoFunction is the call of something that is no function.
	CodeNoFunction = "no-function"
	// CodeConstantComparison is a comparison that is always true or always false.
	CodeConstantComparison = "constant-comparison"
	// CodeConstantCondition is a condition that reads nothing.
	CodeConstantCondition = "constant-condition"
)

// sortFindings puts findings in the order of their places, each once.
func sortFindings(findings []Finding) []Finding {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		if a.Offset != b.Offset {
			return a.Offset - b.Offset
		}
		return strings.Compare(a.Code, b.Code)
	})
	return slices.CompactFunc(findings, func(a, b Finding) bool { return a.Offset == b.Offset && a.Code == b.Code })
}

func sortedNames[T any](of map[string]T) []string { return slices.Sorted(maps.Keys(of)) }
