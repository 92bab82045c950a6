package graph

import (
	"context"
	"fmt"

	"toolgraph/config"
	"toolgraph/internal/wording"
)

// compiler turns one tool into a Graph. It goes on after a finding, so that one
// pass reports them all.
type compiler struct {
	file  *config.File
	tool  *config.Tool
	caps  Caps
	found config.Diagnostics

	ids     []string       // in file order
	byID    map[string]int // index in tool.Nodes
	servers map[string]bool
	nodes   []Node    // nodes[i] is made of tool.Nodes[i]
	loose   []bool    // loose[i]: a way out of nodes[i] leads nowhere, and that is reported
	toExit  bool      // a switch goes to the exit, and that is reported
	written []written // the expressions

	compared int // nodes looked at for "did you mean"
}

func newCompiler(f *config.File, tool *config.Tool, caps Caps) *compiler {
	c := &compiler{
		file: f, tool: tool, caps: caps,
		ids:     make([]string, 0, len(tool.Nodes)),
		byID:    make(map[string]int, len(tool.Nodes)),
		servers: make(map[string]bool, len(f.Servers)),
		nodes:   make([]Node, len(tool.Nodes)),
		loose:   make([]bool, len(tool.Nodes)),
	}
	for _, s := range f.Servers {
		c.servers[s.Name.Value] = true
	}
	for i, n := range tool.Nodes {
		if _, twice := c.byID[n.ID.Value]; !twice {
			c.byID[n.ID.Value] = i
			c.ids = append(c.ids, n.ID.Value)
		}
	}
	return c
}

// compile is the tool's Graph, which is only good when nothing wrong was found and ctx
// has not ended.
func (c *compiler) compile(ctx context.Context) *Graph {
	c.checkTool()
	g := &Graph{Tool: c.tool, Limits: c.file.Limits, byID: make(map[string]Node, len(c.nodes))}
	for i, n := range c.tool.Nodes {
		if ctx.Err() != nil {
			return nil
		}
		c.checkID(n)
		c.nodes[i] = c.newNode(ctx, i, n)
	}
	for i, n := range c.tool.Nodes {
		if ctx.Err() != nil {
			return nil
		}
		c.link(ctx, c.nodes[i], n)
	}
	c.checkOddIDs()
	for _, node := range c.nodes {
		b := node.core()
		b.successors = successors(node)
		if _, twice := g.byID[b.id]; !twice {
			g.byID[b.id] = node
		}
	}
	g.Nodes = c.nodes
	g.Input, g.Output = c.compileSchemas(ctx)
	g.Entry = c.checkShape()
	if c.found.Err() != nil {
		return nil
	}
	g.Hash = hash(g)
	return g
}

// newNode compiles what stands in a node itself; link adds the ways out.
func (c *compiler) newNode(ctx context.Context, i int, n *config.Node) Node {
	b := base{id: n.ID.Value, pos: n.Pos, index: i}
	switch n.Type {
	case config.EntryNode:
		return &Entry{base: b}
	case config.MCPNode:
		c.checkServer(n)
		c.checkToolName(n)
		return &MCP{
			base: b, Server: n.Server.Value, Tool: n.Tool.Value,
			Args: c.compileArgs(ctx, n.Args), OnCrash: n.OnCrash, toolPos: n.Tool.Pos,
		}
	case config.TransformNode:
		if n.Expr.Value == "" {
			c.found.Add(orPos(n.Expr.Pos, n.Pos), "missing-expr", fmt.Sprintf("node %q has no expression, expected the JSONata of its output", b.id),
				"add transform: {expr: …}")
			return &Transform{base: b}
		}
		return &Transform{base: b, Expr: c.compileExpr(ctx, n.Expr)}
	case config.SwitchNode:
		return &Switch{base: b}
	case config.ExitNode:
		return &Exit{base: b}
	}
	c.found.Add(n.Pos, "unknown-node-type", fmt.Sprintf("node %q has type %q, expected entry, mcp, transform, switch or exit", b.id, n.Type),
		wording.DidYouMean(string(n.Type), []string{"entry", "mcp", "transform", "switch", "exit"}))
	c.loose[i] = true
	return &Exit{base: b}
}

func (c *compiler) checkServer(n *config.Node) {
	name := n.Server.Value
	switch {
	case name == "":
		c.found.Add(orPos(n.Server.Pos, n.Pos), "missing-server", fmt.Sprintf("node %q names no server, expected the name of one under mcpServers", n.ID.Value),
			"add server: NAME")
	case looksLikeExpression(name):
		c.found.Add(n.Server.Pos, "expression-not-allowed",
			fmt.Sprintf("server is %q, expected the name of a server: what a node calls never depends on data", name),
			"use a switch to choose between servers")
	case c.servers[name]:
	case len(c.servers) == 0:
		c.found.Add(n.Server.Pos, "unknown-server", fmt.Sprintf("node %q calls server %q, but no servers are declared", n.ID.Value, name),
			"declare it under mcpServers")
	default:
		names := make([]string, 0, len(c.servers))
		for _, s := range c.file.Servers {
			names = append(names, s.Name.Value)
		}
		c.found.Add(n.Server.Pos, "unknown-server", fmt.Sprintf("node %q calls server %q, which is not declared under mcpServers", n.ID.Value, name),
			suggest(name, names, "the servers are "))
	}
}

func (c *compiler) checkToolName(n *config.Node) {
	name := n.Tool.Value
	switch {
	case name == "":
		c.found.Add(orPos(n.Tool.Pos, n.Pos), "missing-tool", fmt.Sprintf("node %q names no tool, expected the name of a tool of server %q", n.ID.Value, n.Server.Value),
			"add tool: NAME")
	case looksLikeExpression(name):
		c.found.Add(n.Tool.Pos, "expression-not-allowed",
			fmt.Sprintf("tool is %q, expected the name of a tool: what a node calls never depends on data", name),
			"use a switch to choose between tools")
	}
}

// looksLikeExpression tells a JSONata path from a name: names do not begin so.
func looksLikeExpression(name string) bool { return name != "" && name[0] == '$' }

func orPos(pos, otherwise config.Pos) config.Pos {
	if pos.IsValid() {
		return pos
	}
	return otherwise
}
