package graph

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/expressions/schema"
	"toolgraph/internal/base/wording"
)

// Option is an option of Build.
type Option func(*options)

type options struct{ caps Caps }

// WithCaps replaces DefaultCaps.
func WithCaps(caps Caps) Option {
	return func(o *options) { o.caps = caps }
}

// Build checks and compiles every tool of a file. The graphs are in file order. The diagnostics are
// all findings of all tools, sorted. Beside one that is an error, the graphs are those of the tools
// that compile, and call only such tools: they can be checked, and must not be run. The error is
// the cause of ctx's end; the other results are nil then. ctx is checked at each node and
// expression. Safe for concurrent use. The graphs refer to the file: it must not change.
func Build(ctx context.Context, f *config.File, opts ...Option) ([]*Graph, config.Diagnostics, error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	caps := o.caps.effective()
	var found config.Diagnostics
	checkTools(f, caps, &found)
	graphs := make([]*Graph, 0, len(f.Tools))
	names, binds, allow, vars, distrusted := namesOf(f), bindsVariables(f), allowsOf(f), constantsOf(f), distrustedOf(f)
	for _, tool := range f.Tools {
		c := newCompiler(f, tool, caps)
		c.names, c.binds, c.allow, c.constants, c.distrusted = names, binds, allow[c.source], vars[c.source], distrusted[c.source]
		graphs = append(graphs, c.compile(ctx))
		found = append(found, c.found...)
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
	}
	linkGraphs(graphs)
	checkHidden(f, &found)
	checkPrompts(f, &found)
	checkRecursion(graphs, &found)
	checkAllow(f, graphs, &found)
	checkEffects(graphs, &found)
	checkFlows(graphs, &found)
	checkResults(f, &found)
	checkSizes(f, &found)
	checkUnusedVars(vars, &found)
	found.Sort()
	if found.Err() != nil {
		return whole(graphs), found, nil
	}
	setHashes(graphs)
	return graphs, found, nil
}

// compiler turns one tool into a Graph. It continues after a finding, so that one pass reports
// all of them.
type compiler struct {
	file   *config.File
	source *config.File // that defines the tool: file, or one of its imports
	tool   *config.Tool
	caps   Caps
	found  config.Diagnostics

	ids       []string       // in file order
	byID      map[string]int // index in tool.Nodes
	names     *names
	binds     bool       // see bindsVariables
	allow     []*Allow   // of the file, then of the imports that lead to source
	constants *constants // of source; nil when it has none

	distrusted bool            // effects in source do not count
	varsRead   map[string]bool // of them
	nodes      []Node          // nodes[i] is made of tool.Nodes[i]
	loose      []bool          // loose[i]: a way out of nodes[i] has no target, and that is reported
	block      *block          // the innermost, while the expressions of a step are compiled
	toExit     bool            // a switch goes to the exit, and that is reported
	written    []written       // the expressions

	like       *Graph     // has the schemas of the tool; nil: they are compiled
	references References // texts of args hold placeholders, and rules are paths; nil: they do not

	compared int // nodes looked at for "did you mean"
}

func newCompiler(f *config.File, tool *config.Tool, caps Caps) *compiler {
	c := &compiler{
		file: f, source: sourceOf(f, tool), tool: tool, caps: caps,
		ids:      make([]string, 0, len(tool.Nodes)),
		byID:     make(map[string]int, len(tool.Nodes)),
		nodes:    make([]Node, len(tool.Nodes)),
		varsRead: map[string]bool{},
		loose:    make([]bool, len(tool.Nodes)),
	}
	for i, n := range tool.Nodes {
		if _, twice := c.byID[n.ID.Value]; !twice {
			c.byID[n.ID.Value] = i
			c.ids = append(c.ids, n.ID.Value)
		}
	}
	return c
}

