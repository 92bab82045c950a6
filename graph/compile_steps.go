package graph

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/internal/base/wording"
)

// mostBlocks is how deep blocks may be in each other.
const mostBlocks = 8

// ArgsName is the name by which the expressions of steps read the arguments of the tool, and those of suggest the arguments given so far.
const ArgsName = "args"

// block is a list of steps that is being compiled.
type block struct {
	outer  *block // nil: the block is the tool's
	ids    []string
	at     int          // the step that is being compiled
	needs  map[int]bool // the steps of the block that it reads, or that it starts after
	bound  variables    // in the step and what is in it
	prefix string       // of the paths of its steps
	depth  int

	handling bool // the onError of the step is compiled
}

// newSteps compiles the steps of a tool or of a block.
func (c *compiler) newSteps(ctx context.Context, b base, n *config.Node) *Steps {
	s := &Steps{step: step{base: b}}
	in := &block{outer: c.block, depth: 1}
	if o := in.outer; o != nil {
		in.depth, in.bound, in.prefix = o.depth+1, o.bound, o.prefix+o.ids[o.at]+"."
	}
	if others := in.depth - 2; others >= mostBlocks { // the steps of the tool are no block
		c.found.Add(n.Pos, "too-deep", fmt.Sprintf("step %q is a block in %d others, at most %d are allowed", b.id, others, mostBlocks-1),
			"put the steps into a tool of their own, and call it")
		return s
	}
	for _, step := range n.Steps {
		in.ids = append(in.ids, step.ID.Value)
	}
	c.block = in
	before := len(c.found)
	defer func() {
		c.block = in.outer
		for i := before; i < len(c.found); i++ {
			c.found[i] = InSteps(c.found[i])
		}
	}()
	outer := in.bound
	for i, step := range n.Steps {
		if ctx.Err() != nil {
			return s
		}
		in.at, in.needs, in.bound = i, map[int]bool{}, outer
		c.checkStepID(in, step)
		s.Block = append(s.Block, c.newStep(ctx, b.index, step))
	}
	in.at, in.needs, in.bound = len(n.Steps), map[int]bool{}, outer
	s.Return = c.compileOptional(ctx, n.Return, outer)
	s.Returns = slices.Sorted(maps.Keys(in.needs))
	return s
}

// checkStepID reports an id that expressions cannot read, or read as something else.
func (c *compiler) checkStepID(in *block, n *config.Node) {
	id, pos := n.ID.Value, orPos(n.ID.Pos, n.Pos)
	switch {
	case id == "":
		c.found.Add(pos, "bad-step-id", "a step has no id, expected a name by which the steps below read its value", "add id: NAME")
	case !isPlain(id):
		c.found.Add(pos, "bad-step-id", fmt.Sprintf("step id %q is not a plain name, expected letters, digits and _", shorten(id)), "write a name such as first_page")
	case isReserved(id) || id == ArgsName:
		c.found.Add(pos, "bad-step-id", fmt.Sprintf("step id %q means something else in expressions", id), "rename it")
	case slices.Index(in.ids, id) < in.at:
		c.found.Add(pos, "duplicate-step", fmt.Sprintf("a step above has the id %q, too", id), "rename one of them")
	default:
		for o := in.outer; o != nil; o = o.outer {
			if slices.Contains(o.ids, id) {
				c.found.Add(pos, "duplicate-step", fmt.Sprintf("a step of the block around this one has the id %q, too: inside, expressions could not read it", id), "rename one of them")
				return
			}
		}
	}
}

