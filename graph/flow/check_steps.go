package flow

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
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

// isLastResort reports whether a place in an expression is behind ??, where an author reads the step that ran in place of another: that
// one of them has run is known to the author, if not from the two conditions.
func isLastResort(t *jsonata.Tree, offset int) bool {
	if t == nil {
		return false
	}
	if t.Kind == jsonata.OperatorKind && t.Text == "??" && t.Parts[1].Offset <= offset && offset < t.Parts[1].End {
		return true
	}
	return slices.ContainsFunc(t.Parts, func(part jsonata.Tree) bool { return isLastResort(&part, offset) })
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
	if s.Each == nil || readsVariable(s, s.Item(), "index") {
		return
	}
	c.found.Warn(s.Each.Text.At(0), "each-unread", fmt.Sprintf("step %q does the same for each item: nothing in it reads $%s", s.ID, s.Item()),
		fmt.Sprintf("read $%s in it, or remove each", s.Item()))
}

// readsVariable reports whether an expression of what a step does reads one of the variables. Its if and each are not part of that.
func readsVariable(s *graph.Step, names ...string) (reads bool) {
	look := func(e *graph.Expr) {
		if e == nil {
			return
		}
		for _, v := range e.Variables() {
			reads = reads || slices.Contains(names, v.Name)
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
	step(&own)
	return reads
}

// hidesChange reports a step that would hide with onError: skip that a change has failed: a call in it is of a tool that
// says of itself that it is not read-only. Package graph reports what the file says.
func (c *checker) hidesChange(node int, s *graph.Step) {
	if s.OnError == nil || !s.OnError.Skip {
		return
	}
	changes := func(n graph.Node) bool {
		m, isMCP := n.(*graph.MCP)
		if !isMCP || m.Effect != "" {
			return false
		}
		reads := knownTool(c.all.up, m.Server, m.Tool).ReadOnly
		return reads != nil && !*reads
	}
	called := ""
	if m, isMCP := s.Node.(*graph.MCP); isMCP && changes(m) {
		called = m.Tool
	}
	if block, isBlock := s.Node.(*graph.Steps); isBlock {
		block.EachStep(func(inner *graph.Step) {
			if m, isMCP := inner.Node.(*graph.MCP); isMCP && called == "" && changes(m) {
				called = m.Tool
			}
		})
	}
	if called == "" {
		return
	}
	c.found.Add(c.graph.Tool.Nodes[node].Step.Skip.Pos, "skip-hides-write", fmt.Sprintf("step %q has onError: skip, and tool %q says that it is not read-only: skip would hide that a change has failed", s.Node.ID(), called),
		"write onError: {value: {failed: {expr: $failure.message}}}")
}

// repeats warns of turns that take longer than the run may, and of turns that all read the same and are collected.
func (c *checker) repeats(node int, s *graph.Step) {
	pos, limit := c.graph.Tool.Nodes[node].Step.Repeat.Pos, c.graph.Limits.MaxExecutionTime
	if total := s.Repeat.Delay * time.Duration(s.Repeat.Times-1); limit > 0 && total > limit {
		c.found.Warn(pos, "waits-over-limit",
			fmt.Sprintf("the waits between %d turns can take %d ms, and executionLimits.maxExecutionTimeMs is %d", s.Repeat.Times, total.Milliseconds(), limit.Milliseconds()),
			"make fewer turns or shorter waits, or raise the limit")
	}
	turn := *s
	turn.Key, turn.Until, turn.Repeat, turn.OnError = nil, nil, nil, nil
	if s.Repeat.Collect && s.Repeat.Delay == 0 && c.onlyReads(s.Node) && !readsVariable(&turn, "n", "previous") {
		c.found.Warn(pos, "same-each-turn", fmt.Sprintf("step %q collects its turns, and does the same in each: nothing in it reads $n or $previous", s.ID),
			"ask for the next part with $n or $previous, or leave collect out")
	}
}

// quotedCondition warns of a condition that is a text or a number: the quotes around an expression are part of it, probably. true and
// false alone are meant.
func (c *checker) quotedCondition(e *graph.Expr) {
	t := lastOf(e.Tree())
	if t.Kind != jsonata.StringKind && t.Kind != jsonata.NumberKind {
		return
	}
	holds := t.Text != "" && (t.Kind == jsonata.StringKind || t.Text != "0")
	c.found.Warn(c.place(e.Text, t.Offset), "constant-condition", fmt.Sprintf("the condition is the %s %s, which is always %t", t.Kind, wording.Shorten(e.Text.Value[t.Offset:t.End]), holds),
		"write the expression without quotes of its own")
}

// noKey warns of keys that no object can have.
func (c *checker) noKey(ctx context.Context, node, number int, e *graph.Expr) {
	given, _ := c.valueOf(ctx, node, number, e)
	if _, never := given.Conflict(shape.Union(shape.String(), shape.Number(), shape.Boolean(), shape.Nothing())); never {
		c.found.Warn(e.Text.At(0), "not-a-key", fmt.Sprintf("key is %s, expected a string, a number or a boolean", given), "read a field of the item that is different in each item")
	}
}

// oneItem warns of items that are certainly one text, number or boolean, or an object with a field for each item of another step.
func (c *checker) oneItem(ctx context.Context, node, number int, e *graph.Expr) {
	given, _ := c.valueOf(ctx, node, number, e)
	hint := "give the list itself; to run the step once, leave each out"
	switch isMap := given.IsObject() && !given.Others().IsAny() && len(given.Fields()) == 0; {
	case isMap:
		hint = fmt.Sprintf("for its names write $keys(%s)", wording.Shorten(e.Text.Value))
	case !onlyOf(given, shape.Union(shape.String(), shape.Number(), shape.Boolean())):
		return
	}
	if !picks(e.Tree()) && !strings.HasPrefix(e.Text.Value, "args.") { // the author of the schema knows what an argument is
		c.found.Warn(e.Text.At(0), "not-a-list", fmt.Sprintf("each is %s, so that it is one item; expected a list", given), hint)
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
