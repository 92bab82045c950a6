package jsonata

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
	Kind   string
	Text   string // the name, literal or operator; empty when the kind suffices
	Offset int    // byte in the source where it begins
	End    int    // byte behind it
	Parts  []Tree // not to be changed

	place int    // byte of the operator between the parts
	flags string // of a pattern
}

// Tree is the expression's parse tree, never nil; it is not to be changed.
func (e *Expression) Tree() *Tree { return e.tree }
