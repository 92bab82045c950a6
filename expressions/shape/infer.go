package shape

import "toolgraph/expressions"

// Presence is how certain something is.
type Presence uint8

const (
	Maybe Presence = iota // it may be, or not
	Always
	Never
)

// Binding is what is known of a name in the context.
type Binding struct {
	Shape    Shape
	Presence Presence // whether it has a value when the expression is evaluated
}

// Env is what an expression is evaluated over.
type Env struct {
	// Context is what the root's fields are: the nodes that may have run.
	Context map[string]Binding
	// Open tells that the context may have names that Context does not.
	Open bool
	// Previous is the shape of the output of the execution before this one.
	Previous Shape
	// Suggest is the known word that was probably meant, or empty. May be nil.
	Suggest func(word string, known []string) string
}

// Finding is something in an expression that is wrong or may go wrong.
type Finding struct {
	Offset, End   int    // bytes in the source
	Code          string // kebab-case
	Message, Hint string // lower case; Hint may be empty
}

// Infer is the shape of what the expression's value can be over env, and what is
// wrong with it.
func Infer(*expressions.JSONata, Env) (Shape, []Finding) { return Any(), nil }

// RuleShape is what is known of a rule's outcome.
type RuleShape struct {
	Holds Presence // Always, Never or Maybe
}

// RuleFinding is a Finding in a rule. Path leads from the rule's root to the
// string that Offset and End count in, or to the part that has the fault.
type RuleFinding struct {
	Finding
	Path []any
}

// InferRule is what the rule can come to over env, and what is wrong with it.
func InferRule(*expressions.Rule, Env) (RuleShape, []RuleFinding) { return RuleShape{}, nil }
