package jsonata

import "toolgraph/expressions/value"

// repeated calls one function many times, for an item each. The variables of a lambda are made once, unless something
// could hold them when a call has ended.
type repeated struct {
	m      *machine
	fn     any
	arity  int
	frame  *bindings // that all calls have, or nil
	args   [4]any
	params int // of the frame
}

func (m *machine) repeat(fn any) *repeated {
	r := &repeated{m: m, fn: fn, arity: arityOf(fn)}
	if l, ok := fn.(*lambda); ok && l.node.passing && (l.node.signature == nil || l.bound) {
		r.frame = newFrame(l)
		r.params = len(r.frame.names)
	}
	return r
}

// place is a place in an array, as the i-th argument; nil when the function takes fewer.
func (r *repeated) place(i, at int) any {
	if i >= r.arity {
		return nil
	}
	return r.m.box.Number(float64(at))
}

// key is place for a key of an object, as the second argument. It is not in the box: a key may be a part of a long
// text, which its neighbours would keep in memory.
func (r *repeated) key(key string) any {
	if r.arity < 2 {
		return nil
	}
	return key
}

// each calls the function for an item of an array or an object, with as many arguments as it takes, up to three.
func (r *repeated) each(item, place, whole any) (any, error) {
	r.args = [4]any{item, place, whole}
	return r.call(min(3, max(1, r.arity)))
}

// call calls the function with the first n of the arguments in args.
func (r *repeated) call(n int) (any, error) {
	switch l, isLambda := r.fn.(*lambda); {
	case r.frame != nil:
		r.frame.names = r.frame.names[:r.params] // without those that the body assigned
		r.frame.give(r.args[:n])
		return r.m.applyIn(l, r.frame, nil, value.Null)
	case isLambda:
		return r.m.apply(l, r.args[:n], value.Null)
	}
	// A function of the library may be given another array in place of an argument, and a recursive one
	// calls this one again.
	args := r.args
	return r.m.apply(r.fn, args[:n], value.Null)
}
