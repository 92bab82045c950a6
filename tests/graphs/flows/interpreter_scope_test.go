package flows

import (
	"errors"
	"maps"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
)

// The history that the expressions of a frame see: its whole executions, and nothing of others.

func (f *frame) Previous(n int) (value.Value, bool) {
	if n < 1 || n > len(f.records) {
		return nil, false
	}
	return f.records[len(f.records)-n].value, true
}

func (f *frame) of(id string) []value.Value {
	var all []value.Value
	for _, r := range f.records {
		if r.node == id {
			all = append(all, r.value)
		}
	}
	return all
}

func (f *frame) Count(id string) int { return len(f.of(id)) }

func (f *frame) Execution(id string, i int) (value.Value, bool) {
	all := f.of(id)
	if i < 0 {
		i += len(all)
	}
	if i < 0 || i >= len(all) {
		return nil, false
	}
	return all[i], true
}

func (f *frame) Executions(id string) []value.Value {
	var all []value.Value
	for _, v := range f.of(id) {
		if v != nil {
			all = append(all, v)
		}
	}
	return all
}

func (f *frame) scope(vars map[string]value.Value) *expressions.Scope {
	if f.context != nil {
		return &expressions.Scope{Context: f.context, Variables: vars}
	}
	context := map[string]any{}
	for _, r := range f.records {
		delete(context, r.node)
		if r.value != nil {
			context[r.node] = r.value
		}
	}
	return &expressions.Scope{Context: context, History: f, Variables: vars}
}

// with returns the variables and one more.
func with(vars map[string]value.Value, name string, v value.Value) map[string]value.Value {
	all := maps.Clone(vars)
	if all == nil {
		all = map[string]value.Value{}
	}
	all[name] = v
	return all
}

var compiled = map[string]*jsonata.Expression{}

func (f *frame) eval(n *config.Node, source string, vars map[string]value.Value) (value.Value, *failure) {
	e := compiled[source]
	if e == nil {
		var err error
		if e, err = jsonata.Compile(f.ctx, source); err != nil {
			panic(source + ": " + err.Error()) // the graph would not build
		}
		compiled[source] = e
	}
	v, err := e.Eval(f.ctx, f.scope(vars))
	return v, f.wrong(n, err)
}

// truth evaluates a condition: JSONata's own truth.
func (f *frame) truth(n *config.Node, source string, vars map[string]value.Value) (bool, *failure) {
	v, failed := f.eval(n, "$boolean("+source+")", vars)
	return v == true, failed
}

// holds evaluates the rule of a switch; a missing one holds.
func (f *frame) holds(n *config.Node, rule *config.Data) (bool, *failure) {
	if rule == nil {
		return true, nil
	}
	r, err := jsonlogic.Compile(f.ctx, rule.Value())
	if err != nil {
		panic(err)
	}
	holds, err := r.Holds(f.ctx, f.scope(nil))
	return holds, f.wrong(n, err)
}

// wrong is the failure of an expression; raised is that of $error.
func (f *frame) wrong(n *config.Node, err error) *failure {
	if err == nil {
		return nil
	}
	failed := &failure{code: config.FailExpression, node: f.name(n, "")}
	if n.Step != nil {
		failed.server, failed.tool = n.Server.Value, n.Tool.Value
	}
	var e *expressions.EvalError
	if errors.As(err, &e) && e.Code == "D3137" {
		failed.code = config.FailRaised
	}
	return failed
}

func (f *frame) args(n *config.Node, vars map[string]value.Value) (value.Value, *failure) {
	if n.Args == nil {
		return value.NewMap(), nil
	}
	v, failed := f.walk(n, n.Args, vars)
	if failed != nil {
		failed.node = ""
	}
	return v, failed
}

// walk is data with the values of its expressions: nothing is left out of objects, and null in
// lists.
func (f *frame) walk(n *config.Node, d *config.Data, vars map[string]value.Value) (value.Value, *failure) {
	switch d.Kind {
	case config.KindExpression:
		return f.eval(n, d.Expr.Value, vars)
	case config.KindScalar:
		return value.FromPlain(d.Scalar), nil
	}
	object, list := value.NewMap(), []any{}
	for i, item := range d.Items {
		v, failed := f.walk(n, item, vars)
		if failed != nil {
			return nil, failed
		}
		list = append(list, orNull(v))
		if d.Kind == config.KindObject && v != nil {
			object.Set(d.Keys[i].Value, v)
		}
	}
	if d.Kind == config.KindObject {
		return object, nil
	}
	return list, nil
}
