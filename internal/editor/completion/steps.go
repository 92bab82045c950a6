package completion

import (
	"cmp"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/graph"
	"toolgraph/graph/flow"
)

// isStep reports whether an item is a step, or the tool or block whose return the cursor is in.
func (c *cursor) isStep() bool {
	return c.node != nil && (c.inReturn() || isStepOf(c.node.parent))
}

func isStepOf(list *item) bool {
	return list != nil && list.kind == sequence && list.key == "steps"
}

// inReturn reports whether the cursor is in the return of steps; c.node is then what has them.
func (c *cursor) inReturn() bool {
	path := c.path(c.node)
	return len(path) == 1 && path[0] == "return"
}

// stepExpression reports whether a path in a step is that of an expression.
func stepExpression(path []string) bool {
	last := path[len(path)-1]
	switch {
	case len(path) == 1:
		return slices.Contains([]string{"if", "each", "key", "until", "expr", "return"}, last)
	case len(path) == 2 && path[0] == "repeat":
		return last == "until"
	case len(path) == 2 && path[0] == "retry":
		return last == "when"
	}
	return last == "expr"
}

// blocks are the tools and steps that have the steps which are around the cursor, the innermost first.
func (c *cursor) blocks() (all []*item) {
	at := c.node
	if at == nil {
		return nil
	}
	if c.inReturn() {
		all = append(all, at)
	}
	for isStepOf(at.parent) {
		at = at.parent.parent
		all = append(all, at)
	}
	return all
}

// stepsAbove are the steps that an expression at the cursor can read, the nearest block first, as the text has them; without outer
// those of its own block.
func (c *cursor) stepsAbove(outer bool) []Candidate {
	out, below := []Candidate{}, c.node
	for _, block := range c.blocks() {
		list := block.get("steps")
		if list == nil {
			break
		}
		for _, s := range list.items {
			if s == below {
				break
			}
			if id := s.word("id"); id != "" {
				out = append(out, Candidate{Label: id, Kind: "node", Detail: whatStep(s)})
			}
		}
		if below = block; !outer {
			break
		}
	}
	return out
}

// stepIDs are the ids of all steps of a list, those of blocks included; nil has none.
func stepIDs(list *item) (ids []string) {
	if list == nil {
		return nil
	}
	for _, s := range list.items {
		ids = append(append(ids, s.word("id")), stepIDs(s.get("steps"))...)
	}
	return ids
}

// readable are the names that an expression of a step reads, as the text has them; nil in nodes, which read all of them.
func (c *cursor) readable() []string {
	if !c.isStep() {
		return nil
	}
	names := []string{graph.ArgsName}
	for _, s := range c.stepsAbove(true) {
		names = append(names, s.Label)
	}
	return names
}

// whatStep says in short what a step does.
func whatStep(s *item) string {
	what := ""
	for _, key := range []string{"call", "expr", "ask", "steps"} {
		if s.get(key) != nil {
			what = strings.TrimSpace(key + " " + s.word("call"))
		}
	}
	if s.get("each") != nil {
		what = strings.TrimSpace("each " + what)
	}
	return what
}

// stepFlow returns what the last valid version knows of the step, or of the return, at the cursor; nil when it has none.
func (c *cursor) stepFlow(f *flow.Flow) *flow.Node {
	blocks := c.blocks()
	for i := len(blocks) - 2; i >= 0; i-- {
		n := f.Node(blocks[i].word("id"))
		if n == nil || n.Block == nil {
			return nil
		}
		f = n.Block
	}
	if c.inReturn() {
		return f.Return
	}
	return f.Node(c.node.word("id"))
}

// stepKey is the key of an expression's place in flow.Node.Variables.
func stepKey(keys []string) string {
	switch keys[0] {
	case "return":
		return "transform.expr"
	case "ask":
		return "message"
	case "repeat", "retry", "onError":
		return keys[0] + "." + keys[min(1, len(keys)-1)]
	}
	return keys[0]
}

