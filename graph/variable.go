package graph

import (
	"cmp"
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/internal/base/wording"
)

// variables are variables of the language, without $.
type variables []string

// itemVariables returns the variables that the forEach of a node binds, or those of a step.
func (c *compiler) itemVariables(n *config.Node) variables {
	if c.block != nil {
		return c.block.bound
	}
	if n.ForEach == nil {
		return nil
	}
	return variables{expressions.VarItem, expressions.VarIndex}
}

// failureVariables returns those of retry.when and onError.value.
func (c *compiler) failureVariables(n *config.Node) variables {
	return append(slices.Clip(c.itemVariables(n)), expressions.VarFailure, expressions.VarAttempt)
}

// resultVariables are those of retry.until.
var resultVariables = variables{expressions.VarResult}

// bindsVariables reports whether a file has what binds a variable of the language, or a node type
// that came later. In a file of an early release nothing does.
func bindsVariables(f *config.File) bool {
	binds := func(n *config.Node) bool {
		return n.ForEach != nil || n.Retry != nil || n.OnError != nil || n.Type == config.AskNode
	}
	return slices.ContainsFunc(f.Tools, func(t *config.Tool) bool {
		return t.StepsAt.IsValid() || slices.ContainsFunc(t.Nodes, func(n *config.Node) bool { return binds(n) || slices.ContainsFunc(n.Branches, binds) })
	})
}

// checkVariables reports variables of the language that have no value in an expression. In a file
// in which nothing binds one they are as all other variables, of which package flow warns.
func (c *compiler) checkVariables(places *config.Places, e *jsonata.Expression, bound variables) {
	for _, v := range e.Variables() {
		switch {
		case v.Name == expressions.VarVars:
			c.readVar(places, v)
		case c.block != nil && !slices.Contains(bound, v.Name):
			c.found.Add(places.At(v.Offset), "unbound-variable", fmt.Sprintf("$%s has no value in this expression", v.Name),
				cmp.Or(wording.DidYouMean(v.Name, bound), whereInSteps(v.Name)))
		case c.block != nil:
		case c.binds && expressions.IsVariable(v.Name) && !slices.Contains(bound, v.Name):
			c.found.Add(places.At(v.Offset), "unbound-variable", fmt.Sprintf("$%s has no value in this expression", v.Name), whereBound(v.Name))
		}
	}
}

// whereInSteps says where in steps a variable has a value; empty for one that has none anywhere.
func whereInSteps(variable string) string {
	switch variable {
	case expressions.VarItem, expressions.VarIndex:
		return "it has one in a step with each"
	case expressions.VarResult:
		return "it has one in until of each, and in repeat.until"
	case turnVar, previousVar:
		return "it has one in a step with repeat"
	case expressions.VarFailure, expressions.VarAttempt:
		return "it has one in retry.when and onError.value"
	}
	return ""
}

func whereBound(variable string) string {
	switch variable {
	case expressions.VarItem, expressions.VarIndex:
		return "it has one in args, retry.when and onError.value of a node with forEach"
	case expressions.VarResult:
		return "it has one in retry.until"
	}
	return "it has one in retry.when and onError.value"
}
