package jsonata

import (
	"toolgraph/expressions/value"
)

// maxRecursion is the number of calls of an expression's own functions that may be open at
// once. Tail calls do not count.
const maxRecursion = 1000

// lambda is a function of the expression itself, with the variables that it sees.
type lambda struct {
	node  *node
	input any
	env   *bindings
	open  []string // the parameters still to be given, when it is partially applied
	bound bool     // it is partially applied
}

func (l *lambda) params() []string {
	if l.bound {
		return l.open
	}
	return l.node.params
}

// builtin is a function of the library. It is shared and never changes.
type builtin struct {
	name      string
	types     string     // its signature as text, or empty
	signature *signature // of types, or nil
	arity     int        // how many arguments higher-order functions pass to it
	lists     bool       // arrays among its arguments may be lists
	total     bool       // called even when its first argument is undefined; otherwise the result is then undefined
	fn        function
}

// partialBuiltin is a builtin with some arguments given.
type partialBuiltin struct {
	builtin *builtin
	args    []any
	holes   []int // which arguments are still to be given
}

// composed is f ~> g: g of the result of f.
type composed struct{ first, second any }

// isFunction reports whether v can be called.
func isFunction(v any) bool {
	switch v.(type) {
	case *lambda, *builtin, *partialBuiltin, *composed, *regex, *transformer, *nextMatch:
		return true
	}
	return false
}

// arityOf is how many arguments the function takes.
func arityOf(fn any) int {
	switch f := fn.(type) {
	case *lambda:
		return len(f.params())
	case *builtin:
		return f.arity
	case *partialBuiltin:
		return len(f.holes)
	case *regex:
		return 2
	case *nextMatch:
		return 0
	}
	return 1
}

// callNode calls the function of a call; applied is the value before ~>, or nil.
func (m *machine) callNode(n *node, input any, env *bindings, applied *any) (any, error) {
	if n.counts && applied == nil {
		if found, ok, err := m.countParts(n, input, env); ok {
			return found, err
		}
	}
	top := m.stack.Top()
	fn, args, err := m.callee(n, input, env, applied)
	if err != nil {
		return nil, err
	}
	value, err := m.apply(fn, args, input)
	m.stack.Cut(top)
	return value, placed(err, n)
}

// callee evaluates the function and the arguments of a call. The arguments are on the stack of the machine: the
// caller takes them away.
func (m *machine) callee(n *node, input any, env *bindings, applied *any) (fn any, args []any, err error) {
	if fn, err = m.eval(n.fn, input, env); err != nil {
		return nil, nil, err
	}
	if fn == nil && m.lacksDollar(n.fn, env) {
		return nil, nil, failure("T1005", n)
	}
	room := len(n.parts) + 1
	if b, ok := fn.(*builtin); ok && b.signature != nil {
		room = max(room, len(b.signature.params)) // see signature.fit
	}
	args = m.stack.Reserve(room)
	if applied != nil {
		args = append(args, *applied)
	}
	for _, part := range n.parts {
		arg, err := m.eval(part, input, env)
		if err != nil {
			return nil, nil, err
		}
		args = append(args, arg)
	}
	return fn, args, nil
}

// lacksDollar reports whether a called name would be a function with a $ before it.
func (m *machine) lacksDollar(n *node, env *bindings) bool {
	if n.kind != nodePath || n.parts[0].kind != nodeName {
		return false
	}
	name := n.parts[0].text
	_, bound := env.lookup(name)
	return bound || library()[name] != nil || m.functions[name] != nil
}

// placed adds the place of the node to an error without a place.
func placed(err error, n *node) error {
	e, ok := err.(*Error) //nolint:errorlint // the machine's errors are never wrapped
	if !ok || e.Offset >= 0 || e.Err != nil && e.Code != codeFunction {
		return err
	}
	at := *e
	at.Offset = n.at
	return &at
}

// apply calls a function, which does not hold args when it returns.
func (m *machine) apply(fn any, args []any, input any) (any, error) {
	return m.applyIn(fn, nil, args, input)
}

// applyIn is apply; env is the variables of the call if fn is a lambda and they are made already. The arguments of a
// tail call are evaluated before the call that makes it ends, so that tail calls need no more memory however many
// there are.
func (m *machine) applyIn(fn any, env *bindings, args []any, input any) (value any, err error) {
	top := m.stack.Top()
	var tail tailCall
	for {
		l, ok := fn.(*lambda)
		if !ok {
			value, err = m.applyNative(fn, args, input)
			m.stack.Cut(top)
			if tail.node != nil {
				err = placed(err, tail.node)
			}
			return value, err
		}
		if env == nil {
			if env, err = m.enter(l, args, input); err != nil {
				return nil, err
			}
			m.stack.Cut(top)
		}
		if m.calls++; m.calls > maxRecursion {
			return nil, failure("U1001", l.node)
		}
		tail, value, err = m.body(l.node.fn, l.input, env)
		m.calls--
		if tail.node == nil || err != nil {
			return value, err
		}
		if err := m.Spend(1); err != nil {
			return nil, err
		}
		if fn, args, err = m.callee(tail.node, l.input, tail.env, nil); err != nil {
			return nil, err
		}
		env = nil
	}
}