// stepVariables are the variables that the language binds at the place of an expression of a step, but the constants.
func (c *cursor) stepVariables(s source) (names []string) {
	own, key := c.node, s.keys[0]
	if c.inReturn() {
		own = nil
	}
	of := c.blocks()
	if own != nil && key != "if" && key != "each" {
		of = append([]*item{own}, of...)
	}
	for _, step := range of {
		if step.get("each") != nil {
			names = append(names, cmp.Or(step.word("as"), expressions.VarItem), expressions.VarIndex)
		}
		if step.get("repeat") != nil && (step != own || key != "onError" && key != "key" && key != "until") {
			names = append(names, "n", "previous")
		}
	}
	switch stepKey(s.keys) {
	case "until", "repeat.until":
		names = append(names, expressions.VarResult)
	case "retry.when", "onError.value":
		names = append(names, expressions.VarFailure, expressions.VarAttempt)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// addSteps adds args and the steps above that the last valid version does not have. Where a bare name is a field of another value,
// they are read through $$.
func (c *cursor) addSteps(out []Candidate) []Candidate {
	has := map[string]bool{}
	for _, f := range out {
		has[f.Label] = true
	}
	inside := len(out) > 0 && !has[graph.ArgsName]
	for _, s := range append(c.stepsAbove(true), Candidate{Label: graph.ArgsName, Kind: "node", Detail: "the arguments of the tool"}) {
		switch {
		case inside:
			s.Label, s.Rank = "$$."+s.Label, -1
		case has[s.Label]:
			continue
		}
		out = append(out, s)
	}
	return out
}

// callable are what a step can call: tools of servers, of the file and of its imports.
func (c *cursor) callable() []Candidate {
	out := slices.DeleteFunc(c.calls(), func(call Candidate) bool { return call.Kind == "server" })
	return append(out, c.ownTools()...)
}

// called returns the schemas of the tool that a step calls; nil where they are unknown.
func (c *cursor) called(call string) (input, output []byte) {
	server, tool, isUpstream := strings.Cut(call, ".")
	if isUpstream && slices.ContainsFunc(c.servers(), func(s Candidate) bool { return s.Label == server }) {
		return c.upstream(server, tool)
	}
	return c.own(call)
}

// stepOutputs adds the types of the values of steps, by their paths.
func stepOutputs(f *flow.Flow, prefix string, types map[string]string) {
	for _, n := range f.Nodes {
		if f.Graph.StepOf(n.Node) == nil {
			continue
		}
		if text, known := outputOf(n); known {
			types[prefix+n.Node.ID()] = text
		}
		if n.Block != nil {
			stepOutputs(n.Block, prefix+n.Node.ID()+".", types)
		}
	}
}

// outputOf returns the type of a node's output; not known when nothing is known of it.
func outputOf(n *flow.Node) (text string, known bool) {
	text = n.Output.String()
	return text, n.Reached && n.Node.Type() != config.ExitNode && text != anything
}

// blockFlows are what the last valid version knows of the blocks around the cursor, the innermost first.
func (c *cursor) blockFlows(f *flow.Flow) []*flow.Flow {
	all := []*flow.Flow{f}
	blocks := c.blocks()
	for i := len(blocks) - 2; i >= 0; i-- {
		n := all[len(all)-1].Node(blocks[i].word("id"))
		if n == nil || n.Block == nil {
			break
		}
		all = append(all, n.Block)
	}
	slices.Reverse(all)
	return all
}

// addStep describes a step that can be read at the cursor, or whose id is there: what it does, what it reads and which steps read it.
func (c *cursor) addStep(d *Description, g *graph.Graph, f *flow.Flow) {
	for _, block := range c.blockFlows(f) {
		n := block.Node(d.Label)
		if n == nil || n.Node.Type() == config.EntryNode && d.Label != graph.ArgsName {
			continue
		}
		d.Detail = "value: " + n.Output.String()
		if !n.Output.MayBeNothing() && n.Output.Members() != nil {
			d.Doc = fields(n.Output)
		}
		step := block.Graph.StepOf(n.Node)
		if step == nil {
			d.fact("type from", "inputSchema of tool "+g.Tool.Name.Value)
			return
		}
		d.fact("step", doing(n.Node))
		if m, isMCP := n.Node.(*graph.MCP); isMCP {
			d.fact("tool", c.describedTool(m.Server, m.Tool))
		}
		d.fact("reads", strings.ReplaceAll(strings.Join(c.readsOf(n.Node), ", "), "$.", ""))
		d.fact("read by", strings.Join(stepsReading(block.Graph, step), ", "))
		return
	}
}

// stepsReading returns the ids of the steps of a block that read a step, or start after it.
func stepsReading(block *graph.Graph, step *graph.Step) (ids []string) {
	var all []*graph.Step
	for _, n := range block.Nodes {
		if s := block.StepOf(n); s != nil {
			all = append(all, s)
		}
	}
	at := slices.Index(all, step)
	for _, s := range all {
		if slices.Contains(s.Needs, at) {
			ids = append(ids, s.ID)
		}
	}
	return ids
}