// newStep compiles a step of the innermost block.
func (c *compiler) newStep(ctx context.Context, index int, n *config.Node) *Step {
	in, source := c.block, n.Step
	s := &Step{ID: n.ID.Value, As: source.As.Value, MaxParallel: source.MaxParallel}
	outside := in.bound
	s.If = c.compileOptional(ctx, source.If, outside)
	s.Each = c.compileOptional(ctx, source.Each, outside)
	if given(source.Each) {
		in.bound = slices.Concat(outside, variables{s.Item(), expressions.VarIndex})
	}
	if given(source.As) && !isPlain(s.As) {
		c.found.Add(source.As.Pos, "bad-step-id", fmt.Sprintf("as of step %q is %q, expected the name of a variable without $: letters, digits and _", s.ID, shorten(s.As)), "write as: file")
	}
	if jsonata.IsFunction(s.As) {
		c.found.Add(source.As.Pos, "bad-step-id", fmt.Sprintf("as of step %q is %q, and $%s is a function: expressions would read that", s.ID, s.As, s.As), "write another name, such as one_"+s.As)
	}
	s.Key = c.compileOptional(ctx, source.Key, in.bound)
	s.Until = c.compileOptional(ctx, source.Until, slices.Concat(in.bound, resultVariables))
	item := in.bound
	if r := source.Repeat; r != nil {
		in.bound = slices.Concat(item, variables{turnVar, previousVar})
		s.Repeat = &Repeat{Until: c.compileOptional(ctx, r.Until, slices.Concat(item, resultVariables, variables{turnVar})), Times: r.Times, Delay: r.Delay, Collect: r.Collect}
	}
	b := base{id: in.prefix + s.ID, pos: n.Pos, index: index}
	before := len(c.found)
	s.Node = c.newStepNode(ctx, b, n)
	for i := range c.found[before:] { // in the words of steps
		c.found[before+i].Message = strings.ReplaceAll(c.found[before+i].Message, "node "+strconv.Quote(b.id), "step "+strconv.Quote(b.id))
	}
	in.bound = item
	s.OnError = c.stepOnError(ctx, b.id, n)
	if s.Repeat == nil {
		setOnError(s.Node, s.OnError)
	}
	s.After = c.addAfter(in, n)
	s.Needs = slices.Sorted(maps.Keys(in.needs))
	return s
}

// The variables of repeat.
const (
	turnVar     = "n"        // the number of the turn, from 1
	previousVar = "previous" // the value of the turn before
)

// newStepNode compiles what a step does.
func (c *compiler) newStepNode(ctx context.Context, b base, n *config.Node) Node {
	//exhaustive:enforce
	switch n.Type {
	case config.MCPNode:
		return c.newMCP(ctx, b, n)
	case config.GraphNode:
		return c.newSubGraph(ctx, b, n)
	case config.AskNode:
		if c.block.outer != nil {
			c.found.Add(n.Pos, "step-form", fmt.Sprintf("step %q asks the user inside a block", b.id), "ask before the block")
		}
		return c.newAsk(ctx, b, n)
	case config.StepsNode:
		return c.newSteps(ctx, b, n)
	case config.EntryNode, config.ParallelNode, config.TransformNode, config.SwitchNode, config.ExitNode:
	}
	t := &Transform{step: step{base: b}}
	if n.Expr.Value == "" {
		c.found.Add(orPos(n.Expr.Pos, n.Pos), "missing-expr", fmt.Sprintf("expr of step %q is empty, expected JSONata", b.id), "write expr: …")
		return t
	}
	t.Expr = c.compileExpr(ctx, n.Expr, c.block.bound)
	return t
}

// stepOnError compiles the onError of a step.
func (c *compiler) stepOnError(ctx context.Context, id string, n *config.Node) *OnError {
	if n.Step.Skip.IsSet() {
		for _, inner := range n.All() {
			if inner.Effect != config.WriteEffect && inner.Effect != config.DestroyEffect {
				continue
			}
			what := fmt.Sprintf("step %q has effect: %s and onError: skip, which", id, inner.Effect)
			if inner != n {
				what = fmt.Sprintf("step %q has onError: skip, and its step %q effect: %s; skip", id, inner.ID.Value, inner.Effect)
			}
			c.found.Add(n.Step.Skip.Pos, "skip-hides-write", what+" would hide that a change has failed",
				"write onError: {value: {failed: {expr: $failure.message}}}")
			break
		}
		return &OnError{Skip: true}
	}
	c.block.handling = true
	defer func() { c.block.handling = false }()
	return c.compileOnError(ctx, id, n)
}

// setOnError gives the node of a step its onError.
func setOnError(n Node, on *OnError) {
	switch n := n.(type) {
	case *MCP:
		n.OnError = on
	case *SubGraph:
		n.OnError = on
	case *Transform:
		n.OnError = on
	case *Ask:
		n.OnError = on
	case *Steps:
		n.OnError = on
	case *Entry, *Parallel, *Switch, *Exit:
	}
}