// compile returns the tool's Graph, or nil when a finding is an error or ctx has ended.
func (c *compiler) compile(ctx context.Context) *Graph {
	c.checkTool()
	limits := c.file.Limits.Own(c.tool.Limits)
	if c.source != c.file {
		limits = c.file.Limits.Narrowed(c.tool.Limits)
	}
	at := map[string]config.Pos{}
	maps.Copy(at, c.file.LimitsAt)
	maps.Copy(at, c.tool.LimitsAt)
	g := &Graph{Tool: c.tool, Limits: limits, LimitsAt: at, Allow: slices.Concat(c.allow, allowOf(c.tool.Allow)), Secrets: c.file.Secrets, byID: make(map[string]Node, len(c.nodes))}
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
		for _, t := range targets(node) {
			b.successors = append(b.successors, t.ID())
		}
		if _, twice := g.byID[b.id]; !twice {
			g.byID[b.id] = node
		}
	}
	if c.constants != nil {
		g.Vars, g.bound, g.varPrefix = c.constants.values, c.constants.bound, c.source.Prefix
		g.unsure = unsureVars(c.source)
		g.varsRead = slices.Sorted(maps.Keys(c.varsRead))
	}
	g.Nodes = c.nodes
	g.Input, g.Output = c.compileSchemas(ctx)
	g.Suggested = c.compileSuggested(ctx)
	g.Entry = c.checkShape()
	if c.found.Err() != nil {
		return nil
	}
	return g
}

// newNode compiles the node itself; link resolves its ways out.
func (c *compiler) newNode(ctx context.Context, i int, n *config.Node) Node {
	b := base{id: n.ID.Value, pos: n.Pos, index: i}
	//exhaustive:enforce
	switch n.Type {
	case config.EntryNode:
		return &Entry{step{base: b}}
	case config.MCPNode:
		return c.newMCP(ctx, b, n)
	case config.GraphNode:
		return c.newSubGraph(ctx, b, n)
	case config.ParallelNode:
		return c.newParallel(ctx, b, n)
	case config.AskNode:
		return c.newAsk(ctx, b, n)
	case config.TransformNode:
		t := &Transform{step: step{base: b}, OnError: c.compileOnError(ctx, b.id, n)}
		if n.Expr.Value != "" {
			t.Expr = c.compileExpr(ctx, n.Expr, nil)
			return t
		}
		c.found.Add(orPos(n.Expr.Pos, n.Pos), "missing-expr", fmt.Sprintf("node %q has no expression, expected the JSONata of its output", b.id),
			"add transform: {expr: …}").Fixed(config.AddKey(n.Pos, "transform", "{expr: $}", "id", ""))
		return t
	case config.SwitchNode:
		return &Switch{base: b}
	case config.StepsNode:
		return c.newSteps(ctx, b, n)
	case config.ExitNode:
		return &Exit{base: b}
	}
	near := wording.Nearest(string(n.Type), config.NodeTypes)
	c.found.Add(n.Pos, "unknown-node-type", fmt.Sprintf("node %q has type %q, expected %s", b.id, n.Type, wording.Or(config.NodeTypes)),
		wording.Meant(near)).Fixed(typeFix(n.Pos, near))
	c.loose[i] = true
	return &Exit{base: b}
}

// typeFix replaces the type of a node by the one that was meant; none for "".
func typeFix(at config.Pos, meant string) config.Fix {
	if meant == "" {
		return config.Fix{}
	}
	return config.SetKey(at, "type", meant).Titled("Replace it with " + meant)
}

// looksLikeExpression reports whether a name is meant as a JSONata path.
func looksLikeExpression(name string) bool { return name != "" && name[0] == '$' }

func orPos(pos, otherwise config.Pos) config.Pos {
	if pos.IsValid() {
		return pos
	}
	return otherwise
}

// maxToolName is the length that the Model Context Protocol allows for a tool's name.
const maxToolName = 128

// checkTool checks the fields of a tool, and the number of its nodes.
func (c *compiler) checkTool() {
	c.checkName()
	c.checkInputSchema()
	checkCap(&c.found, "too-many-nodes", fmt.Sprintf("tool %q", shorten(c.tool.Name.Value)), "nodes", "split it into several tools",
		len(c.tool.Nodes), c.caps.NodesPerTool, func(i int) config.Pos { return c.tool.Nodes[i].Pos })
}

func (c *compiler) checkName() {
	name := c.local(c.tool.Name.Value)
	pos := orPos(c.tool.Name.Pos, c.tool.Pos)
	const expected = "expected 1 to 128 letters, digits, _, - or ."
	switch n := utf8.RuneCountInString(name); {
	case name == "":
		c.found.Add(pos, "bad-tool-name", "the tool has no name, "+expected, "add name: NAME").Fixed(config.AddKey(c.tool.Pos, "name", "tools", ""))
	case n > maxToolName:
		c.found.Add(pos, "bad-tool-name", fmt.Sprintf("the tool's name %q is %d characters long, %s", shorten(name), n, expected), "shorten it")
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == utf8.RuneError }):
		c.found.Add(pos, "bad-tool-name", fmt.Sprintf("tool name %q has spaces or control characters, %s", name, expected), "write _ instead").Over(c.tool.Name).Fixed(config.PlainName(c.tool.Name))
	case strings.ContainsFunc(name, func(r rune) bool { return !isToolNameRune(r) }):
		c.found.Warn(pos, "odd-tool-name", fmt.Sprintf("tool name %q has characters that some clients refuse, %s", name, expected), "write _ instead").Over(c.tool.Name).Fixed(config.PlainName(c.tool.Name))
	}
}

