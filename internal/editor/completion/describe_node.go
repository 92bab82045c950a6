package completion

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
	"toolgraph/internal/authoring/view"
)

// addNode describes a node of the tool at the cursor: what it calls, reads and yields, and where it goes.
func (c *cursor) addNode(d *Description) {
	if c.known.Kind == TestFile {
		return
	}
	if c.tool == nil {
		return
	}
	g := c.graph()
	if g == nil || g.Steps() == nil && g.Node(d.Label) == nil {
		return
	}
	f := c.known.flow(c, g)
	if f == nil {
		return
	}
	if g.Steps() != nil {
		c.addStep(d, g, f)
		return
	}
	n := f.Node(d.Label)
	d.Detail = "output: " + n.Output.String()
	if !n.Output.MayBeNothing() && n.Output.Members() != nil {
		d.Doc = fields(n.Output)
	}
	d.fact("node", doing(n.Node))
	if m, isMCP := n.Node.(*graph.MCP); isMCP {
		d.fact("tool", c.describedTool(m.Server, m.Tool))
	}
	d.fact("reads", strings.Join(c.readsOf(n.Node), ", "))
	d.fact("read by", strings.Join(c.readersOf(g, d.Label), ", "))
	var next []string
	for _, edge := range g.Edges() {
		if edge.From != d.Label {
			continue
		}
		to := edge.To
		if edge.Label != "" {
			to += " (" + edge.Label + ")"
		}
		next = append(next, to)
	}
	d.fact("goes to", strings.Join(next, ", "))
	d.fact("type from", c.typeFrom(d.Label))
	d.Value = &Reading{Tool: g.Tool.Name.Value, Node: d.Label, Expr: "$." + named(d.Label)}
}

