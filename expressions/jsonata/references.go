package jsonata

import "github.com/blues/jsonata-go/jparse"

// Reference is one path that an expression reads from the context: its first step
// is a node's id, as in $.entry.directory or entry.directory; or the id that a
// history function is asked for as a literal.
type Reference struct {
	Path     []string // static field names, as far as they are known
	Offset   int      // byte offset of the first step in the source
	Function string   // "nodeExecution" … when it is that function's argument, else empty
}

// References are the paths that the expression reads from the context, in the
// order of their places. A path inside a predicate, behind a dot or in the body of
// a function that is relative to something else is none. They are not to be
// changed.
func (e *Expression) References() []Reference { return e.references }

// origin is what is known about the value of a part of an expression.
type origin struct {
	root bool // it is the context
	ref  int  // index of the reference that it is, and further steps make longer; -1 for none
}

var unknown = origin{ref: -1}

// reader walks an expression's tree and notes what it reads.
type reader struct {
	tokens []token
	found  []Reference
	vars   []map[string]origin // variables by scope, innermost last
}

// referencesOf are the references of the tokens' tree; none when it has none.
func referencesOf(tokens []token) []Reference {
	root, err := parseTree(tokens)
	if err != nil {
		return nil
	}
	r := reader{tokens: tokens, vars: []map[string]origin{{}}}
	r.walk(root, origin{root: true, ref: -1})
	return r.found
}

// walkAll walks parts whose values are of no interest.
func (r *reader) walkAll(nodes []jparse.Node, focus origin) {
	for _, node := range nodes {
		r.walk(node, focus)
	}
}

// walk notes what the node reads when focus is its context, and tells what its
// value is.
func (r *reader) walk(node jparse.Node, focus origin) origin {
	switch n := node.(type) {
	case *jparse.PathNode:
		return r.path(n, focus)
	case *jparse.VariableNode:
		return r.variable(n.Name, focus)
	case *jparse.NameNode:
		return r.name(n, focus)
	case *jparse.BlockNode:
		return r.block(n, focus)
	case *jparse.PredicateNode:
		value := r.walk(n.Expr, focus)
		r.walkAll(n.Filters, r.within(value))
		return value
	case *jparse.GroupNode:
		value := r.walk(n.Expr, focus)
		r.pairs(n.Pairs, r.within(value))
	case *jparse.SortNode:
		value := r.walk(n.Expr, focus)
		for _, term := range n.Terms {
			r.walk(term.Expr, r.within(value))
		}
		return value
	case *jparse.FunctionCallNode:
		return r.call(n, focus)
	case *jparse.PartialNode:
		r.walk(n.Func, focus)
		r.walkAll(n.Args, focus)
	case *jparse.LambdaNode:
		r.lambda(n, focus)
	case *jparse.TypedLambdaNode:
		r.lambda(n.LambdaNode, focus)
	case *jparse.AssignmentNode:
		value := r.walk(n.Value, focus)
		value.ref = -1
		r.vars[len(r.vars)-1][r.variableName(n.Name)] = value
		return value
	case *jparse.ConditionalNode:
		return r.conditional(n, focus)
	case *jparse.ObjectTransformationNode:
		r.walkAll([]jparse.Node{n.Pattern, n.Updates}, unknown)
		if n.Deletes != nil {
			r.walk(n.Deletes, unknown)
		}
	default:
		r.operands(node, focus)
	}
	return unknown
}

// operands walks the operands of an operator or a literal.
func (r *reader) operands(node jparse.Node, focus origin) {
	switch n := node.(type) {
	case *jparse.NegationNode:
		r.walk(n.RHS, focus)
	case *jparse.RangeNode:
		r.walkAll([]jparse.Node{n.LHS, n.RHS}, focus)
	case *jparse.ArrayNode:
		r.walkAll(n.Items, focus)
	case *jparse.ObjectNode:
		r.pairs(n.Pairs, focus)
	case *jparse.NumericOperatorNode:
		r.walkAll([]jparse.Node{n.LHS, n.RHS}, focus)
	case *jparse.ComparisonOperatorNode:
		r.walkAll([]jparse.Node{n.LHS, n.RHS}, focus)
	case *jparse.BooleanOperatorNode:
		r.walkAll([]jparse.Node{n.LHS, n.RHS}, focus)
	case *jparse.StringConcatenationNode:
		r.walkAll([]jparse.Node{n.LHS, n.RHS}, focus)
	case *jparse.FunctionApplicationNode:
		r.walkAll([]jparse.Node{n.LHS, n.RHS}, focus)
	}
}

