package jsonata

import "toolgraph/expressions/value"

// chain is a ~> f, a ~> f(b) or f ~> g.
func (m *machine) chain(n *node, input any, env *bindings) (any, error) {
	left, err := m.eval(n.parts[0], input, env)
	if err != nil {
		return nil, err
	}
	if right := n.parts[1]; right.kind == nodeCall {
		return m.callNode(right, input, env, &left)
	}
	fn, err := m.eval(n.parts[1], input, env)
	switch {
	case err != nil:
		return nil, err
	case !isFunction(fn):
		return nil, failure("T2006", n)
	case isFunction(left):
		return &composed{left, fn}, nil
	}
	value, err := m.apply(fn, []any{left}, value.Null)
	return value, placed(err, n.parts[1])
}

// partial is f(?, x).
func (m *machine) partial(n *node, input any, env *bindings) (any, error) {
	args := make([]any, len(n.parts))
	for i, part := range n.parts {
		if part.kind == nodePlaceholder {
			continue
		}
		var err error
		if args[i], err = m.eval(part, input, env); err != nil {
			return nil, err
		}
	}
	fn, err := m.eval(n.fn, input, env)
	if err != nil {
		return nil, err
	}
	switch f := fn.(type) {
	case *lambda:
		return f.given(n, args), nil
	case *builtin:
		p := &partialBuiltin{builtin: f, args: args}
		for i, part := range n.parts {
			if part.kind == nodePlaceholder {
				p.holes = append(p.holes, i)
			}
		}
		return p, nil
	case *partialBuiltin:
		return f.given(n, args), nil
	}
	if fn == nil && m.lacksDollar(n.fn, env) {
		return nil, failure("T1007", n)
	}
	return nil, failure("T1008", n)
}

// given is the lambda with some of its parameters given.
func (l *lambda) given(n *node, args []any) *lambda {
	out := &lambda{node: l.node, input: l.input, env: &bindings{outer: l.env}, bound: true}
	for i, param := range l.params() {
		if i < len(n.parts) && n.parts[i].kind == nodePlaceholder {
			out.open = append(out.open, param)
			continue
		}
		var value any
		if i < len(args) {
			value = args[i]
		}
		out.env.bind(param, value)
	}
	return out
}

// given is the builtin with some of its open arguments given.
func (p *partialBuiltin) given(n *node, args []any) *partialBuiltin {
	out := &partialBuiltin{builtin: p.builtin, args: append([]any(nil), p.args...)}
	for i, hole := range p.holes {
		if i < len(n.parts) && n.parts[i].kind == nodePlaceholder {
			out.holes = append(out.holes, hole)
		} else if i < len(args) {
			out.args[hole] = args[i]
		}
	}
	return out
}
