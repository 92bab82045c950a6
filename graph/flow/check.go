package flow

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"toolgraph/config"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// Check is what goes wrong in a graph, or may, as far as it can be told without running
// it, sorted. Upstreams may be nil. It is an error only where a run is certain to fail.
// The error is the cause of ctx's end, which is looked for at each node.
func Check(ctx context.Context, g *graph.Graph, up Upstreams) (config.Diagnostics, error) {
	f, err := newFollower(ctx, g, up)
	if err != nil {
		return nil, err
	}
	c := &checker{follower: f, faulty: make([]bool, len(g.Nodes))}
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
			c.output(i)
		}
	}
	c.found.Sort()
	return c.found, nil
}

// checker collects findings.
type checker struct {
	*follower
	found  config.Diagnostics
	places *config.Places // of the text that was told of last
	faulty []bool         // nodes with a finding in an expression: what follows of it is not told
}

func (c *checker) checkNode(ctx context.Context, i int, node graph.Node) {
	c.historyNulls(i, node)
	switch node := node.(type) {
	case *graph.Transform:
		c.expression(ctx, i, 0, node.Expr, needed, func(env *shape.Env) { env.Wanted = c.wanted(node.Next) })
	case *graph.MCP:
		c.args(ctx, i, node)
	case *graph.Switch:
		for number, condition := range node.Conditions {
			c.rule(ctx, i, number, condition.Rule)
		}
		c.conditions(ctx, i, node)
		c.loops(i, node)
	case *graph.Entry, *graph.Exit:
	}
}

// certainly is the severity of what makes a run fail by what is known of outputs.
func (c *checker) certainly() config.Severity {
	if c.learned {
		return config.Warning
	}
	return config.Error
}

// told is how a finding of package shape is told here: as an error where a run that comes
// to the expression fails each time.
func (c *checker) told(f shape.Finding) (code string, severity config.Severity) {
	severity = config.Warning
	if f.Fails {
		severity = c.certainly()
	}
	switch f.Code {
	case shape.CodeUnknownField, shape.CodeUndeclaredField, shape.CodeUnknownName:
		return "impossible-path", severity
	case shape.CodeMayBeMissing, shape.CodeOptionalField:
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
	}
	return "constant-condition", severity
}

// need is how much a value of an expression is needed.
type need uint8

const (
	needless   need = iota // without it, an argument is left out that may be
	afterwards             // only in the first turn of a loop one does without
	needed
)

// expression tells what is wrong with a node's expression of this number; with says what
// is wanted of its value, beside the need.
func (c *checker) expression(ctx context.Context, node, number int, e *graph.Expr, value need, with func(*shape.Env)) {
	env := c.envOfAll(node, number)
	env.Asked, env.Declared = c.asksForField, c.declared
	with(&env)
	env.Needed = value == needed || value == afterwards && !c.firstTurn(node, number)
	_, found := shape.Infer(ctx, e.Expression, env)
	missing := sync.OnceValue(func() map[placeIn]*world {
		return c.missingIn(node, number, func(env shape.Env) (all []placeIn) {
			_, again := shape.Infer(ctx, e.Expression, env)
			for _, f := range again {
				if isMissing(f) {
					all = append(all, placeIn{offset: f.Offset})
				}
			}
			return all
		})
	})
	for _, f := range found {
		c.tell(node, f, e.Text, func() *world { return missing()[placeIn{offset: f.Offset}] })
	}
}

// asksForField tells whether a switch of the graph asks for a field of an output, or
// reads more or less than it: what is behind the switch may rely on that.
func (c *checker) asksForField(path []string) bool {
	for _, node := range c.graph.Nodes {
		s, isSwitch := node.(*graph.Switch)
		if !isSwitch {
			continue
		}
		for _, condition := range s.Conditions {
			for _, ref := range condition.Rule.References() {
				n := min(len(ref.Path), len(path))
				if n > 0 && !ref.Body && slices.Equal(ref.Path[:n], path[:n]) {
					return true
				}
			}
		}
	}
	return c.hasDefault(path)
}

// declared tells whether the output of a node is what a schema says.
func (c *checker) declared(id string) bool {
	switch c.graph.Node(id).(type) {
	case *graph.Entry, *graph.MCP:
		return true
	case *graph.Transform, *graph.Switch, *graph.Exit:
	}
	return false
}