// readsOf returns the paths that the expressions of a node read.
func (c *cursor) readsOf(n graph.Node) (paths []string) {
	for _, e := range view.Expressions(n) {
		for _, r := range e.Reads {
			path := view.ReferenceText(r)
			if r.Function == "" && !strings.HasPrefix(path, "$") {
				path = "$." + path
			}
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// readersOf returns the nodes whose expressions read the output of a node.
func (c *cursor) readersOf(g *graph.Graph, id string) (nodes []string) {
	for _, n := range g.Nodes {
		reads := slices.ContainsFunc(view.Expressions(n), func(e view.Expression) bool {
			for _, r := range e.Reads {
				if len(r.Path) > 0 && r.Path[0] == id {
					return true
				}
			}
			return false
		})
		if reads {
			nodes = append(nodes, n.ID())
		}
	}
	return nodes
}

// describedTool returns the description of a tool of a server, in short.
func (c *cursor) describedTool(server, name string) string {
	for _, t := range c.tools(server) {
		if t.Name == name {
			return short(t.Description)
		}
	}
	return ""
}

// typeFrom says where the type of a node's output comes from.
func (c *cursor) typeFrom(id string) string {
	g := c.graph()
	if g == nil {
		return ""
	}
	switch n := g.Node(id).(type) {
	case *graph.Entry:
		return "inputSchema of tool " + g.Tool.Name.Value
	case *graph.MCP:
		return c.schemaFrom(n.Server, n.Tool)
	case *graph.SubGraph:
		if n.Graph == nil {
			return ""
		}
		name := n.Graph.Tool.Name.Value
		if n.Graph.Tool.OutputSchema != nil {
			return "outputSchema of tool " + name
		}
		return "the graph of tool " + name
	case *graph.Ask:
		return "schema of the question"
	case *graph.Transform:
		return "its expression"
	case *graph.Parallel, *graph.Switch, *graph.Steps, *graph.Exit:
	}
	return ""
}

// schemaFrom says where the type of the value of a call comes from.
func (c *cursor) schemaFrom(server, tool string) string {
	if c.known.Upstreams == nil {
		return ""
	}
	t, known := c.known.Upstreams.Tool(server, tool)
	switch {
	case !known:
		return "nowhere: the tool is not locked; run toolgraph lock"
	case len(t.OutputSchema) == 0:
		return fmt.Sprintf("nowhere: %s.%s declares no outputSchema; toolgraph lock --learn infers one from recorded runs", server, tool)
	}
	from := ""
	if t.From != "" {
		from = ", " + t.From
	}
	if t.Learned {
		return fmt.Sprintf("recorded calls of %s.%s%s", server, tool, from)
	}
	return fmt.Sprintf("outputSchema of %s.%s%s", server, tool, from)
}

// addTool describes a tool by its schemas.
func (c *cursor) addTool(d *Description) {
	server, name, qualified := strings.Cut(d.Label, ".")
	if c.node == nil && qualified {
		c.addUpstream(d, server, name)
		return
	}
	if c.node != nil && c.node.word("type") == string(config.MCPNode) {
		c.addUpstream(d, c.node.word("server"), d.Label)
		return
	}
	if c.known.Kind == TestFile && d.Detail != "" { // a tool of a server, which is its detail
		c.addUpstream(d, d.Detail, d.Label)
		return
	}
	c.addOwnTool(d)
}

func (c *cursor) addUpstream(d *Description, server, name string) {
	input, output := c.upstream(server, name)
	d.Doc = short(d.Doc)
	d.fact("arguments", fieldsOfSchema(input))
	d.fact("returns", shapeText(output))
	if c.known.Upstreams != nil {
		t, known := c.known.Upstreams.Tool(server, name)
		if effect := t.Effect(); known && effect != "" {
			d.fact("effect", string(effect))
		}
	}
	d.fact("type from", c.schemaFrom(server, name))
}

// addOwnTool describes a tool of the file.
func (c *cursor) addOwnTool(d *Description) {
	input, output := c.own(d.Label)
	d.Doc = short(d.Doc)
	d.fact("arguments", fieldsOfSchema(input))
	if output != nil {
		d.fact("returns", shapeText(output))
		return
	}
	for _, g := range c.known.Graphs {
		if f := c.flowOf(g, d.Label); f != nil {
			d.fact("returns", f.String())
		}
	}
}

// flowOf returns the shape of what reaches the exit of a tool's graph.
func (c *cursor) flowOf(g *graph.Graph, tool string) *shape.Shape {
	if g.Tool.Name.Value != tool {
		return nil
	}
	if f := c.known.flow(c, g); f != nil {
		for _, n := range f.Nodes {
			if n.Node.Type() == config.ExitNode && !n.Output.IsAny() {
				return &n.Output
			}
		}
	}
	return nil
}

func shapeText(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	return shape.OfSchema(raw).String()
}

// fieldsOfSchema lists the properties of a schema: name: type, the optional ones with a ?.
func fieldsOfSchema(raw []byte) string {
	s := decoded(raw)
	if s == nil {
		return ""
	}
	required, _ := s["required"].([]any)
	properties := schemaOf(s["properties"])
	var words []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		part := schemaOf(properties[name])
		typ := valuesOf(part)
		if typ == "" {
			typ = typeOf(part)
		}
		if typ == "" {
			typ = "any"
		}
		if !slices.Contains(required, any(name)) {
			name += "?"
		}
		words = append(words, name+": "+typ)
	}
	if len(words) > mostFields {
		words = append(words[:mostFields], "…")
	}
	return strings.Join(words, ", ")
}

// valuesOf lists the values that a schema allows, or their range; "" when it says nothing.
func valuesOf(s schema) string {
	var words []string
	options, _ := s["enum"].([]any)
	for _, v := range options {
		words = append(words, jsonText(v))
	}
	if len(words) > mostFields {
		words = append(words[:mostFields], "…")
	}
	low, high := jsonText(s["minimum"]), jsonText(s["maximum"])
	switch {
	case len(words) > 0:
		return strings.Join(words, " or ")
	case low != "" && high != "":
		return low + " to " + high
	case low != "":
		return "at least " + low
	case high != "":
		return "at most " + high
	}
	return ""
}

// jsonText returns a value as JSON, in short; "" for none.
func jsonText(v any) string {
	if v == nil {
		return ""
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return short(string(raw))
}
