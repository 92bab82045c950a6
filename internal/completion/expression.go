package completion

import (
	"regexp"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
	"toolgraph/graph/flow"
)

// source is an expression up to the cursor.
type source struct {
	before string
	keys   []string // the path of the expression in its node
	body   bool     // of a rule: it may be read from an element of a list
}

// expression returns the expression that the cursor is in.
func (c *cursor) expression() (source, bool) {
	path := c.path(c.node)
	if c.inKey || len(path) == 0 {
		return source{}, false
	}
	s := source{before: c.before, keys: path}
	last := path[len(path)-1]
	if last == "" && len(path) > 1 && c.of.parent.items[0] == c.of { // the path of {"var": [path, default]}
		last = path[len(path)-2]
	}
	switch {
	case c.inRule(path):
		s.body = slices.ContainsFunc(path, func(key string) bool {
			return slices.Contains([]string{"map", "filter", "reduce", "all", "some", "none"}, key)
		})
		return s, last == "var"
	case last == "expr", last == "items" && path[0] == "forEach", path[0] == "retry" && (last == "when" || last == "until"):
		return s, true
	}
	return s, false
}

// historyArgument is the beginning of the id that a history function is asked for.
var historyArgument = regexp.MustCompile("\\$(?:executionCount|nodeExecutions?)\\(\\s*[\"']([^\"'`]*)$")

// local finds the variables that an expression binds.
var local = regexp.MustCompile(`\$([A-Za-z_]\w*)\s*(?::=|[,)]\s*[^)]*\{|[,)]\s*\{)|[@#]\$([A-Za-z_]\w*)`)

func (c *cursor) inExpression(s source) []Candidate {
	if in := historyArgument.FindStringSubmatch(s.before); in != nil {
		c.prefix = in[1]
		return c.nodes(func(string) bool { return true })
	}
	closing, open := closers(s.before)
	if !open {
		return nil // in a string or a comment
	}
	c.prefix = wordAtEnd(s.before, "_$")
	head := strings.TrimSuffix(s.before, c.prefix)
	if strings.HasPrefix(c.prefix, "$") {
		return c.variables(s)
	}
	behindDot := strings.HasSuffix(strings.TrimRight(head, " \n"), ".")
	var out []Candidate
	of, known := c.probe(s, head+shape.Probed+closing)
	if known {
		for _, f := range of.Members() {
			out = append(out, field(f))
		}
	}
	if !behindDot {
		if !s.body {
			out = c.addNodes(out)
		}
		out = append(out, c.variables(s)...)
	}
	return out
}

// addNodes adds the nodes that the last valid version does not have.
func (c *cursor) addNodes(out []Candidate) []Candidate {
	has := map[string]bool{}
	for _, f := range out {
		has[f.Label] = true
	}
	var g *graph.Graph
	if c.tool != nil {
		g = c.graph()
	}
	for _, n := range c.nodes(func(kind string) bool { return kind != string(config.ExitNode) }) {
		if !has[n.Label] && (g == nil || g.Node(n.Label) == nil) {
			n.Insert = named(n.Label)
			out = append(out, n)
		}
	}
	return out
}

func field(f shape.Field) Candidate {
	c := Candidate{Label: f.Name, Kind: "field", Detail: f.Shape.String(), Insert: named(f.Name), Rank: 1}
	if f.Optional {
		c.Detail += ", may be missing"
	}
	return c
}

// name is a field that JSONata reads without quotes.
var name = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func named(field string) string {
	if name.MatchString(field) && field != "and" && field != "or" && field != "in" {
		return field
	}
	return "`" + field + "`"
}

// graph is the last valid version of the tool around the cursor, or nil.
func (c *cursor) graph() *graph.Graph {
	i := slices.IndexFunc(c.known.Graphs, func(g *graph.Graph) bool { return g.Tool.Name.Value == c.tool.word("name") })
	if i < 0 {
		return nil
	}
	return c.known.Graphs[i]
}

// flow is what is known of the tool's runs, or nil.
func (k *Known) flow(c *cursor, g *graph.Graph) *flow.Flow {
	k.mu.Lock()
	defer k.mu.Unlock()
	name := g.Tool.Name.Value
	if f := k.flows[name]; f != nil {
		return f
	}
	f, err := flow.Of(c.ctx, g, k.Upstreams)
	if err != nil {
		return nil
	}
	if k.flows == nil {
		k.flows = map[string]*flow.Flow{}
	}
	k.flows[name] = f
	return f
}