// hasDefault tells whether an argument of the tool has a value that takes its place.
func (c *checker) hasDefault(path []string) bool {
	if path[0] != c.graph.Entry.ID() {
		return false
	}
	part := c.graph.Tool.InputSchema
	for _, name := range path[1:] {
		if part = part.Get("properties").Get(name); part.Get("default") != nil {
			return true
		}
	}
	return false
}

// firstTurn tells whether all that may be missing for an expression is so in the first
// turn of a loop only.
func (c *checker) firstTurn(node, number int) bool {
	return !slices.ContainsFunc(c.reads[node][number].nodes, func(read int) bool {
		return c.binding(node, read).Presence == shape.Maybe && !c.onlyFirstTurn(node, read)
	})
}

// rule is expression for a switch's rule.
func (c *checker) rule(ctx context.Context, node, number int, r *graph.Rule) {
	plain := r.Data.Value()
	found := shape.InferRule(ctx, r.Rule, plain, c.envOfAll(node, number))
	missing := sync.OnceValue(func() map[placeIn]*world {
		return c.missingIn(node, number, func(env shape.Env) (all []placeIn) {
			again := shape.InferRule(ctx, r.Rule, plain, env)
			for _, f := range again {
				if isMissing(f.Finding) {
					all = append(all, placeIn{fmt.Sprint(f.Path), f.Offset})
				}
			}
			return all
		})
	})
	for _, f := range found {
		if c.readsElement(r, f.Path) {
			continue // the graph has told
		}
		at := r.Data.At(f.Path...)
		text := at.Text
		if !text.IsSet() {
			text = config.Text{Pos: at.Pos}
		}
		c.tell(node, f.Finding, text, func() *world { return missing()[placeIn{fmt.Sprint(f.Path), f.Offset}] })
	}
}

// readsElement tells whether the string at a place in a rule begins with a node's id, and
// is read from the element of an iteration.
func (c *checker) readsElement(r *graph.Rule, path []any) bool {
	return slices.ContainsFunc(r.References(), func(ref jsonlogic.Reference) bool {
		if !ref.Body || ref.Function != "" || len(ref.Path) == 0 || !slices.Equal(ref.Var, path) {
			return false
		}
		_, isNode := c.index[ref.Path[0]]
		return isNode
	})
}

func isMissing(f shape.Finding) bool {
	return f.Code == shape.CodeMayBeMissing || f.Code == shape.CodeNeverRan
}

// placeIn is a place in an expression, or in the string of a rule to which a path leads.
type placeIn struct {
	path   string
	offset int
}

// missingIn is, for each place where what may be missing is read, a world of the node in
// which it is read all the same. A place has none when whatever decides on the way there
// decides in the expression, too.
func (c *checker) missingIn(node, number int, places func(shape.Env) []placeIn) map[placeIn]*world {
	in := map[placeIn]*world{}
	for _, w := range c.distinct(node, number) {
		env, _ := c.env(w, number)
		env.Needed = true
		for _, place := range places(env) {
			if in[place] == nil {
				in[place] = w
			}
		}
	}
	return in
}

// tell reports a finding about a node's expression; in gives a world in which what it
// reads is missing.
func (c *checker) tell(node int, f shape.Finding, text config.Text, in func() *world) {
	code, severity := c.told(f)
	if f.Code == shape.CodeMayBeMissing {
		w := in()
		if w == nil {
			return
		}
		f.Message += c.by(w)
	}
	c.faulty[node] = true
	c.found = append(c.found, config.Diagnostic{Pos: c.place(text, f.Offset), Severity: severity, Code: code, Message: f.Message, Hint: f.Hint})
}

// place is text.At; of one text it is asked for often.
func (c *checker) place(text config.Text, offset int) config.Pos {
	if c.places == nil || c.places.Text != text {
		c.places = text.Places()
	}
	return c.places.At(offset)
}

// by tells the way of a run into a world.
func (c *checker) by(w *world) string {
	const most = 8
	var ids []string
	for _, node := range w.path() {
		ids = append(ids, c.graph.Nodes[node].ID())
	}
	if len(ids) > most {
		ids = append(append(ids[:2:2], "…"), ids[len(ids)-most+3:]...)
	}
	return fmt.Sprintf(" (it has not on the way %s)", strings.Join(ids, " → "))
}
