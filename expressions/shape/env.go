package shape

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// Presence says how certain it is that something exists.
type Presence uint8

// It may exist or not; it certainly exists; it certainly does not exist.
const (
	Maybe Presence = iota
	Always
	Never
)

// Binding is what is known of a name in the context.
type Binding struct {
	Shape    Shape    // of its value; includes nothing when the node may yield that
	Presence Presence // of a run of the node before the expression is evaluated
}

// Env describes the context that an expression is evaluated over. The zero Env is an
// empty context.
type Env struct {
	// Context has the fields of the root: the nodes of the graph. It is not changed.
	Context map[string]Binding
	// Open says that the context may have names that Context does not have.
	Open bool
	// Previous is the shape of $previousNode(); it includes nothing when this may be the
	// first execution.
	Previous Shape
	// Variables are the variables of the language that have a value, by name without $. It
	// is not changed.
	Variables map[string]Shape
	// Constants are values that variables have unless others are given, by name without $. It is not changed.
	Constants map[string]value.Value
	// Needed says that the expression as a whole must have a value.
	Needed bool
	// Required says what requires a value of the expression, as in "argument "a" is
	// required"; empty when nothing does. An optional field is then reported.
	Required string
	// Wanted is the shape that the value must have: a field that it requires must not be
	// missing. Any requires nothing.
	Wanted Shape
	// Declared reports whether a schema declares the shape of a name. When nil, none does.
	Declared func(name string) bool
	// Asked reports whether the run has checked before that a field exists. It may be nil.
	Asked func(path []string) bool

	// Node reports whether the graph has a node of that name, also one that the expression does not read. When nil, those of Context are
	// known.
	Node func(name string) bool
	// Gives reports whether the output of a node is known to have a field. When nil, it is not known of any.
	Gives func(node, field string) bool
	// Empty reports whether a list of the context may be empty. When nil, it is not known of any.
	Empty func(path []string) bool

	// Supposed says that the shapes are those of a supposed run: a missing operand of & or of a
	// comparison by size is reported.
	Supposed bool

	// OneState says that the presences are those of one of several states of a run.
	OneState bool

	// Branch gets the value of each alternative of a conditional or a default; nil for none.
	Branch func(part *jsonata.Tree, value Shape)

	probe func(Shape) // see Probe; nil for none
}

// root returns the context as a shape.
func (e *Env) root() Shape {
	fields := make([]Field, 0, len(e.Context))
	for _, name := range sortedNames(e.Context) {
		b := e.Context[name]
		if b.Presence == Never || b.Shape.IsNothing() {
			continue
		}
		fields = append(fields, Field{Name: name, Shape: b.Shape.bare(), Optional: b.Presence == Maybe})
	}
	return Object(fields, e.Open)
}

// branched hands what an alternative gives to the user of the environment.
func (e *Env) branched(part *tree, v fact) {
	if e.Branch != nil {
		e.Branch(part, v.shape)
	}
}

// Finding is a place in an expression that is wrong or may fail.
type Finding struct {
	Offset, End   int    // bytes in the source, from 0; End is behind the last one
	Code          string // one of the Code constants
	Message, Hint string // lower case; Hint may be empty
	// Fails says that every evaluation fails here, whatever values it reads.
	Fails  bool
	Always bool // every evaluation reaches the place
	Minor  bool // it is not worth a message beside another finding in the expression
	Fixes  []jsonata.Fix
}

// The codes of findings.
const (
	// CodeUnknownField is a field that its object cannot have.
	CodeUnknownField = "unknown-field"
	// CodeUndeclaredField is a field that the object's schema neither declares nor
	// forbids.
	CodeUndeclaredField = "undeclared-field"
	// CodeUnknownName is a name that the context cannot have.
	CodeUnknownName = "unknown-name"
	// CodeMayBeMissing is the output of a node that may not have run.
	CodeMayBeMissing = "may-be-missing"
	// CodeOptionalField is a field that may be missing where a value is required.
	CodeOptionalField = "optional-field"
	// CodeNoFields is a field of a value that is no object.
	CodeNoFields = "no-fields"
	// CodeAbsent is an operand that is missing in a supposed run.
	CodeAbsent = "absent"
	// CodeNeverRan is the output of a node that cannot have run.
	CodeNeverRan = "never-ran"
	// CodeWrongOperand is an operand that its operator does not take.
	CodeWrongOperand = "wrong-operand"
	// CodeWrongArgument is an argument that its function does not take.
	CodeWrongArgument = "wrong-argument"
	// CodeArgumentCount is a call with too few or too many arguments.
	CodeArgumentCount = "argument-count"
	// CodeUnboundVariable is a variable that is never defined.
	CodeUnboundVariable = "unbound-variable"
	// CodeNoFunction is the call of a value that is not a function.
	CodeNoFunction = "no-function"
	// CodeConstantComparison is a comparison that is always true or always false.
	CodeConstantComparison = "constant-comparison"
	// CodeTemplate is a literal with a path in braces, which stays as it is written.
	CodeTemplate = "template"
	// CodeConstantCondition is a condition that reads no value.
	CodeConstantCondition = "constant-condition"
)

// sortFindings sorts findings by place and removes repeated ones.
func sortFindings(findings []Finding) []Finding {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(a.Offset-b.Offset, strings.Compare(a.Code, b.Code))
	})
	return slices.CompactFunc(findings, func(a, b Finding) bool { return a.Offset == b.Offset && a.Code == b.Code })
}

func sortedNames[T any](of map[string]T) []string { return slices.Sorted(maps.Keys(of)) }
