package shape

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
	"toolgraph/tests/thorough"
)

// ruleSource draws rules that are about lists; paths in them may lead nowhere.
type ruleSource struct{ *rand.Rand }

func (r ruleSource) one(all ...any) any { return all[r.IntN(len(all))] }

func (r ruleSource) path(inBody bool) any {
	if inBody && r.IntN(4) > 0 {
		return r.one("", "n", "s", "l", "l.n", "current", "current.n", "current.l", "accumulator", "accumulator.n", "$ctx.a.l", "$count(l)", "0", "l.0")
	}
	return r.one("a.l", "a.n", "b", "b.l", "a", "c", "c.l.n", "$append(a.l, b)", "none.x", "a.l[n > 1]", "", "b.0")
}

func (r ruleSource) rule(depth int, inBody bool) any {
	op := func(name string, operands ...any) any { return map[string]any{name: operands} }
	sub := func() any { return r.rule(depth-1, inBody) }
	body := func() any { return r.rule(depth-1, true) }
	if depth <= 0 {
		if r.IntN(4) == 0 {
			return r.one(1.0, "x", true, nil, []any{}, []any{1.0, "y"})
		}
		return map[string]any{"var": r.path(inBody)}
	}
	switch r.IntN(14) {
	case 0, 1:
		return op("map", sub(), body())
	case 2, 3:
		return op("filter", sub(), body())
	case 4, 5:
		return op("reduce", sub(), body(), sub())
	case 6:
		return op("reduce", sub(), body())
	case 7:
		return op(r.one("some", "all", "none").(string), sub(), body())
	case 8:
		return op("merge", sub(), sub())
	case 9:
		return op("if", sub(), sub(), sub())
	case 10:
		return op(r.one("and", "or").(string), sub(), sub())
	case 11:
		return op("var", r.path(inBody), sub())
	case 12:
		return []any{sub(), sub()}
	}
	return op(r.one("==", "+", "cat", "!", "!!", "log", "if").(string), sub())
}

func (r ruleSource) data(depth int) any {
	switch n := r.IntN(8); {
	case n < 3 && depth > 0:
		list := []any{}
		for range r.IntN(4) {
			list = append(list, r.data(depth-1))
		}
		return list
	case n < 6 && depth > 0:
		object := map[string]any{}
		for _, key := range []string{"n", "s", "l"} {
			if r.IntN(3) > 0 {
				object[key] = r.data(depth - 1)
			}
		}
		return object
	}
	return r.one(1.0, 2.5, "s", true, nil)
}

// The value of a rule has the inferred shape, and so do the values that its bodies read.
func TestRuleSound(t *testing.T) {
	known, rules := 0, thorough.Times(300, 8_000)
	for seed := range uint64(rules) { //nolint:gosec // not negative
		r := ruleSource{rand.New(rand.NewPCG(seed, 7))} //nolint:gosec // not for secrets
		plain := r.rule(1+r.IntN(4), false)
		rule, err := jsonlogic.Compile(t.Context(), plain)
		if err != nil {
			continue
		}
		env := Env{Context: map[string]Binding{}, Open: false}
		scope := map[string]any{}
		for _, name := range []string{"a", "b", "c"} {
			v := value.FromPlain(r.data(4))
			scope[name] = v
			env.Context[name] = Binding{r.one(Constant(v), OfValue(v), OfSchema(OfValue(v).Schema())).(Shape), Always}
		}
		w := walkOf(t.Context(), rule, plain, env)
		got, err := rule.Eval(context.Background(), expressions.NewScope(scope, nil))
		if err != nil {
			continue
		}
		if !w.IsAny() {
			known++
		}
		if got == nil {
			got = value.Null
		}
		if !w.Has(got) {
			src, _ := value.Encode(got)
			t.Fatalf("seed %d: %v gives %s, which is not %s, over %v", seed, plain, src, w, fmt.Sprint(scope))
		}
	}
	if known < rules/4 {
		t.Errorf("something was known of %d rules only", known)
	}
}

// walkOf returns the shape of a whole rule.
func walkOf(ctx context.Context, r *jsonlogic.Rule, plain any, env Env) Shape {
	w := newRuleWalk(r, &env, fact{shape: env.root(), root: true})
	return w.value(ctx, plain, nil, nil)
}

// A reduce nested in the bodies of others is walked a bounded number of times.
func TestNestedReduce(t *testing.T) {
	var plain any = map[string]any{"var": "current.n"}
	for range 25 {
		plain = map[string]any{"reduce": []any{[]any{1.0}, plain, 0.0}}
	}
	rule, err := jsonlogic.Compile(t.Context(), plain)
	if err != nil {
		t.Fatal(err)
	}
	env := tableEnv()
	w := newRuleWalk(rule, &env, fact{shape: env.root(), root: true})
	w.value(t.Context(), plain, nil, nil)
	if !w.exhausted() || w.steps > maxRuleSteps+1000 {
		t.Errorf("it took %d steps", w.steps)
	}
	if found := InferRule(t.Context(), rule, plain, env); found != nil {
		t.Errorf("it found %v", found)
	}
}
