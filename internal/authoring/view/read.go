package view

import (
	"context"
	"strconv"
	"strings"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// Read is a path that an expression reads, and the value that it had.
type Read struct {
	Path   string      // as people write it; a call with the arguments that it had
	Source string      // of a call, when it is written in another way
	Value  value.Value // nil: it has none
	Each   bool        // a rule reads it from each element of a list; Value is their list
}

// Reads returns the values of what an expression reads, each path once and at most so many of them.
// A path that cannot be evaluated is left out: the error of the expression itself says more.
func Reads(ctx context.Context, refs []jsonata.Reference, scope *expressions.Scope, most int) (all []Read) {
	seen := map[string]bool{}
	for _, ref := range refs {
		path, source := pathText(ref)
		if path == "" || seen[path] || len(all) == most || !isBound(ref, scope) {
			continue
		}
		seen[path] = true
		compiled, err := jsonata.Compile(ctx, source)
		if err != nil {
			continue // a name that cannot be quoted
		}
		v, err := compiled.Eval(ctx, scope)
		if err != nil {
			continue
		}
		all = append(all, Read{Path: path, Value: v})
	}
	return all
}

// isBound reports whether a path can have a value: that of a variable only where the scope has the variable.
func isBound(ref jsonata.Reference, scope *expressions.Scope) bool {
	name, isVariable := strings.CutPrefix(ref.Path[0], "$")
	if !isVariable || ref.Function != "" || name == expressions.VarVars {
		return true
	}
	_, bound := scope.Variables[name]
	return bound
}

// InputOf returns what a node evaluates before it calls or asks, the arguments or the message; nil
// for a node that does neither, and for the whole of a forEach.
func InputOf(node graph.Node, part string) *graph.Args {
	if ask, asks := node.(*graph.Ask); asks {
		return ask.Message
	}
	if call := graph.CallingOf(node); call != nil && (call.ForEach == nil || part != "") {
		return call.Args
	}
	return nil
}

// pathText returns a path as people write it, and as an expression.
func pathText(ref jsonata.Reference) (text, source string) {
	switch {
	case len(ref.Path) == 0:
		return "", ""
	case ref.Function == "executionCount":
		source = "$executionCount(" + strconv.Quote(ref.Path[0]) + ")"
		return source, source
	case ref.Function != "":
		source = "$nodeExecutions(" + strconv.Quote(ref.Path[0]) + ")"
		return source, source
	}
	root, path := "$.", ref.Path
	if strings.HasPrefix(path[0], "$") { // constants, or another variable
		if len(path) == 1 {
			return path[0], path[0]
		}
		root, path = path[0]+".", path[1:]
	}
	return root + strings.Join(path, "."), root + "`" + strings.Join(path, "`.`") + "`"
}
