package jsonata

// node is a part of an expression as it is evaluated. The fields follow the names
// that jsonata-js gives them, so that its behavior can be compared part by part. A
// node never changes once its expression is compiled.
type node struct {
	kind nodeKind
	text string // a name, a variable, an operator
	at   int    // byte in the source, for errors

	value any     // of a literal; the pattern of a regular expression
	parts []*node // steps, items, expressions, operands, arguments (the callee is fn)
	pairs [][2]*node
	terms []sortTerm
	fn    *node // the called function; the body of a lambda

	params    []string
	signature *signature

	predicates []stage // filters behind a node that is not a step
	stages     []stage // filters and index variables behind a step
	group      *node   // the object by whose keys a path is grouped

	focus, index string // the variables of @ and #
	ancestor     *slot  // the variable under which % finds this step's input
	parent       *slot  // of %

	keepArray     bool // []
	keepSingleton bool // of a path: one of its steps has []
	cons          bool // an array literal that is not flattened
	tuple         bool // the step carries variables
	tail          bool // a call in tail position of a function's body

	// What prepare finds out, so that evaluations need not.
	bare    bool      // no predicates and no grouping
	names   []string  // of a path that is no more than them
	head    int       // of a path: see headOf
	keys    []string  // of an object with constant keys: these, in the order of the pairs
	counts  bool      // of a call: see countsParts
	builtin *builtin  // of a variable: the function of that name
	binds   bool      // of a block: it assigns variables
	passing bool      // of a lambda: nothing holds the variables of a call once it has ended
	op      operation // of an operator

	seeking []*slot // of %, not yet found; used while compiling only
}

type nodeKind uint8

const (
	nodeLiteral nodeKind = iota
	nodeName
	nodeVariable
	nodeWildcard
	nodeDescendants
	nodeParent
	nodePath
	nodeSort
	nodeArray
	nodeObject
	nodeBlock
	nodeNegation
	nodeOperator
	nodeDefault // ?? and ?:
	nodeCondition
	nodeAssignment
	nodeApply // ~>
	nodeCall
	nodePartial
	nodePlaceholder
	nodeLambda
	nodeTransform
	nodeRegex
)

// stage is an operation on the values of a step: filter keeps some of them, index
// binds the position of each to a name.
type stage struct {
	filter *node
	index  string
}

type sortTerm struct {
	by         *node
	descending bool
}

// slot is the variable that carries the parent of a %. The level counts the steps still
// to go back while compiling.
type slot struct {
	label string
	level int
	owner *node // the % itself
}

// operation is the operator of a nodeOperator.
type operation uint8

const (
	noOperation operation = iota
	opAnd
	opOr
	opAdd
	opSubtract
	opMultiply
	opDivide
	opRemainder
	opEqual
	opUnequal
	opLess
	opAtMost
	opGreater
	opAtLeast
	opJoin
	opRange
	opIn
)

// operators are the operations as they are written.
var operators = [...]string{
	opAnd: "and", opOr: "or", opAdd: "+", opSubtract: "-", opMultiply: "*", opDivide: "/", opRemainder: "%", opEqual: "=", opUnequal: "!=",
	opLess: "<", opAtMost: "<=", opGreater: ">", opAtLeast: ">=", opJoin: "&", opRange: "..", opIn: "in",
}