// addAfter notes the steps that a step starts after, and returns those of them that it does not read.
func (c *compiler) addAfter(in *block, n *config.Node) (unread []int) {
	for _, text := range n.Step.After {
		i := slices.Index(in.ids, text.Value)
		switch {
		case i >= 0 && i < in.at:
			if !in.needs[i] {
				unread = append(unread, i)
			}
			in.needs[i] = true
		case i >= 0:
			c.found.Add(text.Pos, "reads-later", fmt.Sprintf("after of step %q names %q, which is not above it", n.ID.Value, text.Value), "move the step up, or this one down")
		default:
			hint, near := suggest(text.Value, in.ids[:in.at], "the steps above are ")
			c.found.Add(text.Pos, "unknown-step", fmt.Sprintf("after of step %q names %q, which is no step of the same block", n.ID.Value, shorten(text.Value)), hint).Meant(text, near)
		}
	}
	return unread
}

// readSteps notes the steps that an expression of the current step reads, and reports names that are none.
func (c *compiler) readSteps(places *config.Places, compiled *jsonata.Expression) {
	c.readsHistory(places, compiled.Tree())
	for _, ref := range compiled.References() {
		if len(ref.Path) > 0 && ref.Function == "" {
			c.readStep(places, ref)
		}
	}
	if compiled.ContextUse().Whole {
		for in := c.block; in != nil; in = in.outer {
			for i := range in.at {
				in.needs[i] = true
			}
		}
	}
}

// readsHistory reports the history functions of an expression.
func (c *compiler) readsHistory(places *config.Places, t *jsonata.Tree) {
	if t.Kind == jsonata.VariableKind && jsonata.IsHistoryFunction(t.Text) {
		c.found.Add(places.At(t.Offset), "step-form", fmt.Sprintf("$%s reads the history of nodes, which steps do not have", t.Text), "read the value of a step above by its id").
			Until(places.At(t.End))
	}
	for i := range t.Parts {
		c.readsHistory(places, &t.Parts[i])
	}
}

func (c *compiler) readStep(places *config.Places, ref jsonata.Reference) {
	name, pos := ref.Path[0], places.At(ref.Offset)
	if name == ArgsName {
		return
	}
	for in := c.block; in != nil; in = in.outer {
		i := slices.Index(in.ids, name)
		switch {
		case i < 0:
			continue
		case i < in.at:
			in.needs[i] = true
			return
		case i == in.at:
			c.found.Add(pos, "reads-later", fmt.Sprintf("%q is this step itself, and its value is not known yet", name), c.laterHint(in))
		default:
			c.found.Add(pos, "reads-later", fmt.Sprintf("step %q is below this one, so its value is not known yet", name), "move step "+strconv.Quote(name)+" up, or this one down")
		}
		return
	}
	hint, instead := c.unknownStepHint(name, ref.Path)
	c.found.Add(pos, "unknown-step", fmt.Sprintf("%q is neither args nor a step above, so this path never has a value", name), hint).
		Fixed(replaceIn(places.Text, ref.Offset, name, instead)).Until(places.At(ref.Offset + len(name)))
}

func (c *compiler) laterHint(in *block) string {
	if slices.Contains(in.bound, previousVar) {
		return "the value of the turn before is $previous"
	}
	return "read a step above"
}

// unknownStepHint returns what an unknown name was probably meant to be, and what to write in its place; empty
// when that is not known.
func (c *compiler) unknownStepHint(name string, path []string) (hint, instead string) {
	known := c.stepsAbove()
	properties := c.tool.InputSchema.Get("properties")
	switch {
	case slices.Contains(c.block.bound, name):
		return wording.Meant("$" + strings.Join(path, ".")), "$" + name
	case properties.Get(name) != nil:
		return "for the tool's argument write args." + name, ArgsName + "." + name
	}
	if outer := c.blockWith(name); outer != "" {
		return fmt.Sprintf("it is a step of the block %q: let return of that block hand it out", outer), ""
	}
	if near := wording.Nearest(name, append(known, ArgsName)); near != "" {
		return wording.Meant(near), near
	}
	return suggest(name, known, "the steps above are ")
}

// stepsAbove returns the ids of the steps that expressions of the current step can read.
func (c *compiler) stepsAbove() (ids []string) {
	for in := c.block; in != nil; in = in.outer {
		ids = append(ids, in.ids[:in.at]...)
	}
	return ids
}

// blockWith returns the id of the block that has a step of this name; empty when none does.
func (c *compiler) blockWith(name string) (id string) {
	for _, n := range c.tool.Nodes {
		n.EachStep(func(outer *config.Node) {
			for _, s := range outer.Steps {
				if s.ID.Value == name && id == "" {
					id = outer.ID.Value
				}
			}
		})
	}
	return id
}
