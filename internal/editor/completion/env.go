package completion

import (
	"maps"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
	"toolgraph/graph/flow"
	"toolgraph/internal/base/wording"
)

// flow is what is known of the tool's runs, or nil.
func (k *Known) flow(c *cursor, g *graph.Graph) *flow.Flow {
	own := k.inferred()
	own.mu.Lock()
	defer own.mu.Unlock()
	name := g.Tool.Name.Value
	if f := own.flows[name]; f != nil {
		return f
	}
	f, err := flow.Of(c.ctx, g, k.Upstreams)
	if err != nil {
		return nil
	}
	if own.flows == nil {
		own.flows = map[string]*flow.Flow{}
	}
	own.flows[name] = f
	return f
}

// flowNode returns the node around the cursor in the last valid version, or the parallel node whose branch
// it is; nil when that has none.
func (c *cursor) flowNode() *flow.Node {
	if c.tool == nil || c.node == nil {
		return nil
	}
	g := c.graph()
	if g == nil {
		return nil
	}
	f := c.known.flow(c, g)
	if f == nil {
		return nil
	}
	if c.isStep() {
		return c.stepFlow(f)
	}
	if n := f.Node(c.node.word("id")); n != nil {
		return n
	}
	return f.Node(branchOwner(c.node))
}

// branchOwner is the id of the parallel node that a branch is of, or "".
func branchOwner(branch *item) string {
	if branches := branch.parent; branches != nil && branches.kind == mapping && branches.key == "branches" {
		return branches.parent.word("id")
	}
	return ""
}

// envOf is what an expression reads: in the body of a rule's iteration, the element of the list.
func (c *cursor) envOf(s source) (env shape.Env, isElement bool) {
	if s.rule {
		return c.ruleEnv(s, c.of)
	}
	return c.env(s), false
}

// env is what an expression of the node reads: as the last valid version knows the node, and for a node
// that it does not have the outputs of all others. Variables that the text has and that version has not are
// inferred from the text.
func (c *cursor) env(s source) shape.Env {
	env := shape.Env{Context: map[string]shape.Binding{}, Open: true, Variables: map[string]shape.Shape{}}
	var f *flow.Flow
	if c.tool != nil {
		if g := c.graph(); g != nil {
			f = c.known.flow(c, g)
		}
	}
	if f == nil {
		return env
	}
	n := c.flowNode()
	if n == nil {
		if f.Graph.Vars != nil {
			env.Variables[expressions.VarVars] = shape.OfValue(f.Graph.Vars)
		}
		read := c.readable()
		for _, other := range f.Nodes {
			if read != nil && !slices.Contains(read, other.Node.ID()) {
				continue
			}
			env.Context[other.Node.ID()] = shape.Binding{Shape: other.Output, Presence: shape.Maybe}
		}
	} else {
		env.Context, env.Previous = n.Before, n.Previous
		maps.Copy(env.Variables, n.Variables[c.placeKey(s)])
	}
	for _, name := range c.bound(s) {
		if _, known := env.Variables[name]; !known {
			env.Variables[name] = c.variable(name, env)
		}
	}
	return env
}

// placeKey is the key of an expression's place in flow.Node.Variables.
func (c *cursor) placeKey(s source) string {
	if c.isStep() {
		return stepKey(s.keys)
	}
	key := s.keys[0]
	if len(s.keys) > 1 && slices.Contains([]string{"forEach", "retry", "onError", "transform"}, key) {
		key += "." + s.keys[1]
	}
	if branchOwner(c.node) != "" {
		key = c.node.key + "." + key
	}
	return key
}

// bound are the variables that the language binds at the place of an expression, but the constants.
func (c *cursor) bound(s source) []string {
	if c.isStep() {
		return c.stepVariables(s)
	}
	var names []string
	last := s.keys[len(s.keys)-1]
	switch s.keys[0] {
	case "args", "retry", "onError":
		if c.node.get("forEach") != nil && last != "until" {
			names = append(names, expressions.VarItem, expressions.VarIndex)
		}
	}
	switch {
	case last == "until":
		return append(names, expressions.VarResult)
	case s.keys[0] == "retry", s.keys[0] == "onError":
		return append(names, expressions.VarFailure, expressions.VarAttempt)
	}
	return names
}

// failure is the shape of $failure where nothing better is known.
var failure = shape.Object([]shape.Field{
	{Name: "code", Shape: shape.String()},
	{Name: "message", Shape: shape.String()},
	{Name: "node", Shape: shape.String()},
	{Name: "server", Shape: shape.String(), Optional: true},
	{Name: "tool", Shape: shape.String(), Optional: true},
	{Name: "attempts", Shape: shape.Integer(), Optional: true},
	{Name: "result", Shape: shape.Value(), Optional: true},
}, false)