// env is what an expression of the node reads: as the last valid version knows the node, and for a node
// that it does not have the outputs of all others.
func (c *cursor) env(s source) shape.Env {
	env := shape.Env{Context: map[string]shape.Binding{}, Open: true, Variables: map[string]shape.Shape{}}
	if c.tool == nil {
		return env
	}
	g := c.graph()
	if g == nil {
		return env
	}
	if g.Vars != nil {
		env.Variables[expressions.VarVars] = shape.OfValue(g.Vars)
	}
	f := c.known.flow(c, g)
	if f == nil {
		return env
	}
	n := f.Node(c.node.word("id"))
	if n == nil {
		n = f.Node(branchOwner(c.node))
	}
	if n == nil {
		for _, other := range f.Nodes {
			env.Context[other.Node.ID()] = shape.Binding{Shape: other.Output, Presence: shape.Maybe}
		}
		return env
	}
	env.Context, env.Previous = n.Before, n.Previous
	if call := graph.CallingOf(n.Node); call != nil && call.ForEach != nil && s.keys[0] != "forEach" {
		list, _ := shape.Infer(c.ctx, call.ForEach.Items.Expression, env)
		env.Variables[expressions.VarItem] = list.Items()
		env.Variables[expressions.VarIndex] = shape.Integer()
	}
	return env
}

// branchOwner is the id of the parallel node that a branch is of, or "".
func branchOwner(branch *item) string {
	if branches := branch.parent; branches.kind == mapping && branches.key == "branches" {
		return branches.parent.word("id")
	}
	return ""
}

// probe infers the value whose field is read at the cursor.
func (c *cursor) probe(s source, text string) (shape.Shape, bool) {
	compile := jsonata.Compile
	if s.body {
		return shape.Any(), false
	}
	e, err := compile(c.ctx, text)
	if err != nil {
		return shape.Any(), false
	}
	return shape.Probe(c.ctx, e, c.env(s))
}

// variables are the functions and variables that an expression at this place can read.
func (c *cursor) variables(s source) []Candidate {
	var out []Candidate
	seen := map[string]bool{}
	add := func(name, kind, detail string, rank int) {
		if name != "" && !seen[name] {
			seen[name] = true
			insert := "$" + name
			if kind == "function" {
				insert += "("
			}
			out = append(out, Candidate{Label: "$" + name, Kind: kind, Detail: detail, Insert: insert, Rank: rank})
		}
	}
	for _, found := range local.FindAllStringSubmatch(s.before, -1) {
		add(found[1]+found[2], "variable", "of this expression", 1)
	}
	env := c.env(s)
	of := func(name string) string {
		if known, has := env.Variables[name]; has {
			return known.String()
		}
		return ""
	}
	inCall := s.keys[0] == "args" || s.keys[0] == "retry" || s.keys[0] == "onError"
	if c.node.get("forEach") != nil && inCall {
		add(expressions.VarItem, "variable", of(expressions.VarItem), 1)
		add(expressions.VarIndex, "variable", "number", 1)
	}
	if s.keys[0] == "retry" || s.keys[0] == "onError" {
		add(expressions.VarFailure, "variable", "the failure", 1)
		add(expressions.VarAttempt, "variable", "number", 1)
	}
	if s.keys[0] == "retry" && s.keys[len(s.keys)-1] == "until" {
		add(expressions.VarResult, "variable", "the value of the call", 1)
	}
	if c.root.get("vars") != nil {
		add(expressions.VarVars, "variable", of(expressions.VarVars), 0)
	}
	for _, name := range jsonata.Functions() {
		add(name, "function", strings.TrimPrefix(signatureOf(name), "$"+name), -1)
		if last := &out[len(out)-1]; last.Label == "$"+name {
			last.Doc = docOf(name)
		}
	}
	return out
}

// closers returns the brackets that close an expression, and whether it ends outside of strings and
// comments.
func closers(text string) (closing string, open bool) {
	var stack []byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '(', '[', '{':
			stack = append(stack, map[byte]byte{'(': ')', '[': ']', '{': '}'}[c])
		case ')', ']', '}':
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		case '"', '\'', '`':
			end := i + 1
			for end < len(text) && text[end] != c {
				if text[end] == '\\' && c != '`' {
					end++
				}
				end++
			}
			if end >= len(text) {
				return "", false
			}
			i = end
		case '/':
			switch before := strings.TrimRight(text[:i], " \n"); {
			case strings.HasPrefix(text[i:], "/*"):
				end := strings.Index(text[i+2:], "*/")
				if end < 0 {
					return "", false
				}
				i += end + 3
			case before == "" || strings.IndexByte("(,[{:=~>", before[len(before)-1]) >= 0: // a pattern
				end := i + 1
				for end < len(text) && text[end] != '/' {
					if text[end] == '\\' {
						end++
					}
					end++
				}
				if end >= len(text) {
					return "", false
				}
				i = end
			}
		}
	}
	slices.Reverse(stack)
	return string(stack), true
}
