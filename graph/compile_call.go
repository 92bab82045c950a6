package graph

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// newMCP compiles a call of a server's tool.
func (c *compiler) newMCP(ctx context.Context, b base, n *config.Node) *MCP {
	c.checkServer(b.id, n)
	c.checkToolName(b.id, n)
	calling, effect := c.compileCalling(ctx, b.id, n), n.Effect
	if p := c.programOf(n); p != nil {
		effect = cmp.Or(effect, p.Effect)
		if calling.Args != nil {
			calling.Args.operands = c.operandsOf(p, n)
		}
	}
	confirm := n.Confirm
	if c.distrusted {
		if effect = ""; confirm != nil && !*confirm {
			confirm = nil
		}
	}
	m := &MCP{
		step: step{base: b}, Calling: calling, Retry: c.compileRetry(ctx, b.id, n),
		Server: n.Server.Value, Tool: n.Tool.Value, OnCrash: n.OnCrash, Effect: effect, Confirm: confirm, toolPos: n.Tool.Pos,
	}
	if u := c.server(m.Server); u != nil {
		m.Text = u.TextResults
	}
	if n.Cache != nil {
		m.Cache = n.Cache.TTL
		c.checkCache(m, n)
	}
	return m
}

// newSubGraph compiles a call of a tool of the file; linkGraphs finds its graph.
func (c *compiler) newSubGraph(ctx context.Context, b base, n *config.Node) *SubGraph {
	c.checkCalled(b.id, n)
	return &SubGraph{step: step{base: b}, Calling: c.compileCalling(ctx, b.id, n), Tool: n.Tool.Value, toolPos: n.Tool.Pos}
}

// newParallel compiles the branches. Each has the place of its parallel node among the nodes.
func (c *compiler) newParallel(ctx context.Context, b base, n *config.Node) *Parallel {
	p := &Parallel{step: step{base: b}}
	if count := len(n.Branches); count < config.MinBranches || count > config.MaxBranches {
		c.found.Add(orPos(n.BranchesAt, n.Pos), "branch-count",
			fmt.Sprintf("node %q has %s, expected %d to %d", b.id, branchCount(count), config.MinBranches, config.MaxBranches),
			branchCountHint(count))
	}
	for _, branch := range n.Branches {
		c.checkBranchName(b.id, branch)
		of := base{id: b.id + "." + branch.ID.Value, pos: branch.Pos, index: b.index}
		switch branch.Type {
		case config.MCPNode:
			p.Branches = append(p.Branches, Branch{branch.ID.Value, c.newMCP(ctx, of, branch)})
		case config.GraphNode:
			p.Branches = append(p.Branches, Branch{branch.ID.Value, c.newSubGraph(ctx, of, branch)})
		case config.EntryNode, config.ParallelNode, config.AskNode, config.TransformNode, config.SwitchNode, config.ExitNode:
			c.addBranchType(b.id, branch, "put the node into a tool of its own, and call that with type: graph", "")
		default:
			near := wording.Nearest(string(branch.Type), config.BranchTypes)
			c.addBranchType(b.id, branch, cmp.Or(wording.Meant(near), "write type: mcp, or type: graph"), near)
		}
	}
	return p
}

func (c *compiler) addBranchType(id string, branch *config.Node, hint, meant string) {
	has := "no type"
	if branch.Type != "" {
		has = fmt.Sprintf("type %q", branch.Type)
	}
	c.found.Add(branch.Pos, "branch-type",
		fmt.Sprintf("branch %q of node %q has %s, expected %s", branch.ID.Value, id, has, wording.Or(config.BranchTypes)), hint).Fixed(typeFix(branch.Pos, meant))
}

func (c *compiler) checkBranchName(id string, branch *config.Node) {
	if name := branch.ID.Value; !isPlain(name) {
		c.found.Add(branch.ID.Pos, "bad-branch-name", fmt.Sprintf("branch %q of node %q has no plain name, expected letters, digits and _", shorten(name), id),
			"write a name such as first_page").Over(branch.ID).Fixed(config.PlainName(branch.ID))
	}
}

func branchCount(n int) string {
	if n == 1 {
		return "1 branch"
	}
	return fmt.Sprintf("%d branches", n)
}

func branchCountHint(count int) string {
	if count < config.MinBranches {
		return "for one call, write the call itself as the node"
	}
	return "call some of them in a tool of their own, with type: graph"
}

// compileCalling compiles the fields that nodes which make calls share.
func (c *compiler) compileCalling(ctx context.Context, id string, n *config.Node) Calling {
	calling := Calling{Args: c.compileArgs(ctx, n.Args, c.itemVariables(n)), Timeout: n.Timeout, OnError: c.compileOnError(ctx, id, n), Help: n.Help.Value}
	f := n.ForEach
	if f == nil {
		return calling
	}
	calling.ForEach = &ForEach{Items: c.compileOptional(ctx, f.Items, nil), MaxParallel: f.MaxParallel}
	if f.Items.Value == "" {
		c.found.Add(orPos(f.Items.Pos, f.Pos), "missing-items", fmt.Sprintf("forEach of node %q has no items, expected the JSONata of a list", id),
			"add items: $.NODE.FIELD")
	}
	if n.OnError != nil && given(n.OnError.Next) {
		c.found.Add(n.OnError.Next.Pos, "foreach-on-error-next",
			fmt.Sprintf("onError of node %q has next, but the node has forEach: each item has its own failure, and the node goes one way", id),
			"give value, and let a switch look at the list")
	}
	return calling
}