// variable infers a variable from the text of the node.
func (c *cursor) variable(name string, env shape.Env) shape.Shape {
	switch name {
	case expressions.VarIndex, expressions.VarAttempt:
		return shape.Integer()
	case expressions.VarFailure:
		return failure
	case expressions.VarResult:
		if _, output := c.schemasOf(c.node); output != nil {
			return shape.OfSchema(output)
		}
	case expressions.VarItem:
		e, err := jsonata.Compile(c.ctx, c.node.get("forEach").word("items"))
		if err == nil {
			list, _ := shape.Infer(c.ctx, e, env)
			return list.Each()
		}
	}
	return shape.Value()
}

// schemasOf returns the schemas of the tool that a node calls: of its arguments, and of its value; nil where
// they are unknown.
func (c *cursor) schemasOf(node *item) (input, output []byte) {
	if call := node.word("call"); call != "" {
		return c.called(call)
	}
	switch name := node.word("tool"); node.word("type") {
	case string(config.MCPNode):
		return c.upstream(node.word("server"), name)
	case string(config.GraphNode):
		return c.own(name)
	}
	return nil, nil
}

// upstream returns the schemas of a tool of a server.
func (c *cursor) upstream(server, name string) (input, output []byte) {
	if c.known.Upstreams != nil {
		if t, known := c.known.Upstreams.Tool(server, name); known {
			input, output = t.InputSchema, t.OutputSchema
		}
	}
	for _, t := range c.tools(server) {
		if t.Name == name && len(input) == 0 {
			input = t.Input
		}
	}
	return input, output
}

// own returns the schemas of a tool of the file or its imports. A tool without outputSchema has that of what
// reaches its exit.
func (c *cursor) own(name string) (input, output []byte) {
	if c.known.File == nil {
		return nil, nil
	}
	for _, t := range c.known.File.Tools {
		if t.Name.Value != name {
			continue
		}
		if t.InputSchema != nil {
			input = t.InputSchema.JSON()
		}
		if t.OutputSchema != nil {
			output = t.OutputSchema.JSON()
		}
	}
	return input, output
}

// local finds the variables that an expression binds.
var local = wording.Pattern(`\$([A-Za-z_]\w*)\s*(?::=|[,)]\s*[^)]*\{|[,)]\s*\{)|[@#]\$([A-Za-z_]\w*)`)

// whatVariable describes the variables of the language.
var whatVariable = map[string]string{
	expressions.VarItem:    "The item of forEach that this call is for.",
	expressions.VarIndex:   "The place of the item in the list of forEach, from 0.",
	expressions.VarFailure: "The failure: code, message, node, and where they apply server, tool, attempts and result.",
	expressions.VarAttempt: "How many attempts of the call were made.",
	expressions.VarResult:  "The value of this attempt's call.",
	expressions.VarVars:    "The constants of the graph file (vars).",
}

// variables are the functions and variables that an expression at this place can read.
func (c *cursor) variables(s source) []Candidate {
	var out []Candidate
	seen := map[string]bool{}
	add := func(name string, candidate Candidate) {
		if name != "" && !seen[name] {
			seen[name] = true
			candidate.Label = "$" + name
			out = append(out, candidate)
		}
	}
	for _, found := range local().FindAllStringSubmatch(s.before, -1) {
		add(found[1]+found[2], Candidate{Kind: "variable", Detail: "of this expression", Rank: 1})
	}
	env, isElement := c.envOf(s)
	for _, name := range c.bound(s) {
		add(name, Candidate{Kind: "variable", Detail: env.Variables[name].String(), Doc: whatVariable[name], Rank: 1})
	}
	if isElement {
		add(jsonata.RuleContext, Candidate{Kind: "variable", Detail: "the context of the run", Doc: "The context of the run, inside the body of map, filter and the like.", Rank: 1})
	}
	if vars, known := env.Variables[expressions.VarVars]; known || c.root.get("vars") != nil {
		add(expressions.VarVars, Candidate{Kind: "variable", Detail: vars.String(), Doc: whatVariable[expressions.VarVars]})
	}
	for _, name := range jsonata.Functions() {
		if !c.isStep() || !jsonata.IsHistoryFunction(name) {
			add(name, c.function(name))
		}
	}
	return out
}

// function is the candidate of a function of the library.
func (c *cursor) function(name string) Candidate {
	f := library()[name]
	switch {
	case strings.HasPrefix(c.src[c.offset:], "("):
		f.Insert, f.Snippet = "", ""
	case functions()[name].params == "":
		f.Insert, f.Snippet = "$"+name+"()", ""
	}
	return f
}