// within is the context of a predicate over the value: the context itself when
// that is the value, as in $[entry.n > 1].
func (r *reader) within(value origin) origin { return origin{root: value.root, ref: -1} }

func (r *reader) pairs(pairs [][2]jparse.Node, focus origin) {
	for _, pair := range pairs {
		r.walk(pair[0], focus)
		r.walk(pair[1], focus)
	}
}

func (r *reader) path(n *jparse.PathNode, focus origin) origin {
	value := focus
	for _, step := range n.Steps {
		if !isField(step) {
			value = r.within(value)
		}
		value = r.walk(step, value)
	}
	return value
}

// isField tells whether the step is a name, perhaps with predicates.
func isField(step jparse.Node) bool {
	switch n := step.(type) {
	case *jparse.NameNode:
		return true
	case *jparse.PredicateNode:
		return isField(n.Expr)
	}
	return false
}

// name is a field of the focus: a new reference on the context, a longer one on
// what is a reference itself.
func (r *reader) name(n *jparse.NameNode, focus origin) origin {
	i, ok := tokenOf(n.Value)
	if !ok || i >= len(r.tokens) {
		return unknown
	}
	switch {
	case focus.root:
		r.found = append(r.found, Reference{Path: []string{r.tokens[i].value}, Offset: r.tokens[i].start})
		return origin{ref: len(r.found) - 1}
	case focus.ref >= 0:
		r.found[focus.ref].Path = append(r.found[focus.ref].Path, r.tokens[i].value)
		return focus
	}
	return unknown
}

func (r *reader) variable(name string, focus origin) origin {
	switch name {
	case "":
		return focus
	case "$":
		return origin{root: true, ref: -1}
	}
	name = r.variableName(name)
	for i := len(r.vars) - 1; i >= 0; i-- {
		if value, ok := r.vars[i][name]; ok {
			return value
		}
	}
	return unknown
}

// variableName is the name that a stand-in for a variable means.
func (r *reader) variableName(standIn string) string {
	if i, ok := tokenOf(standIn); ok && i < len(r.tokens) {
		return r.tokens[i].value
	}
	return ""
}

func (r *reader) scope(f func()) {
	r.vars = append(r.vars, map[string]origin{})
	f()
	r.vars = r.vars[:len(r.vars)-1]
}

func (r *reader) block(n *jparse.BlockNode, focus origin) origin {
	last := unknown
	r.scope(func() {
		for _, expr := range n.Exprs {
			last = r.walk(expr, focus)
		}
	})
	return last
}

func (r *reader) lambda(n *jparse.LambdaNode, focus origin) {
	r.scope(func() {
		for _, name := range n.ParamNames {
			r.vars[len(r.vars)-1][r.variableName(name)] = unknown
		}
		r.walk(n.Body, r.within(focus))
	})
}

func (r *reader) conditional(n *jparse.ConditionalNode, focus origin) origin {
	r.walk(n.If, focus)
	value := r.walk(n.Then, focus)
	if n.Else == nil {
		return r.within(value)
	}
	other := r.walk(n.Else, focus)
	return origin{root: value.root && other.root, ref: -1}
}

// call is a function's call; a history function with a literal id is a reference.
func (r *reader) call(n *jparse.FunctionCallNode, focus origin) origin {
	fn, isVariable := n.Func.(*jparse.VariableNode)
	if !isVariable {
		r.walk(n.Func, focus)
	}
	value := unknown
	if isVariable && len(n.Args) > 0 {
		name := r.variableName(fn.Name)
		id, isLiteral := n.Args[0].(*jparse.StringNode)
		if isHistoryFunction(name) && isLiteral && name != "previousNode" {
			if i, ok := tokenOf(id.Value); ok && i < len(r.tokens) {
				r.found = append(r.found, Reference{Path: []string{r.tokens[i].value}, Offset: r.tokens[i].start, Function: name})
				if name != "executionCount" {
					value.ref = len(r.found) - 1
				}
			}
		}
	}
	r.walkAll(n.Args, focus)
	return value
}
