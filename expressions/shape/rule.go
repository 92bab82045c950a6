package shape

import (
	"context"
	"slices"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
)

// RuleFinding is a Finding in a rule. Path leads from the rule's root to the string
// that Offset and End count in.
type RuleFinding struct {
	Finding
	Path []any
}

// InferRule returns what is wrong with what a rule reads over env; plain is what r was
// compiled from. That something may be missing is nothing wrong
// there: it is null then, or the default of the var. In the bodies of map, filter, all,
// some, none and reduce paths are read from what they give, as far as that is known.
func InferRule(ctx context.Context, r *jsonlogic.Rule, plain any, env Env) []RuleFinding {
	env.Needed = false
	root := fact{shape: env.root(), root: true}
	bodies := bodiesOf(ctx, r, plain, &env, root)
	var found []RuleFinding
	for _, read := range r.Reads() {
		if read.Expression == nil {
			continue
		}
		from, asked := root, false
		if read.Body {
			from = unknown()
			if of, known := bodies[rulePlace(read.Var)]; known {
				from, asked = of.fact, of.asked
			}
		}
		_, findings := inferPart(ctx, read.Expression, &env, from, ruleVariables(root), asked)
		for _, f := range findings {
			f.Fails = false // a rule looks at parts only as far as it has to
			found = append(found, RuleFinding{Finding: f, Path: read.Var})
		}
	}
	return found
}

// ruleVariables are those of every expression of a rule over the context.
func ruleVariables(root fact) map[string]fact {
	return map[string]fact{jsonata.RuleContext: root}
}

// bodiesOf is what the vars in the bodies of a rule are read from, by their places.
func bodiesOf(ctx context.Context, r *jsonlogic.Rule, plain any, env *Env, root fact) map[string]focused {
	if !slices.ContainsFunc(r.Reads(), func(read jsonlogic.Read) bool { return read.Body }) {
		return nil
	}
	w := newRuleWalk(r, env, root)
	if w.value(ctx, plain, nil, nil); w.exhausted() {
		return nil
	}
	return w.focus
}
