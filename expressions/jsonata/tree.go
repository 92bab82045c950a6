package jsonata

// Kind is the form of a part of an expression.
type Kind string

// The kinds; Tree says what the parts of each are.
const (
	NameKind        Kind = "name"
	StringKind      Kind = "string"
	NumberKind      Kind = "number"
	LiteralKind     Kind = "literal"
	PatternKind     Kind = "pattern"
	ContextKind     Kind = "context"
	VariableKind    Kind = "variable"
	ParameterKind   Kind = "parameter"
	WildcardKind    Kind = "wildcard"
	DescendantsKind Kind = "descendants"
	ParentKind      Kind = "parent"
	PathKind        Kind = "path"
	PredicateKind   Kind = "predicate"
	KeepKind        Kind = "keep"
	FocusKind       Kind = "focus"
	IndexKind       Kind = "index"
	SortKind        Kind = "sort"
	GroupKind       Kind = "group"
	ObjectKind      Kind = "object"
	ArrayKind       Kind = "array"
	BlockKind       Kind = "block"
	OperatorKind    Kind = "operator"
	ConditionalKind Kind = "conditional"
	AssignmentKind  Kind = "assignment"
	FunctionKind    Kind = "function"
	CallKind        Kind = "call"
	PartialCallKind Kind = "partial call"
	PlaceholderKind Kind = "placeholder"
	TransformKind   Kind = "transform"
)

// Tree is a part of an expression: its kind, its name or literal, its place and its parts.
//
//	name string number literal pattern    themselves: Text
//	context                               $ or $$: Text
//	variable parameter                    Text, without $
//	wildcard descendants parent           * ** %
//	path                                  its steps
//	predicate                             what is filtered, then the filters
//	keep                                  what has [] behind it
//	focus index                           the variable of @ or #, then what has it behind it
//	sort                                  what is sorted, then the terms; Text has < or > for each term
//	group                                 what is grouped, then keys and values in turn
//	object                                keys and values in turn
//	array block                           items, expressions
//	operator                              Text, then one operand or two
//	conditional                           condition, value, and perhaps the other value
//	assignment                            the variable, then its value
//	function                              its parameters, then its body; Text is its signature
//	call, partial call                    what is called, then the arguments
//	placeholder                           the ? of a partial call
//	transform                             |pattern|update| and perhaps the deletion
type Tree struct {
	Kind   Kind
	Text   string // the name, literal or operator; empty when the kind suffices
	Offset int    // byte in the source where it begins
	End    int    // byte behind it
	Parts  []Tree // not to be changed

	place int    // byte of the operator between the parts
	flags string // of a pattern
}

// Tree is the expression's parse tree, never nil; it is not to be changed.
func (e *Expression) Tree() *Tree { return e.tree }
