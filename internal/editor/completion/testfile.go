package completion

import (
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// form is the schema of test files.
func (k *Known) form() schema {
	own := k.inferred()
	own.mu.Lock()
	defer own.mu.Unlock()
	if own.tests == nil {
		own.tests = decoded(k.Form)
	}
	return own.tests
}

// isTest reports whether an item is a test, or a case of one.
func (c *cursor) isTest(of *item) bool {
	if of == nil || of.parent == nil {
		return false
	}
	list := of.parent
	return list.kind == sequence && list.key == "tests" && list.parent == c.root || list.key == "cases"
}

// testedTool is the tool of the test around the cursor.
func (c *cursor) testedTool() string {
	for at := c.of; at != nil; at = at.parent {
		if tool := at.word("tool"); tool != "" && c.isTest(at) {
			return tool
		}
	}
	return ""
}

// graphs are those of the tool that is tested, or all where the cursor is in no test.
func (c *cursor) graphs() []*graph.Graph {
	tool := c.testedTool()
	if i := slices.IndexFunc(c.known.Graphs, func(g *graph.Graph) bool { return g.Tool.Name.Value == tool }); i >= 0 {
		return c.known.Graphs[i : i+1]
	}
	return c.known.Graphs
}

// testSchemas returns the schemas of the item at the cursor of a test file: of arguments and values as the
// tools declare them, else of the form of test files.
func (c *cursor) testSchemas() []schema {
	for at := c.of; at != nil && at.parent != nil; at = at.parent {
		if raw := c.testedSchema(at); raw != nil {
			s := decoded(raw)
			return schemasAt(s, s, at, c.of)
		}
	}
	root := c.known.form()
	return schemasAt(root, root, c.root, c.of)
}

// testedSchema returns the schema of a value that a test file has at an item: of the arguments of a tool, of
// a value or of constants; nil for other items and where it is unknown.
func (c *cursor) testedSchema(at *item) []byte {
	in := at.parent
	switch {
	case c.isTest(in) && at.key == "args":
		input, _ := c.own(c.testedTool())
		return input
	case c.isTest(in) && at.key == "vars":
		for _, g := range c.graphs() {
			if g.Vars != nil {
				return shape.OfValue(g.Vars).Schema()
			}
		}
	case in.key == "expect" && c.isTest(in.parent) && (at.key == "value" || at.key == "partial"):
		if _, output := c.own(c.testedTool()); output != nil {
			return output
		}
		return c.outputOf(string(config.ExitNode), func(n graph.Node) bool { return n.Type() == config.ExitNode })
	case in.key == "nodes" && in.parent.isExpectation(c):
		return c.outputOf(at.key, func(n graph.Node) bool { return n.ID() == at.key })
	case in.parent != nil && in.parent.key == "calls" && (at.key == "args" || at.key == "partial"):
		if node := in.word("node"); node != "" {
			input, _ := c.mocked(node)
			return input
		}
		input, _ := c.upstream(in.word("server"), in.word("tool"))
		return input
	case at.key == "when" || at.key == "result":
		input, output := c.mocked(c.mockAround(in))
		if at.key == "when" {
			return input
		}
		return output
	}
	return nil
}

func (i *item) isExpectation(c *cursor) bool {
	return i != nil && i.key == "expect" && c.isTest(i.parent)
}

// mockAround is the name of the mock whose rule or answer an item is; "" when it is none.
func (c *cursor) mockAround(of *item) string {
	for at := of; at != nil && at.parent != nil; at = at.parent {
		if list := at.parent; list.kind == mapping && list.key == "mocks" && (list.parent == c.root || c.isTest(list.parent)) {
			return at.key
		}
	}
	return ""
}

// outputOf returns the schema of the output of a node of the tested tool, as far as its graph says.
func (c *cursor) outputOf(name string, is func(graph.Node) bool) []byte {
	for _, g := range c.graphs() {
		f := c.known.flow(c, g)
		if f == nil || name == "" {
			continue
		}
		for _, n := range f.Nodes {
			if is(n.Node) && !n.Output.IsAny() {
				return n.Output.Schema()
			}
		}
	}
	return nil
}

// callName is a name that a node has in tests.
type callName struct {
	name, detail string
	node         graph.Node
}

// namesInTests are the names of the nodes of the tested tools; with calls, of those that make calls or ask.
func (c *cursor) namesInTests(calls bool) (all []callName) {
	for _, g := range c.graphs() {
		for _, of := range g.Reached() {
			add := func(n graph.Node) {
				name := n.ID()
				if of != g {
					name = of.Tool.Name.Value + ":" + name
				}
				if !slices.ContainsFunc(all, func(known callName) bool { return known.name == name }) {
					all = append(all, callName{name, doing(n), n})
				}
			}
			for _, n := range of.Nodes {
				if !calls || n.Type() == config.AskNode {
					add(n)
				}
			}
			for _, n := range of.CallNodes() {
				add(n)
			}
		}
	}
	return all
}

// doing says in short what a node does: its type, and what it calls.
func doing(n graph.Node) string {
	switch n := n.(type) {
	case *graph.MCP:
		return "mcp " + n.Server + "." + n.Tool
	case *graph.SubGraph:
		if n.Graph != nil {
			return "graph " + n.Graph.Tool.Name.Value
		}
	case *graph.Entry, *graph.Parallel, *graph.Ask, *graph.Transform, *graph.Switch, *graph.Steps, *graph.Exit:
	}
	return string(n.Type())
}

// mocked returns the schemas of the call that a mock answers.
func (c *cursor) mocked(name string) (input, output []byte) {
	for _, n := range c.namesInTests(true) {
		if n.name != name {
			continue
		}
		switch n := n.node.(type) {
		case *graph.MCP:
			return c.upstream(n.Server, n.Tool)
		case *graph.SubGraph:
			if n.Graph != nil {
				return c.own(n.Graph.Tool.Name.Value)
			}
		case *graph.Ask:
			if f := n.Form; f != nil {
				return nil, f.JSON()
			}
		case *graph.Entry, *graph.Parallel, *graph.Transform, *graph.Switch, *graph.Steps, *graph.Exit:
		}
		return nil, nil
	}
	server, tool, _ := strings.Cut(name, ".")
	return c.upstream(server, tool)
}

// testNameKeys are the candidates for keys of a test file that are names.
func (c *cursor) testNameKeys() []Candidate {
	var names []Candidate
	in := c.of.parent
	switch key := c.of.key; {
	case key == "mocks" && (in == c.root || c.isTest(in)):
		names = nodeNames(c.namesInTests(true))
		for _, g := range c.graphs() {
			for _, call := range g.Calls() {
				name := call.Server + "." + call.Tool
				if !slices.ContainsFunc(names, func(known Candidate) bool { return known.Label == name }) {
					names = append(names, Candidate{Label: name, Kind: "tool", Detail: "all calls of the tool"})
				}
			}
		}
	case (key == "nodes" || key == "executions") && in.isExpectation(c):
		names = nodeNames(c.namesInTests(false))
	}
	return c.asKeys(names)
}

func nodeNames(all []callName) []Candidate {
	out := make([]Candidate, len(all))
	for i, n := range all {
		out[i] = Candidate{Label: n.name, Kind: "node", Detail: n.detail, Insert: scalarText(n.name)}
	}
	return out
}

// testNames are the candidates for values of a test file that are names.
func (c *cursor) testNames(last string) []Candidate {
	in := c.of.parent
	if in == nil {
		return nil
	}
	isCall := in.parent != nil && in.parent.key == "calls"
	switch {
	case last == "tool" && c.isTest(in):
		return c.testableTools()
	case last == "tool" && isCall:
		var out []Candidate
		for _, s := range c.servers() {
			if of := in.word("server"); of == "" || of == s.Label {
				out = append(out, c.serverTools(s.Label)...)
			}
		}
		return out
	case last == "server" && isCall:
		return c.servers()
	case last == "node" && isCall:
		return nodeNames(c.namesInTests(true))
	case last == "path" && in.parent.isExpectation(c):
		var out []Candidate
		for _, n := range c.namesInTests(false) {
			if !strings.ContainsAny(n.name, ".:") {
				out = append(out, Candidate{Label: n.name, Kind: "node", Detail: n.detail})
			}
		}
		return append(out, Candidate{Label: "...", Kind: "enum", Detail: "any number of nodes", Insert: `"..."`})
	case last == "nothing" && in.parent.isExpectation(c):
		return nodeNames(c.namesInTests(false))
	}
	return nil
}

// testableTools are the tools of the graph file itself.
func (c *cursor) testableTools() []Candidate {
	out := []Candidate{}
	for _, g := range c.known.Graphs {
		if t := g.Tool; t.File == c.known.File {
			out = append(out, Candidate{Label: t.Name.Value, Kind: "tool", Doc: t.Description.Value})
		}
	}
	return out
}
