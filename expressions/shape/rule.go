package shape

import (
	"context"

	"toolgraph/expressions"
)

// RuleShape is what is known of a rule's outcome.
type RuleShape struct {
	Holds Presence // Always, Never or Maybe
}

// RuleFinding is a Finding in a rule. Path leads from the rule's root to the string
// that Offset and End count in.
type RuleFinding struct {
	Finding
	Path []any
}

// InferRule is what the rule can come to over env, and what is wrong with what it
// reads. That something may be missing is nothing wrong there: it is null then, or
// the default of the var.
func InferRule(ctx context.Context, r *expressions.Rule, env Env) (RuleShape, []RuleFinding) {
	out := RuleShape{}
	if holds, constant := r.Constant(); constant && holds {
		out.Holds = Always
	} else if constant {
		out.Holds = Never
	}
	env.Needed = false
	var found []RuleFinding
	for _, read := range r.Reads() {
		if read.Expression == nil {
			continue
		}
		root := value{shape: env.root(), root: true}
		focus := root
		if read.Body {
			focus = unknown() // an element
		}
		_, findings := inferOver(ctx, read.Expression, &env, focus, root)
		for _, f := range findings {
			f.Offset, f.End = read.Place(f.Offset), read.Place(f.End)
			f.Fails = false // a rule looks at parts only as far as it has to
			found = append(found, RuleFinding{Finding: f, Path: read.Var})
		}
	}
	return out, found
}
