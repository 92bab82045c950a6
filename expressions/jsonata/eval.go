package jsonata

import (
	"encoding/json"
	"fmt"
	"math"

	"toolgraph/expressions/value"
)

// machine evaluates nodes for one evaluation. Its results are those of jsonata-js 2.2.2:
// an array is an array, a sequence is a *list, undefined is nil. Its errors are
// *EvalError.
type machine struct {
	*evaluation

	root      any                 // $$
	rule      bool                // $ctx is the run's context
	functions map[string]*builtin // of the Options; nil for none
	box       value.Box
	stack     value.Stack
	calls     int // open calls of the expression's own functions
	depth     int // open evaluations of nodes
}

// maxOpen is how many nodes may be open at once: the calls that maxRecursion allows,
// each of a body with some depth of its own.
const maxOpen = 100_000

// eval is the value of n over the input: nil, a scalar, an array, a *list, an object
// or a function.
func (m *machine) eval(n *node, input any, env *bindings) (any, error) {
	if err := m.Spend(1); err != nil {
		return nil, err
	}
	if n.names != nil {
		if value, ok := followNames(input, n.names); ok {
			return value, nil
		}
	}
	if m.depth++; m.depth > maxOpen {
		return nil, failure("U1001", n)
	}
	value, err := m.dispatch(n, input, env)
	m.depth--
	if err != nil {
		return nil, err
	}
	if !n.bare {
		if value, err = m.behind(n, value, env); err != nil {
			return nil, err
		}
	}
	if l, ok := value.(*list); ok && l.sequence && !l.stream {
		if n.keepArray && !l.keep {
			array := *l
			array.keep = true
			l = &array
		}
		return l.collapsed(), nil
	}
	return value, nil
}

// behind applies what is written behind a node: its predicates, and its grouping unless it is a path.
func (m *machine) behind(n *node, value any, env *bindings) (_ any, err error) {
	for i := range n.predicates {
		predicate := n.predicates[i].filter
		if item, ok := picked(predicate, value); ok && !n.keepArray {
			value = item
			continue
		}
		if value, err = m.filter(predicate, value, env); err != nil {
			return nil, err
		}
	}
	if n.group != nil && n.kind != nodePath {
		return m.object(n.group, value, env)
	}
	return value, nil
}

func (m *machine) dispatch(n *node, input any, env *bindings) (any, error) {
	switch n.kind {
	case nodeLiteral, nodeRegex:
		return n.value, nil
	case nodeName:
		return m.lookup(input, n.text)
	case nodeVariable:
		return m.variable(n, input, env), nil
	case nodeWildcard:
		return m.wildcard(input)
	case nodeDescendants:
		return m.descendants(input)
	case nodeParent:
		value, _ := env.lookup(n.parent.label)
		return value, nil
	case nodePath:
		return m.path(n, input, env)
	case nodeArray:
		return m.array(n, input, env)
	case nodeObject:
		return m.object(n, input, env)
	case nodeBlock:
		return m.block(n, input, env)
	case nodeNegation:
		return m.negation(n, input, env)
	case nodeOperator:
		return m.operator(n, input, env)
	case nodeDefault, nodeCondition:
		branch, value, err := m.branch(n, input, env)
		if branch == nil || err != nil {
			return value, err
		}
		return m.eval(branch, input, env)
	case nodeAssignment:
		value, err := m.eval(n.parts[0], input, env)
		if err == nil {
			env.bind(n.text, value)
		}
		return value, err
	case nodeApply:
		return m.chain(n, input, env)
	case nodeCall:
		return m.callNode(n, input, env, nil)
	case nodePartial:
		return m.partial(n, input, env)
	case nodeLambda:
		return &lambda{node: n, input: input, env: env}, nil
	case nodeTransform:
		return m.transformer(n, env), nil
	case nodeSort, nodePlaceholder:
	}
	return nil, failure("internal", n)
}

