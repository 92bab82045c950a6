package graph

import (
	"context"
	"fmt"

	"toolgraph/config"
	"toolgraph/internal/wording"
)

// newMCP compiles a call of a server's tool.
func (c *compiler) newMCP(ctx context.Context, b base, n *config.Node) *MCP {
	c.checkServer(b.id, n)
	c.checkToolName(b.id, n)
	return &MCP{
		step: step{base: b}, Calling: c.compileCalling(ctx, b.id, n), Retry: c.compileRetry(ctx, n.Retry),
		Server: n.Server.Value, Tool: n.Tool.Value, OnCrash: n.OnCrash, Effect: n.Effect, toolPos: n.Tool.Pos,
	}
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
		c.found.Add(n.Pos, "branch-count",
			fmt.Sprintf("node %q has %s, expected %d to %d", b.id, branchCount(count), config.MinBranches, config.MaxBranches),
			branchCountHint(count))
	}
	for _, branch := range n.Branches {
		of := base{id: b.id + "." + branch.ID.Value, pos: branch.Pos, index: b.index}
		switch branch.Type {
		case config.MCPNode:
			p.Branches = append(p.Branches, Branch{branch.ID.Value, c.newMCP(ctx, of, branch)})
		case config.GraphNode:
			p.Branches = append(p.Branches, Branch{branch.ID.Value, c.newSubGraph(ctx, of, branch)})
		case config.EntryNode, config.ParallelNode, config.TransformNode, config.SwitchNode, config.ExitNode:
			c.found.Add(branch.Pos, "branch-type",
				fmt.Sprintf("branch %q of node %q has type %q, expected %s", branch.ID.Value, b.id, branch.Type, wording.Or(config.BranchTypes)),
				"put the node into a tool of its own, and call that with type: graph")
		default:
			c.found.Add(branch.Pos, "branch-type",
				fmt.Sprintf("branch %q of node %q has type %q, expected %s", branch.ID.Value, b.id, branch.Type, wording.Or(config.BranchTypes)),
				wording.DidYouMean(string(branch.Type), config.BranchTypes))
		}
	}
	return p
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
	calling := Calling{Args: c.compileArgs(ctx, n.Args), Timeout: n.Timeout, OnError: c.compileOnError(ctx, n.OnError), Help: n.Help.Value}
	if f := n.ForEach; f != nil {
		if f.Items.Value == "" {
			c.found.Add(orPos(f.Items.Pos, f.Pos), "missing-items", fmt.Sprintf("forEach of node %q has no items, expected the JSONata of a list", id),
				"add items: $.NODE.FIELD")
		}
		calling.ForEach = &ForEach{Items: c.compileOptional(ctx, f.Items), MaxParallel: f.MaxParallel}
	}
	return calling
}

func (c *compiler) compileRetry(ctx context.Context, r *config.Retry) *Retry {
	if r == nil {
		return nil
	}
	return &Retry{
		Attempts: r.Attempts, Delay: r.Delay, MaxDelay: r.MaxDelay, Backoff: r.Backoff, Codes: failureCodes(r.Codes),
		When: c.compileOptional(ctx, r.When), Until: c.compileOptional(ctx, r.Until),
	}
}

// compileOnError compiles an onError; link resolves its next.
func (c *compiler) compileOnError(ctx context.Context, o *config.OnError) *OnError {
	if o == nil {
		return nil
	}
	return &OnError{Codes: failureCodes(o.Codes), Value: c.compileValue(ctx, o.Value)}
}

// compileOptional is compileExpr; nil for a text that the file does not have.
func (c *compiler) compileOptional(ctx context.Context, text config.Text) *Expr {
	if text.Value == "" {
		return nil
	}
	return c.compileExpr(ctx, text)
}

// failureCodes returns codes as such; nil stays nil.
func failureCodes(texts []config.Text) []config.FailureCode {
	if texts == nil {
		return nil
	}
	codes := make([]config.FailureCode, len(texts))
	for i, text := range texts {
		codes[i] = config.FailureCode(text.Value)
	}
	return codes
}

// linkGraphs gives each call of a tool its graph. Graphs may call themselves and each other.
func linkGraphs(graphs []*Graph) {
	byTool := make(map[string]*Graph, len(graphs))
	for _, g := range graphs {
		if g != nil && byTool[g.Tool.Name.Value] == nil {
			byTool[g.Tool.Name.Value] = g
		}
	}
	for _, g := range graphs {
		if g == nil {
			continue
		}
		for _, n := range g.CallNodes() {
			if sub, ok := n.(*SubGraph); ok {
				sub.Graph = byTool[sub.Tool]
			}
		}
	}
}

func (c *compiler) checkServer(id string, n *config.Node) {
	name := n.Server.Value
	switch {
	case name == "":
		c.found.Add(orPos(n.Server.Pos, n.Pos), "missing-server", fmt.Sprintf("node %q has no server, expected a name from mcpServers", id),
			"add server: NAME")
	case looksLikeExpression(name):
		c.found.Add(n.Server.Pos, "expression-not-allowed",
			fmt.Sprintf("server is %q, expected the name of a server: what a node calls never depends on data", name),
			"use a switch to choose between servers")
	case c.servers[name]:
	case len(c.servers) == 0:
		c.found.Add(n.Server.Pos, "unknown-server", fmt.Sprintf("node %q calls server %q, but no servers are declared", id, name),
			"declare it under mcpServers")
	default:
		names := make([]string, 0, len(c.servers))
		for _, s := range c.file.Servers {
			names = append(names, s.Name.Value)
		}
		c.found.Add(n.Server.Pos, "unknown-server", fmt.Sprintf("node %q calls server %q, which is not declared under mcpServers", id, name),
			suggest(name, names, "the servers are "))
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
		c.found.Add(orPos(n.Tool.Pos, n.Pos), "missing-tool", fmt.Sprintf("node %q has no tool, expected the name of a tool of this file", id), "add tool: NAME")
	case looksLikeExpression(name):
		c.found.Add(n.Tool.Pos, "expression-not-allowed",
			fmt.Sprintf("tool is %q, expected the name of a tool: what a node calls never depends on data", name),
			"use a switch to choose between tools")
	case c.tools[name]:
	default:
		c.found.Add(n.Tool.Pos, "unknown-graph", fmt.Sprintf("node %q calls tool %q, which is not in this file", id, name),
			suggest(name, toolNames(c.file), "the tools are "))
	}
}

func toolNames(f *config.File) []string {
	names := make([]string, len(f.Tools))
	for i, t := range f.Tools {
		names[i] = t.Name.Value
	}
	return names
}
