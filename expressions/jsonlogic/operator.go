package jsonlogic

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"toolgraph/internal/base/wording"
)

// many is the upper bound of an operator that takes any number of arguments.
const many = -1

// ruleOperator is one operator of JSON Logic: how many arguments it takes and how
// it is compiled. Most have only apply: all their arguments are evaluated first.
type ruleOperator struct {
	least, most int
	apply       applied
	compile     func(ctx context.Context, c *ruleCompiler, op string, args operands) (ruleNode, error)
}

// ruleOperators is filled in init, as compiling refers back to it.
var ruleOperators map[string]ruleOperator

func init() {
	ruleOperators = map[string]ruleOperator{
		"var":          {0, 2, nil, compileVar},
		"missing":      {0, many, nil, compileMissing},
		"missing_some": {2, 2, nil, compileMissingSome},
		"if":           {0, many, nil, compileIf},
		"?:":           {0, many, nil, compileIf},
		"and":          {1, many, nil, compileAndOr},
		"or":           {1, many, nil, compileAndOr},
		"map":          {2, 2, nil, compileIteration},
		"filter":       {2, 2, nil, compileIteration},
		"all":          {2, 2, nil, compileIteration},
		"some":         {2, 2, nil, compileIteration},
		"none":         {2, 2, nil, compileIteration},
		"reduce":       {2, 3, nil, compileReduce},
		"==":           {2, 2, equality((*ruleRun).loose, true), nil},
		"!=":           {2, 2, equality((*ruleRun).loose, false), nil},
		"===":          {2, 2, equality((*ruleRun).same, true), nil},
		"!==":          {2, 2, equality((*ruleRun).same, false), nil},
		"<":            {2, 3, ascending(-1), nil},
		"<=":           {2, 3, ascending(0), nil},
		">":            {2, 2, descending(-1), nil},
		">=":           {2, 2, descending(0), nil},
		"!":            {0, 1, applyNot, nil},
		"!!":           {0, 1, applyTruth, nil},
		"+":            {0, many, applyAdd, nil},
		"-":            {1, 2, applySubtract, nil},
		"*":            {1, many, applyMultiply, nil},
		"/":            {2, 2, arithmetic(divide), nil},
		"%":            {2, 2, arithmetic(math.Mod), nil},
		"min":          {1, many, extreme(math.Min), nil},
		"max":          {1, many, extreme(math.Max), nil},
		"in":           {2, 2, applyIn, nil},
		"cat":          {0, many, applyCat, nil},
		"substr":       {2, 3, applySubstr, nil},
		"merge":        {0, many, applyMerge, nil},
		"log":          {1, 1, applyLog, nil},
	}
}

// otherNames are what people write for an operator, having met it elsewhere.
var otherNames = map[string]string{
	"=": "==", "eq": "==", "equals": "==", "equal": "==", "is": "==", "ne": "!=", "<>": "!=",
	"not": "!", "&&": "and", "||": "or", "&": "and", "|": "or", "gt": ">", "gte": ">=", "ge": ">=", "=>": ">=",
	"lt": "<", "lte": "<=", "le": "<=", "=<": "<=", "concat": "cat", "concatenate": "cat", "join": "cat",
	"contains": "in", "includes": "in", "substring": "substr", "mod": "%", "add": "+", "sum": "+",
	"subtract": "-", "multiply": "*", "divide": "/", "any": "some", "every": "all", "ternary": "if",
	"cond": "if", "fold": "reduce", "exists": "!!", "bool": "!!", "variable": "var", "get": "var",
	"print": "log", "where": "filter", "select": "map",
}

// elsewhere are operators that some libraries add to JSON Logic's own: those of diegoholiveira/jsonlogic.
var elsewhere = []string{"abs", "contains_all", "contains_any", "contains_none", "set"}

// unknownOperatorHint is one remedy for an operator that JSON Logic does not have, and the operator that was
// probably meant.
func unknownOperatorHint(op string) (hint, meant string) {
	meant = cmp.Or(otherNames[strings.ToLower(strings.TrimSpace(op))], wording.Nearest(strings.TrimSpace(op), Operators()))
	return cmp.Or(wording.Meant(meant), "the operators are "+strings.Join(Operators(), " ")), meant
}

// Operators returns the names of the operators, sorted.
func Operators() []string { return slices.Sorted(maps.Keys(ruleOperators)) }

// countedArguments says how many arguments an operator takes.
func (o ruleOperator) countedArguments() string {
	switch o.most {
	case many:
		return "at least " + wording.Count(o.least, "argument")
	case o.least:
		return wording.Count(o.least, "argument")
	}
	return fmt.Sprintf("%d to %s", o.least, wording.Count(o.most, "argument"))
}