// failure is the error with JSONata's code at the node's place.
func failure(code string, n *node) *Error {
	message, known := evalMessages()[code]
	if !known {
		message = "the expression cannot be evaluated"
	}
	return &Error{Code: code, Message: message, Offset: n.at}
}

func (m *machine) variable(n *node, input any, env *bindings) any {
	switch n.text {
	case "":
		if l, ok := input.(*list); ok && l.outer && len(l.items) > 0 {
			return l.items[0]
		}
		return input
	case "$":
		return m.root
	}
	if value, ok := env.lookup(n.text); ok {
		return value
	}
	if m.rule && n.text == RuleContext {
		return m.scope.Context
	}
	if n.builtin != nil {
		return n.builtin
	}
	if b, ok := m.functions[n.text]; ok {
		return b
	}
	return m.scope.Variables[n.text]
}

// array is [a, b]: items that are arrays, but not array literals, are flattened.
func (m *machine) array(n *node, input any, env *bindings) (any, error) {
	out := make([]any, 0, len(n.parts))
	if len(n.parts) == 1 {
		out = nil // perhaps the items of another array
	}
	for _, part := range n.parts {
		value, err := m.eval(part, input, env)
		if err != nil {
			return nil, err
		}
		switch items, ok := itemsOf(value); {
		case ok && part.kind != nodeArray && out == nil:
			out = items[:len(items):len(items)]
		case ok && part.kind != nodeArray:
			if err := m.Items(len(items)); err != nil {
				return nil, err
			}
			out = append(out, items...)
		case value != nil:
			out = append(out, value)
		}
		if len(n.parts) > 1 && len(out) > maxItems {
			return nil, tooManyItems(n, maxItems)
		}
	}
	if n.cons {
		return &list{items: out, cons: true}, nil
	}
	if out == nil {
		return []any{}, nil
	}
	return out, nil
}

func tooManyItems(n *node, most int) error {
	return &Error{Code: "size", Message: fmt.Sprintf("the list has more than %d items", most), Offset: n.at}
}

func (m *machine) block(n *node, input any, env *bindings) (value any, err error) {
	if n.binds {
		env = newBlock(env)
	}
	for _, part := range n.parts {
		if value, err = m.eval(part, input, env); err != nil {
			return nil, err
		}
	}
	return value, nil
}

func (m *machine) negation(n *node, input any, env *bindings) (any, error) {
	value, err := m.eval(n.parts[0], input, env)
	if value == nil || err != nil {
		return nil, err
	}
	f, ok := number(value)
	switch {
	case !ok || math.IsNaN(f):
		return nil, failure("D1002", n)
	case math.IsInf(f, 0):
		return nil, failure("D1001", n)
	}
	return -f, nil
}

// branch returns the part of a condition, or of ?? and ?:, that gives its value, or the
// value itself when it is already evaluated.
func (m *machine) branch(n *node, input any, env *bindings) (*node, any, error) {
	value, err := m.eval(n.parts[0], input, env)
	if err != nil {
		return nil, nil, err
	}
	if n.kind == nodeDefault {
		if n.text == "??" && value != nil || n.text == "?:" && m.truth(value) {
			return nil, value, nil
		}
		return n.parts[1], nil, nil
	}
	switch {
	case m.truth(value):
		return n.parts[1], nil, nil
	case len(n.parts) > 2:
		return n.parts[2], nil, nil
	}
	return nil, nil, nil
}

// truth is $boolean; undefined is false. It may be false once the meter has ended.
func (m *machine) truth(v any) bool {
	switch x := v.(type) {
	case bool:
		return x
	case string:
		return x != ""
	case float64:
		return x != 0
	case json.Number:
		f, _ := number(x)
		return f != 0
	}
	if o, ok := value.ObjectOf(v); ok {
		return o.Len() > 0
	}
	items, _ := itemsOf(v)
	for _, item := range items {
		if m.Spend(1) != nil {
			return false
		}
		if m.truth(item) {
			return true
		}
	}
	return false
}
