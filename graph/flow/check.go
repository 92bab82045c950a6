package flow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// Check returns what goes wrong in a graph, or may, as far as that can be found without a run,
// sorted. A finding is an error only when what is evaluated or called at its place certainly fails,
// which ends the run unless an onError takes it. up may be nil. The error is the cause of ctx's
// end; ctx is checked at each node.
func Check(ctx context.Context, g *graph.Graph, up Upstreams) (config.Diagnostics, error) {
	return CheckAll(ctx, []*graph.Graph{g}, up)
}

// CheckAll is Check for several graphs of one file, whose findings are sorted together.
func CheckAll(ctx context.Context, graphs []*graph.Graph, up Upstreams) (config.Diagnostics, error) {
	return checkAll(ctx, graphs, up, nil)
}

func checkAll(ctx context.Context, graphs []*graph.Graph, up Upstreams, known *knownClean) (config.Diagnostics, error) {
	all := newFlows(up)
	all.known = known
	found, err := all.check(ctx, graphs)
	if err != nil {
		return nil, err
	}
	more, err := withDefaults(ctx, graphs, all, found)
	if err != nil {
		return nil, err
	}
	found = append(found, more...)
	found = append(found, all.permissions(graphs)...)
	found = append(found, limits(graphs)...)
	found.Sort()
	return found, nil
}

