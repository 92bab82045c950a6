package habit

import (
	"context"
	"hash/maphash"
	"maps"
	"slices"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// source is a value that expressions can read: of a step, an argument or the item of a loop.
type source struct {
	root     string // the expression of the whole value
	value    value.Value
	answered int // the moment at which it was known
	item     bool
	found    *index // made when it is needed
}

// env is what expressions see at one place of one job.
type env struct {
	job     int
	sources []*source // the last ones are the latest
	scope   *expressions.Scope
	item    int // the place of the item in its loop
	now     int // the moment at which the call is made
}

// newEnv returns what the steps of a job see at its start: no argument of the tool yet, and no step.
func newEnv(job int) *env {
	return &env{job: job, scope: expressions.NewScope(map[string]any{"args": value.NewMap()}, nil)}
}

// inner returns the environment of an item of a loop.
func (e *env) inner(item value.Value, known, at int) *env {
	in := &env{job: e.job, item: at, now: e.now, scope: expressions.NewScope(maps.Clone(e.scope.Context), nil)}
	in.scope.Variables = maps.Clone(e.scope.Variables)
	if in.scope.Variables == nil {
		in.scope.Variables = map[string]value.Value{}
	}
	in.scope.Variables[expressions.VarItem], in.scope.Variables[expressions.VarIndex] = item, float64(at)
	in.sources = slices.Clone(e.sources)
	for i, s := range in.sources {
		if s.item { // an inner item hides the outer one
			in.sources = slices.Delete(in.sources, i, i+1)
			break
		}
	}
	in.sources = append(in.sources, &source{root: "$" + expressions.VarItem, value: item, answered: known, item: true})
	return in
}

// step adds the value of a step.
func (e *env) step(id string, v value.Value, answered int) {
	if v == nil {
		return
	}
	e.scope.Context[id] = v
	e.sources = append(e.sources, &source{root: id, value: v, answered: answered})
}

// argument adds an argument of the tool to what can be read.
func (e *env) argument(name string, v value.Value) {
	e.sources = append(e.sources, &source{root: "args." + name, value: v})
}

// known returns the sources that were known at a moment: the item, arguments, then steps from the first.
func (e *env) known(moment int) []*source {
	var items, rest []*source
	for _, s := range e.sources {
		switch {
		case s.answered >= moment:
		case s.item:
			items = append(items, s)
		default:
			rest = append(rest, s)
		}
	}
	slices.SortStableFunc(rest, func(a, b *source) int { return min(a.answered, 1) - min(b.answered, 1) })
	return append(items, rest...)
}

// mostTries is how many evaluations one draft may take: what is not found by then is not traced.
const mostTries = 300_000

// evaluator evaluates expressions, each of which it compiles once.
type evaluator struct {
	ctx      context.Context
	compiled map[string]*jsonata.Expression
	seed     maphash.Seed
	tried    int // evaluations that were made
}

// eval returns the value of an expression; false when it has none or fails.
func (ev *evaluator) eval(text string, e *env) (value.Value, bool) {
	compiled, is := ev.compiled[text]
	if !is {
		compiled, _ = jsonata.Compile(ev.ctx, text)
		ev.compiled[text] = compiled
	}
	if compiled == nil || ev.tried > mostTries {
		return nil, false
	}
	ev.tried++
	v, err := compiled.Eval(ev.ctx, e.scope)
	return v, err == nil && v != nil
}

// gives reports whether an expression has these values.
func (ev *evaluator) gives(text string, envs []*env, wants []value.Value) bool {
	for i, e := range envs {
		if v, is := ev.eval(text, e); !is || !value.Same(v, wants[i]) {
			return false
		}
	}
	return true
}