func (c *compiler) compileRetry(ctx context.Context, id string, n *config.Node) *Retry {
	r := n.Retry
	if r == nil {
		return nil
	}
	return &Retry{
		Attempts: r.Attempts, Delay: r.Delay, MaxDelay: r.MaxDelay, Backoff: r.Backoff,
		Codes: c.failureCodes(r.Codes, "retry of node "+strconv.Quote(id), r.Pos, repeatable(given(r.Until))),
		When:  c.compileOptional(ctx, r.When, c.failureVariables(n)), Until: c.compileOptional(ctx, r.Until, resultVariables),
	}
}

// compileOnError compiles an onError; link resolves its next.
func (c *compiler) compileOnError(ctx context.Context, id string, n *config.Node) *OnError {
	o := n.OnError
	if o == nil {
		return nil
	}
	if n.Step != nil && !c.block.handling {
		return nil // see stepOnError
	}
	c.checkInner(o.Value, 0, c.failureVariables(n))
	return &OnError{Codes: c.failureCodes(o.Codes, "onError of node "+strconv.Quote(id), o.Pos, failuresOf(n)), Value: c.compileValue(ctx, o.Value, c.failureVariables(n))}
}

// compileOptional is compileExpr; nil for a text that the file does not have.
func (c *compiler) compileOptional(ctx context.Context, text config.Text, bound variables) *Expr {
	if text.Value == "" {
		return nil
	}
	return c.compileExpr(ctx, text, bound)
}

func (c *compiler) checkServer(id string, n *config.Node) {
	name := n.Server.Value
	switch {
	case name == "":
		c.found.Add(orPos(n.Server.Pos, n.Pos), "missing-server", fmt.Sprintf("node %q has no server, expected a name from mcpServers", id),
			"add server: NAME").Fixed(oneOf(n.Pos, "server", c.ownServers(), "id", "tool")...)
	case looksLikeExpression(name):
		c.found.Add(n.Server.Pos, "expression-not-allowed",
			fmt.Sprintf("server is %q, expected the name of a server: what a node calls never depends on data", name),
			"use a switch to choose between servers")
	case c.names.servers[name] && c.importOf(name) == nil:
	case c.importOf(name) != nil:
		c.found.Add(n.Server.Pos, "unknown-server",
			fmt.Sprintf("node %q calls server %q, but the servers of import %q are its own", id, c.local(name), c.importOf(name).Name.Value),
			"call a tool of the import with a node of type graph, or declare the server under mcpServers")
	case len(c.ownServers()) == 0:
		c.found.Add(n.Server.Pos, "unknown-server", fmt.Sprintf("node %q calls server %q, but no servers are declared", id, c.local(name)),
			"declare it under mcpServers")
	default:
		hint, near := suggest(c.local(name), c.ownServers(), "the servers are ")
		c.found.Add(n.Server.Pos, "unknown-server", fmt.Sprintf("node %q calls server %q, which is not declared under mcpServers", id, c.local(name)), hint).
			Over(n.Server).Fixed(replaceIn(n.Server, 0, c.local(name), near))
	}
}

func (c *compiler) checkToolName(id string, n *config.Node) {
	name := n.Tool.Value
	switch {
	case name == "":
		c.found.Add(orPos(n.Tool.Pos, n.Pos), "missing-tool", fmt.Sprintf("node %q has no tool, expected the name of a tool of server %q", id, n.Server.Value),
			"add tool: NAME")
	case looksLikeExpression(name):
		c.found.Add(n.Tool.Pos, "expression-not-allowed",
			fmt.Sprintf("tool is %q, expected the name of a tool: what a node calls never depends on data", name),
			"use a switch to choose between tools")
	}
}

// checkCalled checks the name of a tool of the file.
func (c *compiler) checkCalled(id string, n *config.Node) {
	name := n.Tool.Value
	switch {
	case name == "":
		c.found.Add(orPos(n.Tool.Pos, n.Pos), "missing-tool", fmt.Sprintf("node %q has no tool, expected the name of a tool of this file", id), "add tool: NAME").Fixed(oneOf(n.Pos, "tool", c.callable(), "id", "type")...)
	case looksLikeExpression(name):
		c.found.Add(n.Tool.Pos, "expression-not-allowed",
			fmt.Sprintf("tool is %q, expected the name of a tool: what a node calls never depends on data", name),
			"use a switch to choose between tools")
	case c.names.tools[name]:
	default:
		c.unknownTool(id, n.Tool)
	}
}
