package convert

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project"
)

// ToSteps returns a graph file with a tool of nodes written as steps, and what changes for those who name its nodes, by the
// places of src. path is for messages. The error is config.Diagnostics when the file has errors or the tool stays a graph.
func ToSteps(ctx context.Context, path string, src []byte, tool string, opts config.Options) ([]byte, []config.Change, error) {
	p, err := project.Parse(ctx, path, src, opts)
	if err != nil {
		return nil, nil, err
	}
	g, err := p.Graph(tool)
	if err != nil {
		return nil, nil, err
	}
	c := &converter{ctx: ctx, path: path, graph: g, tool: g.Tool, edits: map[int]config.Edit{}}
	switch {
	case p.File.Older:
		c.refuse(g.Tool.Pos, "the file uses older syntax", "run toolgraph upgrade first")
	case g.Steps() != nil:
		c.refuse(g.Tool.StepsAt, "tool "+wording.Quote(tool)+" is written as steps already", "")
	case !slices.ContainsFunc(p.File.Tools, func(t *config.Tool) bool { return t == g.Tool && t.File == p.File }):
		c.refuse(g.Tool.Pos, "tool "+wording.Quote(tool)+" is not in the list tools of this file", "convert it in the file that has it")
	default:
		if c.readChain() {
			c.nameSteps()
			c.readExpressions(c.chain)
		} else {
			c.readExpressions(nil)
		}
	}
	if len(c.found) > 0 {
		c.found.Sort()
		return nil, nil, c.found
	}
	text, err := c.write(src)
	if err == nil {
		err = c.verify(src, text, opts)
	}
	if err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(c.changes, func(a, b config.Change) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	return text, c.changes, nil
}

// converter converts one tool.
type converter struct {
	ctx     context.Context //nolint:containedctx // of one conversion
	path    string
	graph   *graph.Graph
	tool    *config.Tool
	chain   []*config.Node          // between entry and exit, in the order in which they run
	returns *config.Node            // the last of them, when its expression becomes return; else nil
	names   map[string]string       // the names by which expressions of steps read the outputs of nodes
	inner   map[*config.Node]string // the ids of branches
	edits   map[int]config.Edit     // of the names, by place
	changes []config.Change
	found   config.Diagnostics
}

// refuse reports why the tool stays a graph.
func (c *converter) refuse(at config.Pos, found, why string) {
	c.found.Add(at, "cannot-convert", found, why)
}

// readChain puts the nodes in the order in which they run, and reports whether there is one.
func (c *converter) readChain() bool {
	byID, entry := map[string]*config.Node{}, ""
	for _, n := range c.tool.Nodes {
		id := n.ID.Value
		byID[id] = n
		switch {
		case n.Type == config.EntryNode:
			entry = n.Next.Value
			c.names = map[string]string{id: "args"}
		case n.Type == config.SwitchNode:
			what := "branches: what runs next depends on the data"
			if c.leadsTo(id, id) {
				what = "a loop: it leads back to itself"
			}
			c.refuse(n.Pos, fmt.Sprintf("switch %q makes %s, and steps have no edges", id, what), "keep the tool a graph, which a step can call; what follows without a switch can be a tool of steps")
		case n.OnError != nil && n.OnError.Next.Value != "" && n.OnError.Next.Value != n.Next.Value:
			c.refuse(n.OnError.Next.Pos, fmt.Sprintf("onError of node %q goes on at %q after a failure, and steps have no edges", id, n.OnError.Next.Value),
				"give a value in onError and read it below, or keep the tool a graph")
		}
	}
	if len(c.found) > 0 {
		return false
	}
	for n := byID[entry]; n.Type != config.ExitNode; n = byID[n.Next.Value] {
		c.chain = append(c.chain, n)
	}
	if len(c.chain) == 0 {
		c.refuse(c.tool.Pos, "the tool has no node between entry and exit, and steps are a list of at least one", "keep the tool a graph")
		return false
	}
	for _, n := range c.tool.Nodes {
		if n.Type != config.EntryNode && n.Type != config.ExitNode && !slices.Contains(c.chain, n) {
			c.refuse(n.Pos, fmt.Sprintf("node %q is never reached, and a step would run", n.ID.Value), "remove it")
		}
	}
	last := c.chain[len(c.chain)-1]
	if last.Type == config.TransformNode && last.OnError == nil && len(c.chain) > 1 {
		c.returns = last
	}
	return len(c.found) == 0
}

// leadsTo reports whether a way leads from a node to another one.
func (c *converter) leadsTo(from, to string) bool {
	reached := []string{from}
	for i := 0; i < len(reached); i++ {
		for _, next := range c.graph.Node(reached[i]).Successors() {
			if next == to {
				return true
			}
			if !slices.Contains(reached, next) {
				reached = append(reached, next)
			}
		}
	}
	return false
}

// nameSteps gives each node that runs, and each branch, a name that a step can have.
func (c *converter) nameSteps() {
	taken, branches := map[string]bool{}, map[string]bool{}
	for _, n := range c.chain {
		taken[n.ID.Value] = true
		for _, branch := range n.Branches {
			branches[branch.ID.Value] = true
		}
	}
	name := func(id config.Text, free bool, who string) string {
		to := id.Value
		if graph.IsStepID(to) && free {
			return to
		}
		base := config.PlainWord(to)
		if base == "" || base[0] >= '0' && base[0] <= '9' {
			base = "_" + base
		}
		to = base
		for i := 2; !graph.IsStepID(to) || taken[to] || branches[to]; i++ {
			to = fmt.Sprintf("%s_%d", base, i)
		}
		taken[to] = true
		c.changes = append(c.changes, config.Change{Pos: id.Pos, Message: fmt.Sprintf("%s %q is now step %q", who, id.Value, to)})
		return to
	}
	for _, n := range c.chain {
		if n == c.returns {
			c.changes = append(c.changes, config.Change{Pos: n.ID.Pos, Message: fmt.Sprintf("node %q is now return", n.ID.Value)})
			continue
		}
		c.names[n.ID.Value] = name(n.ID, true, "node")
	}
	c.inner = map[*config.Node]string{}
	for _, n := range c.chain {
		for _, branch := range n.Branches {
			c.inner[branch] = name(branch.ID, !taken[branch.ID.Value], "branch")
		}
	}
}

// write returns the file with the names changed in place, and then the keys moved.
func (c *converter) write(src []byte) ([]byte, error) {
	was, err := config.ParseData(c.path, src)
	if err != nil {
		return nil, err
	}
	_, tool := toolOf(was, c.tool.Name.Value)
	for _, key := range tool.Keys {
		if key.Value == "nodes" {
			c.replace(key, config.Replacement{To: len("nodes"), Text: "steps"})
		}
	}
	for _, n := range c.chain {
		if n != c.returns && c.names[n.ID.Value] != n.ID.Value {
			c.replace(n.ID, config.Replacement{To: len(n.ID.Value), Text: c.names[n.ID.Value]})
		}
	}
	if c.found.Err() != nil {
		return nil, c.found
	}
	edits := make([]config.Edit, 0, len(c.edits))
	for _, e := range c.edits {
		edits = append(edits, e)
	}
	slices.SortFunc(edits, func(a, b config.Edit) int { return cmp.Compare(a.From, b.From) })
	named := config.Apply(src, edits)
	root, err := config.ParseData(c.path, named)
	if err != nil {
		return nil, c.internal(err)
	}
	at, tool := toolOf(root, c.tool.Name.Value)
	var steps []*config.Data
	var result *config.Data
	for _, n := range c.chain {
		node := tool.Get("steps").Items[slices.Index(c.tool.Nodes, n)]
		if n == c.returns {
			result = node.Get("transform").Get("expr")
			continue
		}
		steps = append(steps, c.step(n, node))
	}
	tools := slices.Clone(root.Get("tools").Items)
	tool = tool.With("steps", config.NewList(steps...))
	if i := slices.IndexFunc(tool.Keys, func(k config.Text) bool { return k.Value == "steps" }); result != nil { // directly below the steps
		tool.Keys, tool.Items = slices.Insert(tool.Keys, i+1, config.Text{Value: "return"}), slices.Insert(tool.Items, i+1, result)
	}
	tools[at] = tool
	return config.Restructure(c.path, named, root.With("tools", config.NewList(tools...)))
}

// replace changes a part of a text in place.
func (c *converter) replace(t config.Text, parts ...config.Replacement) {
	edits, ok := t.Replaced(parts...)
	if !ok {
		c.refuse(t.Pos, "this text cannot be changed in place", "write it on one line, or in another style")
	}
	for _, e := range edits {
		c.edits[e.From] = e
	}
}

// toolOf returns a tool of a file and its index.
func toolOf(root *config.Data, name string) (int, *config.Data) {
	for i, t := range root.Get("tools").Items {
		if t.Get("name") != nil && t.Get("name").Scalar == name {
			return i, t
		}
	}
	return -1, nil
}

// verify checks the result: nothing but the nodes of the tool has changed, and it has no error.
func (c *converter) verify(src, text []byte, opts config.Options) error {
	if !reflect.DeepEqual(c.others(src), c.others(text)) {
		c.refuse(c.tool.Pos, "the nodes share parts with the rest of the file, by anchors or aliases, so that both would change", "write them out (&name, *name, <<)")
		return c.found
	}
	p, err := project.Parse(c.ctx, c.path, text, opts)
	if err != nil {
		return c.internal(err)
	}
	found, err := p.Check(c.ctx, nil)
	if err != nil {
		return err
	}
	errs, _ := found.Split()
	if len(errs) == 0 {
		return nil
	}
	if before, err := project.Parse(c.ctx, c.path, src, opts); err != nil {
		return err
	} else if had, err := before.Check(c.ctx, nil); err != nil || had.Err() != nil || slices.ContainsFunc(had, hidesErrors) {
		return err // the graph is as wrong
	}
	for _, d := range errs {
		if d.Code != "limit-too-low" { // the steps are an execution of their own
			return c.internal(errs)
		}
		c.refuse(c.tool.Pos, "as steps, "+d.Message, d.Hint)
	}
	return c.found
}

// hidesErrors reports whether a finding stands for the errors in a call, too: of items that are one value and no list, it is the one that
// is reported.
func hidesErrors(d config.Diagnostic) bool { return d.Code == "not-a-list" }

func (c *converter) internal(err error) error {
	return fmt.Errorf("internal error: tool %q as steps has errors that it does not have as a graph; nothing was written: %w", c.tool.Name.Value, err)
}

// others returns what a file has beside the nodes of the tool.
func (c *converter) others(src []byte) any {
	root, err := config.ParseData(c.path, src)
	if err != nil {
		return err
	}
	at, tool := toolOf(root, c.tool.Name.Value)
	tools := slices.Clone(root.Get("tools").Items)
	tools[at] = tool.With("nodes", nil).With("steps", nil).With("return", nil)
	return root.With("tools", config.NewList(tools...)).Value()
}
