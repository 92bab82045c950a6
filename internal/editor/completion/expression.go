package completion

import (
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// source is an expression up to the cursor.
type source struct {
	before string
	keys   []string // the path of the expression in its node
	rule   bool     // it is the var of a rule
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
	case c.isStep():
		return s, stepExpression(path)
	case c.inRule(path):
		s.rule = true
		return s, last == "var"
	case last == "expr", last == "items" && path[0] == "forEach", path[0] == "retry" && (last == "when" || last == "until"):
		return s, true
	}
	return s, false
}

// historyArgument is the beginning of the id that a history function is asked for.
var historyArgument = wording.Pattern("\\$(?:executionCount|nodeExecutions?)\\(\\s*[\"']([^\"'`]*)$")

// compared is a path, and the beginning of a string that it is compared with.
var compared = wording.Pattern("((?:[\\w$.]|`[^`]*`)+)\\s*!?=\\s*[\"']([^\"'`]*)$")

func (c *cursor) inExpression(s source) []Candidate {
	if in := historyArgument().FindStringSubmatch(s.before); in != nil {
		c.prefix = in[1]
		return c.nodes(func(string) bool { return true })
	}
	closing, open := closers(s.before)
	if !open {
		return c.inString(s)
	}
	c.prefix = wordAtEnd(s.before, "_$")
	head := strings.TrimSuffix(s.before, c.prefix)
	if strings.HasPrefix(c.prefix, "$") {
		return c.variables(s)
	}
	behindDot := strings.HasSuffix(strings.TrimRight(head, " \n"), ".")
	env, isElement := c.envOf(s)
	var out []Candidate
	of, known := c.probe(env, head+shape.Probed+closing)
	if known {
		for _, f := range of.Members() {
			out = append(out, field(f))
		}
	}
	if !behindDot {
		if c.isStep() {
			out = c.addSteps(out)
		} else if !isElement {
			out = c.addNodes(out)
		}
		out = append(out, c.variables(s)...)
	}
	return out
}

// inString returns the strings that a value can be which is compared with the string at the cursor.
func (c *cursor) inString(s source) []Candidate {
	in := compared().FindStringSubmatchIndex(s.before)
	if in == nil {
		return nil
	}
	head := s.before[:in[3]]
	closing, open := closers(head)
	if !open {
		return nil
	}
	env, _ := c.envOf(s)
	of, _ := c.probe(env, head+"."+shape.Probed+closing)
	c.prefix = s.before[in[4]:in[5]]
	var out []Candidate
	for _, word := range of.Words() {
		out = append(out, Candidate{Label: word, Kind: "enum"})
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
var name = wording.Pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

func named(field string) string {
	if name().MatchString(field) && field != "and" && field != "or" && field != "in" {
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

// probe infers the value whose field is read at the cursor.
func (c *cursor) probe(env shape.Env, text string) (shape.Shape, bool) {
	e, err := jsonata.CompileVar(c.ctx, text)
	if err != nil {
		return shape.Any(), false
	}
	return shape.Probe(c.ctx, e, env)
}

// closers returns the brackets that close an expression, and whether it ends outside of strings and
// comments.
func closers(text string) (closing string, open bool) {
	var stack []byte
	open = scan(text, func(_ int, sign byte) {
		switch sign {
		case '(', '[', '{':
			stack = append(stack, map[byte]byte{'(': ')', '[': ']', '{': '}'}[sign])
		case ')', ']', '}':
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		}
	})
	slices.Reverse(stack)
	return string(stack), open
}

// scan calls each with the bytes of an expression outside of strings, comments and patterns, and reports
// whether it ends there.
func scan(text string, each func(at int, sign byte)) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"', '\'', '`':
			end := i + 1
			for end < len(text) && text[end] != c {
				if text[end] == '\\' && c != '`' {
					end++
				}
				end++
			}
			if end >= len(text) {
				return false
			}
			i = end
		case '/':
			switch before := strings.TrimRight(text[:i], " \n"); {
			case strings.HasPrefix(text[i:], "/*"):
				end := strings.Index(text[i+2:], "*/")
				if end < 0 {
					return false
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
					return false
				}
				i = end
			}
		default:
			each(i, c)
		}
	}
	return true
}
