package view

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// Expression is an expression or a rule of a node.
type Expression struct {
	Source string
	Pos    config.Pos          // of its first byte
	Reads  []jsonata.Reference // from the context; constants as paths that begin with $vars
	Rule   *graph.Condition    // nil: it is JSONata
	Expr   *graph.Expr         // nil: it is a rule
	Name   string              // of an argument, as in filter.tags[0]; empty for any other

	// Key is where the node has it: transform, args, message, forEach.items, retry.when, retry.until,
	// onError.value, return, or conditions; in a branch of a parallel node after the branch's name, as in
	// weather.args. A step also has if, each, key, until and repeat.until.
	Key string
}

// list collects expressions.
type list []Expression

// add adds an expression; nil is none.
func (l *list) add(key, name string, e *graph.Expr) {
	if e != nil {
		*l = append(*l, Expression{Source: e.Source(), Pos: e.Text.At(0), Reads: readsOf(e.Expression), Expr: e, Key: key, Name: name})
	}
}

// each adds the expressions in arguments; nil has none.
func (l *list) each(key string, args *graph.Args) {
	if args != nil {
		args.Named(func(name string, e *graph.Expr) { l.add(key, name, e) })
	}
}

// StepExpressions returns the expressions of a step: when and how often it runs, then those of what it does. Their
// reads include variables, as paths that begin with $file.
func StepExpressions(s *graph.Step) []Expression {
	var all list
	all.add("if", "", s.If)
	all.add("each", "", s.Each)
	all.add("key", "", s.Key)
	all = append(all, Expressions(s.Node)...)
	if s.Repeat != nil {
		all.add("repeat.until", "", s.Repeat.Until)
		if s.OnError != nil { // the node has none
			all.each("onError.value", s.OnError.Value)
		}
	}
	all.add("until", "", s.Until)
	for i, e := range all {
		for _, v := range e.Expr.Variables() {
			if v.Name != expressions.VarVars {
				all[i].Reads = append(all[i].Reads, jsonata.Reference{Path: append([]string{"$" + v.Name}, v.Path...), Offset: v.Offset})
			}
		}
	}
	return all
}

// Expressions returns the expressions of a node: those of a transform, of an ask, of a call, of the calls of
// a parallel node, the rules of a switch, the return of steps.
func Expressions(node graph.Node) []Expression {
	var all list
	if calling := graph.CallingOf(node); calling != nil {
		if calling.ForEach != nil {
			all.add("forEach.items", "", calling.ForEach.Items)
		}
		all.each("args", calling.Args)
	}
	switch node := node.(type) {
	case *graph.Transform:
		all.add("transform", "", node.Expr)
	case *graph.Ask:
		all.each("message", node.Message)
	case *graph.MCP:
		if node.Retry != nil {
			all.add("retry.when", "", node.Retry.When)
			all.add("retry.until", "", node.Retry.Until)
		}
	case *graph.Parallel:
		for _, b := range node.Branches {
			for _, e := range Expressions(b.Node) {
				e.Key = b.Name + "." + e.Key
				all = append(all, e)
			}
		}
	case *graph.Switch:
		for i := range node.Conditions {
			c := &node.Conditions[i]
			all = append(all, Expression{
				Source: string(c.Rule.Data.JSON()), Pos: c.Rule.Data.Pos, Reads: RuleReads(c.Rule.Rule), Rule: c, Key: "conditions",
			})
		}
	case *graph.Steps:
		all.add("return", "", node.Return)
	case *graph.SubGraph, *graph.Entry, *graph.Exit:
	}
	if on := graph.OnErrorOf(node); on != nil {
		all.each("onError.value", on.Value)
	}
	return all
}

// RuleReads returns what a rule reads from the context: not what the bodies of map,
// filter and the like read from elements.
func RuleReads(rule *jsonlogic.Rule) (reads []jsonata.Reference) {
	for _, r := range rule.References() {
		if !r.Body {
			reads = append(reads, r.Reference)
		}
	}
	for _, r := range rule.Reads() {
		if r.Expression != nil {
			reads = append(reads, constantsOf(r.Expression)...)
		}
	}
	return reads
}

// readsOf returns what an expression reads.
func readsOf(e *jsonata.Expression) []jsonata.Reference {
	return append(slices.Clip(e.References()), constantsOf(e)...)
}

// varsRoot begins the path of a constant.
const varsRoot = "$" + expressions.VarVars

// constantsOf returns the constants that an expression reads, as paths.
func constantsOf(e *jsonata.Expression) (reads []jsonata.Reference) {
	for _, v := range e.Variables() {
		if v.Name == expressions.VarVars {
			reads = append(reads, jsonata.Reference{Path: append([]string{varsRoot}, v.Path...), Offset: v.Offset})
		}
	}
	return reads
}

// ReferenceText returns what an expression reads, as it would be written there.
func ReferenceText(r jsonata.Reference) string {
	path := strings.Join(r.Path, ".")
	if r.Function != "" {
		return fmt.Sprintf("$%s(%q)", r.Function, path)
	}
	return path
}

// Problem is why an expression, a rule or a piece of JSON has no value. Its parts are
// zero where they are unknown.
type Problem struct {
	Kind    string // "rule", "syntax", "json", "evaluation", or ""
	Message string
	Code    string // JSONata's own, of an evaluation
	Hint    string
	Offset  int    // byte in the source; -1 when it is unknown
	Caret   string // the line of the source with a caret under the byte
	At      string // the path into the rule, as JSON
}

// ProblemOf returns the problem that err has with a source, which may be empty.
func ProblemOf(source string, err error) Problem {
	p := Problem{Message: err.Error(), Offset: -1}
	var rule *jsonlogic.Error
	var syntax *expressions.SyntaxError
	var decode *value.DecodeError
	var eval *expressions.EvalError
	switch {
	case errors.As(err, &rule):
		p.Kind, p.Hint = "rule", rule.Hint
		if at, err := json.Marshal(rule.Path); err == nil && len(rule.Path) > 0 {
			p.At = string(at)
		}
	case errors.As(err, &syntax):
		p.Kind, p.Hint, p.Offset = "syntax", syntax.Hint, syntax.Offset
	case errors.As(err, &decode):
		p.Kind, p.Offset = "json", decode.Offset
	case errors.As(err, &eval):
		p.Kind, p.Offset, p.Code = "evaluation", eval.Offset, eval.Code
	}
	p.Caret = expressions.Caret(source, p.Offset)
	return p
}