// check returns what is found in the nodes of the graphs.
func (all *flows) check(ctx context.Context, graphs []*graph.Graph) (found config.Diagnostics, err error) {
	for _, g := range graphs {
		more, err := all.known.unless(ctx, g, all.defaults, func() (config.Diagnostics, error) {
			f, err := all.of(ctx, g)
			if err != nil {
				return nil, err
			}
			return f.check(ctx)
		})
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}

func (f *follower) check(ctx context.Context) (config.Diagnostics, error) {
	g := f.graph
	c := &checker{follower: f, faulty: make([]bool, len(g.Nodes)), endless: map[int]bool{}, fields: map[config.Pos]string{}, branched: map[*graph.Expr]map[[2]int]shape.Shape{}}
	for i, node := range g.Nodes {
		if c.reached(i) {
			c.checkNode(ctx, i, node)
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	for i, node := range g.Nodes {
		if _, isExit := node.(*graph.Exit); isExit && c.reached(i) {
			c.output(ctx, i)
			c.large(ctx, i)
		}
		calls, defined := callsOf(g, i)
		for k, call := range calls {
			c.turns(i, call, defined[k])
		}
	}
	c.caught(ctx)
	c.addMinor()
	if c.isChain() {
		c.block(c.steps)
		for i := range c.found {
			c.found[i] = graph.InSteps(c.found[i])
		}
	}
	return c.found, nil
}

// checker collects findings.
type checker struct {
	*follower
	found   config.Diagnostics
	places  *config.Places // of the text that was reported last
	faulty  []bool         // nodes with a finding in an expression: its consequences are not reported
	endless map[int]bool   // switches that never leave their loop
	minor   []minor

	branched map[*graph.Expr]map[[2]int]shape.Shape // what the alternatives of expressions give

	fields map[config.Pos]string // names that are reported as steps which are read as fields
}

func (c *checker) checkNode(ctx context.Context, i int, node graph.Node) {
	c.historyNulls(i, node)
	if c.stepOf(node) != nil {
		c.checkStep(ctx, i)
	}
	switch node := node.(type) {
	case *graph.Transform:
		c.expression(ctx, i, 0, node.Expr, needed, func(env *shape.Env) { env.Wanted = c.wanted(node.Next) })
		c.handlers(ctx, i, node)
		c.leftOut(node, c.graph.Tool.Nodes[i].OnError)
	case *graph.Ask:
		c.question(ctx, i, node)
		c.handlers(ctx, i, node)
	case *graph.MCP, *graph.SubGraph, *graph.Parallel:
		calls, defined := callsOf(c.graph, i)
		for k, call := range calls {
			c.call(ctx, i, call, defined[k])
		}
	case *graph.Switch:
		if c.isChain() {
			return // it is the if of a step
		}
		for number, condition := range node.Conditions {
			c.rule(ctx, i, number, condition.Rule)
		}
		c.loops(i, node)
		c.firstEvaluation(ctx, i, node)
		c.stale(i, node)
		c.askedLate(i, node)
		c.conditions(ctx, i, node)
	case *graph.Entry, *graph.Steps, *graph.Exit:
	}
}

// certainly returns the severity of a finding that follows from the shapes of outputs.
func (c *checker) certainly() config.Severity {
	if c.learned {
		return config.Warning
	}
	return config.Error
}

// classify returns the diagnostic code of a finding of package shape. Its severity is an error
// when a run that comes to the expression always fails.
func (c *checker) classify(f shape.Finding) (code string, severity config.Severity) {
	severity = config.Warning
	if f.Fails {
		severity = c.certainly()
	}
	switch f.Code {
	case shape.CodeUnknownField, shape.CodeNoFields, shape.CodeUndeclaredField, shape.CodeUnknownName:
		return "impossible-path", severity
	case shape.CodeMayBeMissing, shape.CodeOptionalField, shape.CodeAbsent:
		return "maybe-missing", severity
	case shape.CodeNeverRan:
		return "never-run", severity
	case shape.CodeWrongOperand:
		return "wrong-operand", severity
	case shape.CodeWrongArgument, shape.CodeArgumentCount:
		return "wrong-argument", severity
	case shape.CodeUnboundVariable:
		return "unbound-variable", severity
	case shape.CodeNoFunction:
		return "no-function", severity
	case shape.CodeTemplate:
		return "literal-expression", severity
	}
	return "constant-condition", severity
}

// need says whether the value of an expression may be missing.
type need uint8

const (
	needless   need = iota // it may: it is an optional argument
	afterwards             // it may be missing in the first turn of a loop only
	needed                 // it must not be missing
)

// expression reports what is wrong with a node's expression of this number; with adds to the
// Env what the place of the expression requires of its value.
func (c *checker) expression(ctx context.Context, node, number int, e *graph.Expr, value need, with func(*shape.Env)) {
	env := c.envOfExpression(ctx, node, number)
	with(&env)
	env.Needed = value == needed || value == afterwards && !c.firstTurn(node, number)
	c.stepFields(ctx, node, e, env)
	infer := func(env shape.Env) (all []shape.RuleFinding) {
		_, found := shape.Infer(ctx, e.Expression, env)
		for _, f := range found {
			all = append(all, shape.RuleFinding{Finding: f})
		}
		return all
	}
	c.inferred(ctx, node, number, env, infer, func([]any) (piece, bool) { return wholeOf(e), true })
}

// envOfExpression returns what is known of the context of a node's expression of this number.
func (c *checker) envOfExpression(ctx context.Context, node, number int) shape.Env {
	env := c.envOfAll(ctx, node, number)
	env.Asked, env.Declared, env.Constants = c.asksForField, c.declared, c.graph.Variables(nil)
	env.Node, env.Empty, env.Gives = c.isNode, c.mayBeEmpty, c.gives
	return env
}

// isNode reports whether the graph has a node of that id.
func (c *checker) isNode(id string) bool {
	_, isNode := c.index[id]
	return isNode
}

// gives reports whether the output of a node is known to have a field.
func (c *checker) gives(id, field string) bool {
	i, isNode := c.index[id]
	return isNode && slices.ContainsFunc(c.outputs[i].done.Fields(), func(f shape.Field) bool { return f.Name == field })
}

// rule reports what is wrong with a switch's rule of this number.
func (c *checker) rule(ctx context.Context, node, number int, r *graph.Rule) {
	plain := r.Data.Value()
	infer := func(env shape.Env) []shape.RuleFinding { return shape.InferRule(ctx, r.Rule, plain, env) }
	env := c.envOfAll(ctx, node, number)
	env.Asked, env.Declared, env.Constants = c.testsField, c.declared, c.graph.Variables(nil)
	c.inferred(ctx, node, number, env, infer, func(path []any) (piece, bool) {
		at := piece{r.Data.At(path...).Text, expressionAt(r, path)}
		if !at.text.IsSet() {
			at.text.Pos = r.Data.At(path...).Pos
		}
		return at, !c.readsElement(r, path) // graph.Build reports the others
	})
}

// expressionAt returns the expression that a rule has at a path, or nil.
func expressionAt(r *graph.Rule, path []any) *jsonata.Tree {
	for _, read := range r.Reads() {
		if read.Expression != nil && slices.Equal(read.Var, path) {
			return read.Expression.Tree()
		}
	}
	return nil
}

// declared reports whether the shape of a node's output comes from a schema.
func (c *checker) declared(id string) bool {
	if s := c.stepOf(c.graph.Node(id)); s != nil && (s.Each != nil || s.Repeat != nil || s.OnError != nil) {
		return false
	}
	switch n := c.graph.Node(id).(type) {
	case *graph.Entry:
		return true
	case *graph.MCP:
		return isPlainCall(n)
	case *graph.SubGraph:
		return isPlainCall(n) && n.Graph != nil && n.Graph.Tool.OutputSchema != nil
	case *graph.Ask:
		return n.Form != nil && (n.OnError == nil || n.OnError.Next != nil)
	case *graph.Parallel:
		return !slices.ContainsFunc(n.Branches, func(b graph.Branch) bool { return !isPlainCall(b.Node) })
	case *graph.Transform, *graph.Switch, *graph.Steps, *graph.Exit:
	}
	return false
}

// isPlainCall reports whether the output of a call is what the called tool returns, at least
// behind next.
func isPlainCall(n graph.Node) bool {
	c := graph.CallingOf(n)
	return c.ForEach == nil && (c.OnError == nil || c.OnError.Next != nil)
}

// hasDefault reports whether inputSchema has a default for an argument, for a field of its items, or for what it is in.
func (c *checker) hasDefault(path []string) bool {
	if path[0] != c.graph.Entry.ID() {
		return false
	}
	part := c.graph.Tool.InputSchema
	for _, name := range path[1:] {
		if items := part.Get("items"); items != nil {
			part = items
		}
		if part = part.Get("properties").Get(name); part.Get("default") != nil {
			return true
		}
	}
	return false
}

// firstTurn reports whether outputs that an expression reads are missing in the first turn of
// a loop only.
func (c *checker) firstTurn(node, number int) bool {
	return !slices.ContainsFunc(c.reads[node][number].nodes, func(read int) bool {
		return c.binding(node, read).Presence == shape.Maybe && !c.onlyFirstTurn(node, read)
	})
}

// readsElement reports whether the path at a place in a rule begins with a node's id, but is
// read from the element of an iteration.
func (c *checker) readsElement(r *graph.Rule, path []any) bool {
	return slices.ContainsFunc(r.References(), func(ref jsonlogic.Reference) bool {
		if !ref.Body || ref.Function != "" || len(ref.Path) == 0 || !slices.Equal(ref.Var, path) {
			return false
		}
		_, isNode := c.index[ref.Path[0]]
		return isNode
	})
}

// place is text.At; it is fast for many places of one text.
func (c *checker) place(text config.Text, offset int) config.Pos {
	if c.places == nil || c.places.Text != text {
		c.places = text.Places()
	}
	return c.places.At(offset)
}

// endOf returns the place behind what a finding is about; the zero Pos when it is not in the file.
func (c *checker) endOf(text config.Text, f shape.Finding) config.Pos {
	if end := c.place(text, f.End); f.Offset < f.End && end != text.Pos {
		return end
	}
	return config.Pos{}
}

// onPath returns a remark for a message: the path of a run into a state.
func (c *checker) onPath(s *state) string {
	if c.isChain() {
		return ""
	}
	const most = 8
	var ids []string
	for _, node := range s.path() {
		ids = append(ids, c.graph.Nodes[node].ID())
	}
	if len(ids) > most {
		ids = append(append(ids[:2:2], "…"), ids[len(ids)-most+3:]...)
	}
	return fmt.Sprintf(" (it has not run on the path %s)", strings.Join(ids, " → "))
}