func isToolNameRune(r rune) bool {
	return r == '_' || r == '-' || r == '.' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// compileSchemas compiles the schemas of the arguments and of the result; the second is nil when
// the tool has no outputSchema.
func (c *compiler) compileSchemas(ctx context.Context) (input, output *schema.Schema) {
	if c.like != nil {
		return c.like.Input, c.like.Output
	}
	input = schema.Input(ctx, c.tool.InputSchema, &c.found)
	if c.tool.OutputSchema != nil {
		output = schema.Output(ctx, c.tool.OutputSchema, &c.found)
	}
	return input, output
}

// checkInputSchema checks that the schema has a type, which the Model Context Protocol requires.
func (c *compiler) checkInputSchema() {
	source := c.tool.InputSchema
	if source != nil && source.Kind == config.KindObject && source.Get("type") == nil {
		c.found.Add(source.Pos, "input-schema-type", "inputSchema has no type, expected object", "write type: object").Fixed(addType(source.Pos, "object"))
	}
}

// addType adds the type of a schema.
func addType(at config.Pos, of string) config.Fix {
	return config.AddKey(at, "type", of, "").Titled("Write type: " + of)
}

// Caps bound the size of a graph file's parts. Zero means the default; a value above the highest
// allowed one means the highest.
type Caps struct {
	Tools               int // in a file: default 200, at most 1,000
	NodesPerTool        int // default 500, at most 5,000
	ConditionsPerSwitch int // default 100, at most 1,000
}

// DefaultCaps are the caps of Build without WithCaps.
var DefaultCaps = Caps{Tools: 200, NodesPerTool: 500, ConditionsPerSwitch: 100}

var highestCaps = Caps{Tools: 1000, NodesPerTool: 5000, ConditionsPerSwitch: 1000}

func (c Caps) effective() Caps {
	return Caps{
		Tools:               effectiveCap(c.Tools, DefaultCaps.Tools, highestCaps.Tools),
		NodesPerTool:        effectiveCap(c.NodesPerTool, DefaultCaps.NodesPerTool, highestCaps.NodesPerTool),
		ConditionsPerSwitch: effectiveCap(c.ConditionsPerSwitch, DefaultCaps.ConditionsPerSwitch, highestCaps.ConditionsPerSwitch),
	}
}

func effectiveCap(wanted, normal, highest int) int {
	if wanted <= 0 {
		return normal
	}
	return min(wanted, highest)
}

// checkCap reports more than limit things as an error, and more than 80 % of it as a warning.
// pos returns the place of the i-th thing.
func checkCap(found *config.Diagnostics, code, owner, things, remedy string, n, limit int, pos func(i int) config.Pos) {
	switch {
	case n > limit:
		found.Add(pos(limit), code, fmt.Sprintf("%s has %d %s, at most %d are allowed", owner, n, things, limit), remedy)
	case n > limit*4/5:
		found.Warn(pos(n-1), code, fmt.Sprintf("%s has %d %s, close to the limit of %d", owner, n, things, limit), remedy)
	}
}

// suggest returns a hint for an unknown word: the nearest known one, which is near, or all of them after intro
// when they are few.
func suggest(word string, known []string, intro string) (hint, near string) {
	if near = wording.Nearest(word, known); near != "" {
		return wording.Meant(near), near
	}
	const few = 8
	if len(known) == 0 || len(known) > few {
		return "", ""
	}
	return intro + strings.Join(known, ", "), ""
}

// suggest is suggest for the tool's nodes. It returns "" once too many nodes have been compared:
// each of 5,000 nodes may name an unknown one.
func (c *compiler) suggest(word string, known func() []string, intro string) (hint, near string) {
	const most = 100_000
	if c.compared += len(c.ids); c.compared > most {
		return "", ""
	}
	return suggest(word, known(), intro)
}
