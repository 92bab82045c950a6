package flow

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// isChain reports whether the nodes are steps.
func (c *checker) isChain() bool { return c.graph != c.of }

// stepFields warns of names that expressions of a step read as a field, and that are steps: of a value that
// has no such field.
func (c *checker) stepFields(ctx context.Context, node int, e *graph.Expr, env shape.Env) {
	if !c.isChain() {
		return
	}
	for _, field := range e.ContextUse().Fields {
		name, source := field.Path[0], e.Text.Value
		at, end := field.Offset, field.Offset+len(field.Path[0])
		if !c.isStepAbove(node, name) || end > len(source) || source[at:end] != name {
			continue
		}
		probed, err := jsonata.Compile(ctx, source[:at]+shape.Probed+source[end:])
		if err != nil {
			continue
		}
		of, known := shape.Probe(ctx, probed, env)
		if known && slices.ContainsFunc(of.Members(), func(f shape.Field) bool { return f.Name == name }) {
			continue
		}
		pos := c.place(e.Text, at)
		c.fields[pos] = name
		c.found.Warn(pos, "step-as-field", fmt.Sprintf("%q is read as a field of the current value here, not as the step above", name), "write $$."+name).
			Fixed(config.ReplaceWord(e.Text, at, end, "$$."+name))
	}
}

// isStepAbove reports whether the expressions of a node can read a step, or args, by a name.
func (c *checker) isStepAbove(node int, name string) bool {
	if _, around := c.around.context[name]; around {
		return true
	}
	i, known := c.index[name]
	return known && i < node && (i == 0 || c.stepOf(c.graph.Nodes[i]) != nil)
}

// block reports steps of a chain that have no effect.
func (c *checker) block(n *graph.Steps) {
	read, meant := map[int]bool{}, slices.Collect(maps.Values(c.fields))
	for _, i := range n.Returns {
		read[i] = true
	}
	for _, s := range n.Block {
		for _, i := range s.Needs {
			read[i] = true
		}
	}
	for i, s := range n.Block {
		if !read[i] && !slices.Contains(meant, s.ID) && (n.Return != nil || i < len(n.Block)-1) && c.onlyReads(s.Node) {
			c.found.Warn(s.Node.Pos(), "unused-step", fmt.Sprintf("nothing reads step %q, and it changes nothing", s.ID), "read its value below, or remove it")
		}
		c.eachUnread(s)
		c.askedAs(n, s)
	}
}

// onlyReads reports whether a step has no effect but its value.
func (c *checker) onlyReads(n graph.Node) bool {
	switch n := n.(type) {
	case *graph.Transform:
		return raises(n, nil) == ""
	case *graph.MCP:
		return c.all.effect(n) == config.ReadEffect
	case *graph.Steps:
		return !slices.ContainsFunc(n.Block, func(s *graph.Step) bool { return !c.onlyReads(s.Node) })
	case *graph.SubGraph, *graph.Ask, *graph.Entry, *graph.Parallel, *graph.Switch, *graph.Exit:
	}
	return false
}

// eachUnread warns of a step that does the same for each item.
func (c *checker) eachUnread(s *graph.Step) {
	if s.Each == nil {
		return
	}
	reads := false
	look := func(e *graph.Expr) {
		if e == nil {
			return
		}
		for _, v := range e.Variables() {
			reads = reads || v.Name == s.Item() || v.Name == "index"
		}
	}
	var inside func(n graph.Node)
	step := func(s *graph.Step) {
		for _, e := range []*graph.Expr{s.If, s.Each, s.Key, s.Until} {
			look(e)
		}
		if s.Repeat != nil {
			look(s.Repeat.Until)
		}
		if s.OnError != nil && s.OnError.Value != nil {
			for _, e := range s.OnError.Value.Expressions() {
				look(e)
			}
		}
		inside(s.Node)
	}
	inside = func(n graph.Node) {
		for _, u := range usesOf(n) {
			look(u.expr)
		}
		if block, isBlock := n.(*graph.Steps); isBlock {
			for _, inner := range block.Block {
				step(inner)
			}
			look(block.Return)
		}
	}
	own := *s
	own.If, own.Each = nil, nil
	if step(&own); !reads {
		c.found.Warn(s.Each.Text.At(0), "each-unread", fmt.Sprintf("step %q does the same for each item: nothing in it reads $%s", s.ID, s.Item()),
			fmt.Sprintf("read $%s in it, or remove each", s.Item()))
	}
}

// askedAs warns of an ask without a form whose value is used as a condition: the value is {}, which is false.
func (c *checker) askedAs(n *graph.Steps, s *graph.Step) {
	if s.If == nil {
		return
	}
	t := s.If.Tree()
	for t.Kind == "path" && len(t.Parts) == 1 {
		t = &t.Parts[0]
	}
	if t.Kind != "name" {
		return
	}
	for _, other := range n.Block {
		if ask, isAsk := other.Node.(*graph.Ask); isAsk && other.ID == t.Text && ask.Form == nil {
			c.found.Warn(s.If.Text.At(0), "ask-as-condition", fmt.Sprintf("the value of %q is {} when the user has agreed, which is false", other.ID),
				fmt.Sprintf("write $exists(%s)", other.ID)).Fixed(config.ReplaceWord(s.If.Text, t.Offset, t.End, "$exists("+other.ID+")"))
		}
	}
}

// inSteps returns a finding in the words of steps, which have no nodes and are read by their names alone.
func inSteps(d config.Diagnostic) config.Diagnostic {
	d.Message = strings.ReplaceAll(d.Message, "node \"", "step \"")
	d.Hint = strings.ReplaceAll(d.Hint, "$exists($.", "$exists(")
	return d
}
