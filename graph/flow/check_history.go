package flow

import (
	"fmt"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// An execution that does not exist has no value; in mcpGraph it is null. A comparison of it with
// null is false, for = and for !=.

// historyNulls warns of comparisons with null of an execution that may not exist, in the
// expressions of a node.
func (c *checker) historyNulls(i int, node graph.Node) {
	for _, use := range c.uses[i] {
		c.historyNull(i, use.expr.Expression, use.expr.Text)
		if tree := use.expr.Tree(); tree != nil {
			c.laterExecutions(tree, use.expr.Text.At)
		}
	}
	if s, isSwitch := node.(*graph.Switch); isSwitch {
		for _, condition := range s.Conditions {
			for _, read := range condition.Rule.Reads() {
				text := condition.Rule.Data.At(read.Var...).Text
				if read.Expression != nil && text.IsSet() {
					c.historyNull(i, read.Expression, text)
					c.historyInRule(i, condition.Rule, read, text)
				}
			}
		}
	}
}

// historyNull is historyNulls for one expression in a text.
func (c *checker) historyNull(node int, e *jsonata.Expression, text config.Text) {
	tree := e.Tree()
	if tree == nil {
		return
	}
	f := nullFinder{checker: c, node: node, bound: map[string]*jsonata.Tree{}}
	f.look(tree)
	for _, found := range f.calls {
		call := e.Source()[found.Offset:found.End]
		c.found.Warn(text.At(found.Offset), "history-null",
			fmt.Sprintf("%s has no value (it is not null) when there is no such execution, so the comparison is false", call),
			fmt.Sprintf("test whether it exists: $exists(%s)", call)).Fixed(existence(text, tree, found.Offset)...)
	}
}

// laterExecutions warns of a second or later execution of a node that is in no loop.
func (c *checker) laterExecutions(t *jsonata.Tree, at func(offset int) config.Pos) {
	if t.Kind == jsonata.CallKind && len(t.Parts) == 3 && t.Parts[0].Text == "nodeExecution" && t.Parts[1].Kind == jsonata.StringKind {
		node, isNode := c.index[t.Parts[1].Text]
		if n := numberOf(&t.Parts[2]); isNode && n != "" && n != "0" && n != "-1" && !c.inLoop(node) {
			c.found.Warn(at(t.Offset), "never-run", fmt.Sprintf("node %q is in no loop, so that there is no execution %s of it", t.Parts[1].Text, n), "the first one is 0, the last one -1")
		}
	}
	for i := range t.Parts {
		if asked := t.Kind == jsonata.CallKind && t.Parts[0].Text == "exists" || t.Kind == jsonata.OperatorKind && (t.Text == "??" || t.Text == "?:") && i == 0; !asked {
			c.laterExecutions(&t.Parts[i], at)
		}
	}
}

// historyInRule warns where a rule compares, with null by === or by size, an execution that may not
// exist: that is false, and with null in its place it is not. (== takes nothing for null.)
func (c *checker) historyInRule(node int, rule *graph.Rule, read jsonlogic.Read, text config.Text) {
	hint := fmt.Sprintf(`give it a default: {"var": [%q, value]}`, read.Expression.Source())
	if operator := strictlyNull(rule.Data, read.Var); operator != "" {
		hint = fmt.Sprintf("write %s, which takes a missing value for null", operator[:2])
	} else if !read.Ordered {
		return
	}
	tree := read.Expression.Tree()
	if f := (nullFinder{checker: c, node: node}); tree == nil || f.call(tree) == nil {
		return
	}
	c.found.Warn(text.At(tree.Offset), "history-null",
		fmt.Sprintf("%s has no value (it is not null) when there is no such execution, which changes this comparison", read.Expression.Source()), hint)
}

// strictlyNull returns the operator === or !== by which the var at a path in a rule is compared
// with null, else "".
func strictlyNull(rule *config.Data, path []any) string {
	for i := len(path) - 3; i >= 0 && i >= len(path)-4; i-- {
		operator, _ := path[i].(string)
		operand, isIndex := path[i+1].(int)
		if (operator == "===" || operator == "!==") && isIndex && operand < 2 && path[i+2] == "var" {
			other := rule.At(path[:i+1]...).At(1 - operand)
			if other.Kind == config.KindScalar && other.Scalar == nil {
				return operator
			}
		}
	}
	return ""
}

// nullFinder looks for comparisons of history calls with null.
type nullFinder struct {
	*checker
	node  int
	bound map[string]*jsonata.Tree // variables and the calls that are their values
	calls []*jsonata.Tree
}

func (f *nullFinder) look(t *jsonata.Tree) {
	switch {
	case t.Kind == jsonata.AssignmentKind && len(t.Parts) == 2:
		delete(f.bound, t.Parts[0].Text)
		if call := f.call(&t.Parts[1]); call != nil {
			f.bound[t.Parts[0].Text] = call
		}
	case t.Kind == jsonata.OperatorKind && (t.Text == "=" || t.Text == "!=") && len(t.Parts) == 2:
		for i := range t.Parts {
			call := f.call(&t.Parts[i])
			if other := t.Parts[1-i]; call != nil && other.Kind == jsonata.LiteralKind && other.Text == "null" {
				f.calls = append(f.calls, call)
			}
		}
	}
	for i := range t.Parts {
		f.look(&t.Parts[i])
	}
}

// call returns the call that a part is, or that is the value of a variable, when its execution
// may not exist; else nil.
func (f *nullFinder) call(t *jsonata.Tree) *jsonata.Tree {
	for t.Kind == jsonata.BlockKind && len(t.Parts) == 1 {
		t = &t.Parts[0]
	}
	if t.Kind == jsonata.VariableKind {
		return f.bound[t.Text]
	}
	if t.Kind != jsonata.CallKind || t.Parts[0].Kind != jsonata.VariableKind {
		return nil
	}
	args := t.Parts[1:]
	switch name := t.Parts[0].Text; {
	case name == "previousNode" && len(args) == 1 && numberOf(&args[0]) != "1":
		return t
	case name == "nodeExecution" && len(args) == 2 && !f.exists(&args[0], &args[1]):
		return t
	}
	return nil
}

// exists reports whether a node has certainly run and index is that of its first or last
// execution.
func (f *nullFinder) exists(id, index *jsonata.Tree) bool {
	other, known := f.index[id.Text]
	if n := numberOf(index); id.Kind != jsonata.StringKind || !known || n != "0" && n != "-1" {
		return false
	}
	return f.binding(f.node, other).Presence == shape.Always
}

// numberOf returns a number literal as text; "" for anything else.
func numberOf(t *jsonata.Tree) string {
	switch {
	case t.Kind == jsonata.NumberKind:
		return t.Text
	case t.Kind == jsonata.OperatorKind && t.Text == "-" && len(t.Parts) == 1 && t.Parts[0].Kind == jsonata.NumberKind:
		return "-" + t.Parts[0].Text
	}
	return ""
}