// enter is the bindings of a call of a lambda.
func (m *machine) enter(l *lambda, args []any, input any) (*bindings, error) {
	if l.node.signature != nil && !l.bound {
		checked, err := l.node.signature.check("function", args, input)
		if err != nil {
			return nil, placed(err, l.node)
		}
		args = checked
	}
	env := newFrame(l)
	env.give(args)
	return env, nil
}

// newFrame is the bindings of a call of a lambda without the values, in one allocation when there are few.
func newFrame(l *lambda) *bindings {
	params := l.params()
	var env *bindings
	if len(params) <= fewParams {
		f := &smallFrame{}
		f.names = f.few[:len(params):len(params)]
		env = &f.bindings
	} else {
		env = &bindings{names: make([]binding, len(params))}
	}
	for i, param := range params {
		env.names[i].name = param
	}
	env.outer = l.env
	return env
}

const fewParams = 2

// newBlock is the bindings of a block, in one allocation when it assigns few variables.
func newBlock(outer *bindings) *bindings {
	f := &smallFrame{}
	f.names, f.outer = f.few[:0], outer
	return &f.bindings
}

// smallFrame is bindings with room for a few parameters.
type smallFrame struct {
	bindings

	few [fewParams]binding
}

// give sets the parameters, which are the first variables, to the arguments; undefined when there are fewer.
func (f *bindings) give(args []any) {
	for i := range f.names {
		f.names[i].value = nil
		if i < len(args) {
			f.names[i].value = args[i]
		}
	}
}

// tailCall is the pending call at the end of a body.
type tailCall struct {
	node *node // nil: there is none
	env  *bindings
}

// body evaluates a function's body up to its tail call, or to its end.
func (m *machine) body(n *node, input any, env *bindings) (tail tailCall, _ any, _ error) {
	switch {
	case n.kind == nodeCall && n.tail:
		return tailCall{n, env}, nil, m.Spend(1)
	case len(n.predicates) > 0 || n.group != nil:
	case n.kind == nodeCondition || n.kind == nodeDefault:
		branch, value, err := m.branch(n, input, env)
		if branch == nil || err != nil {
			return tail, value, err
		}
		return m.body(branch, input, env)
	case n.kind == nodeBlock && len(n.parts) > 0:
		if n.binds {
			env = newBlock(env)
		}
		last := len(n.parts) - 1
		for _, part := range n.parts[:last] {
			if _, err := m.eval(part, input, env); err != nil {
				return tail, nil, err
			}
		}
		return m.body(n.parts[last], input, env)
	}
	value, err := m.eval(n, input, env)
	return tail, value, err
}

// applyNative calls a function that is not a lambda.
func (m *machine) applyNative(fn any, args []any, input any) (any, error) {
	switch f := fn.(type) {
	case *builtin:
		return m.applyBuiltin(f, args, input)
	case *partialBuiltin:
		full := append([]any(nil), f.args...)
		for i, hole := range f.holes {
			if i < len(args) {
				full[hole] = args[i]
			}
		}
		return m.applyBuiltin(f.builtin, full, input)
	case *composed:
		v, err := m.apply(f.first, args[:min(1, len(args))], value.Null)
		if err != nil {
			return nil, err
		}
		if l, ok := v.(*list); ok {
			v = l.collapsed()
		}
		return m.apply(f.second, []any{v}, value.Null)
	case *regex:
		return m.matchOnce(f, args)
	case *nextMatch:
		return f.call()
	case *transformer:
		return m.transform(f, args)
	}
	return nil, &Error{Code: "T1006", Message: evalMessages()["T1006"], Offset: -1}
}

func (m *machine) applyBuiltin(b *builtin, args []any, input any) (result any, err error) {
	if err := m.Spend(lengthOf(args)); err != nil {
		return nil, err
	}
	if b.signature != nil {
		if fitting, ok := b.signature.fit(args); ok {
			args = fitting
		} else if args, err = b.signature.check(b.name, args, input); err != nil {
			return nil, err
		}
	}
	if !b.total && len(args) > 0 && args[0] == nil {
		return nil, nil
	}
	if !b.lists {
		args = m.plainArgs(args)
	}
	return b.fn(call{machine: m, name: b.name, args: args, focus: input})
}

// lengthOf is the steps of reading the arguments of a function once, without what is in their
// items. A function that reads them more often, or walks into them, charges for that itself.
func lengthOf(args []any) (steps int) {
	for _, arg := range args {
		switch x := arg.(type) {
		case string:
			steps += len(x) >> 8
		case []any:
			steps += len(x) >> 3
		case *list:
			steps += len(x.items) >> 3
		case *value.Map:
			steps += x.Len() >> 3
		case *value.Row:
			steps += x.Len() >> 3
		}
	}
	return steps
}

func (m *machine) plainArgs(args []any) []any {
	for i := range args {
		if _, ok := args[i].(*list); !ok {
			continue
		}
		out := append([]any(nil), args...)
		for j := range out[i:] {
			out[i+j] = m.plain(out[i+j])
		}
		return out
	}
	return args
}
