package flows

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

// program is a random graph file: its first tool is run, and all can call each other.
type program struct {
	limits string
	tools  []*tool
	input  string // arguments of the first tool, JSON
}

// tool is a chain of nodes: each goes on to the following one, unless it says otherwise. Or it is steps.
type tool struct {
	name   string
	fields []field
	nodes  []*node
	steps  []*node
}

// node is one node, without its next, or a step. In its texts @n3 is the edge to node n3, and % the
// maxParallel of the run.
type node struct {
	id, kind string
	fields   []field
	branches []*node
	steps    []*node
}

// field is a key of YAML and its value. A failing program is shrunk by leaving out optional ones.
type field struct {
	key, text string
	optional  bool
}

func (n *node) set(key, text string)      { n.fields = append(n.fields, field{key, text, false}) }
func (n *node) optional(key, text string) { n.fields = append(n.fields, field{key, text, true}) }

// yaml is the program as a graph file.
func (p *program) yaml(maxParallel int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "version: \"1.0\"\nserver: {name: random, version: 1.0.0}\nexecutionLimits: %s\nmcpServers: {up: {command: up}}\ntools:\n", p.limits)
	for _, t := range p.tools {
		fmt.Fprintf(&b, "- name: %s\n  description: random\n", t.name)
		for _, f := range t.fields {
			fmt.Fprintf(&b, "  %s: %s\n", f.key, f.text)
		}
		if t.steps != nil {
			fmt.Fprintf(&b, "  steps: %s\n", strings.ReplaceAll(yamlOf(t.steps, "\n  - "), "%", strconv.Itoa(maxParallel)))
			continue
		}
		b.WriteString("  nodes:\n")
		for i, n := range t.nodes {
			text := n.flow()
			if n.kind != "exit" {
				text += ", next: " + t.nodes[i+1].id
			}
			text = nodeNames.ReplaceAllStringFunc(text, func(id string) string { return t.after(strings.Trim(id, "@")) })
			fmt.Fprintf(&b, "  - {id: %s, %s}\n", n.id, strings.ReplaceAll(text, "%", strconv.Itoa(maxParallel)))
		}
	}
	return b.String()
}

// yamlOf is a list of steps, with what is before each of them; empty: in one line.
func yamlOf(steps []*node, before string) string {
	all := make([]string, len(steps))
	for i, s := range steps {
		fields := []string{"id: " + s.id}
		for _, f := range s.fields {
			fields = append(fields, f.key+": "+f.text)
		}
		if s.steps != nil {
			fields = append(fields, "steps: "+yamlOf(s.steps, ""))
		}
		all[i] = "{" + strings.Join(fields, ", ") + "}"
	}
	if before == "" {
		return "[" + strings.Join(all, ", ") + "]"
	}
	return before + strings.Join(all, before)
}

// flow is the node's type and fields, without braces.
func (n *node) flow() string {
	parts := []string{"type: " + n.kind}
	for _, f := range n.fields {
		parts = append(parts, f.key+": "+f.text)
	}
	if n.kind == "parallel" {
		branches := make([]string, len(n.branches))
		for i, branch := range n.branches {
			branches[i] = branch.id + ": {" + branch.flow() + "}"
		}
		parts = append(parts, "branches: {"+strings.Join(branches, ", ")+"}")
	}
	return strings.Join(parts, ", ")
}

// nodeNames finds edges, and the nodes that expressions read.
var nodeNames = regexp.MustCompile(`@exit@|@?\bn[0-9]+\b@?`)

// mostNodes is the highest number of a node.
const mostNodes = 12

// ids are the names that edges can have.
func (t *tool) ids() []string {
	ids := make([]string, mostNodes+1)
	for i := range ids {
		ids[i] = "n" + strconv.Itoa(i)
	}
	return append(ids, "exit")
}

// after is the first node that is still there, from the named one on.
func (t *tool) after(id string) string {
	found := false
	for _, other := range t.ids() {
		found = found || other == id
		for _, n := range t.nodes {
			if found && n.id == other {
				return other
			}
		}
	}
	return "exit"
}

// maker makes one program.
type maker struct {
	*rand.Rand
	tools int
	steps int  // so far
	nodes int  // of the tool that is made
	each  bool // inside a node with a forEach
	tight bool // inside a node with several parts, whose values must stay small

	straight bool // the tool is a chain, and reads nothing but outputs: see makeStraight
	at       int  // its nodes so far
}

// makeProgram makes the program of a seed: the same one each time.
func makeProgram(seed, index uint64) *program {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, index))}
	m.tools = 1 + m.IntN(3)
	p := &program{
		limits: fmt.Sprintf("{maxExecutionTimeMs: 3600000, maxNodeExecutions: %d, maxDepth: %d%s}",
			m.pick(20, 60, 200, 400, 1000, 1000), m.pick(2, 4, 8), m.sometimes(6, ", maxCalls: "+strconv.Itoa(1+m.IntN(30)))),
		input: fmt.Sprintf(`{"n": %d, "list": %s}`, 1+m.IntN(2), m.of("[]", "[1]", "[1,2,3]", `[{"n":1,"s":"a"},{"n":2},null,"x"]`)),
	}
	for i := range m.tools {
		p.tools = append(p.tools, m.tool(i))
	}
	return p
}

func (m *maker) pick(numbers ...int) int   { return numbers[m.IntN(len(numbers))] }
func (m *maker) of(texts ...string) string { return texts[m.IntN(len(texts))] }
func (m *maker) oneIn(n int) bool          { return m.IntN(n) == 0 }
func (m *maker) any() string {
	if m.straight && m.at == 0 {
		return "entry"
	} else if m.straight {
		return "n" + strconv.Itoa(1+m.IntN(m.at))
	}
	return "n" + strconv.Itoa(1+m.IntN(m.nodes))
}
func (m *maker) edge() string              { return "@" + m.of(m.any(), m.any(), "exit") + "@" }
func quoted(source string) string          { return "'" + strings.ReplaceAll(source, "'", "''") + "'" }
func (m *maker) expr(source string) string { return "{expr: " + quoted(source) + "}" }
func (m *maker) literal(n int) string      { return strconv.Itoa(m.IntN(n)) }
func (m *maker) sometimes(n int, text string) string {
	if m.oneIn(n) {
		return text
	}
	return ""
}

// tool makes a tool. Its first switch ends recursion, unless the caller forgets to count down.
func (m *maker) tool(i int) *tool {
	t := &tool{name: "t" + strconv.Itoa(i)}
	t.fields = append(t.fields, field{"inputSchema", "{type: object, properties: {n: {type: integer}, list: {}, d: {type: integer, default: 7}}, required: [n]}", false})
	if i > 0 {
		t.fields = append(t.fields, field{"hidden", "true", true})
	}
	if m.oneIn(8) {
		t.fields = append(t.fields, field{"executionLimits", fmt.Sprintf("{maxNodeExecutions: %d}", 5+m.IntN(40)), true})
	}
	if i > 0 && m.oneIn(8) {
		t.fields = append(t.fields, field{"outputSchema", m.of("{type: object}", "{type: [array, object, number, string, 'null']}"), true})
	}
	if m.oneIn(2) {
		m.stepTool(t, 5-3*min(i, 1))
		return t
	}
	m.nodes = 2 + m.IntN(mostNodes-3)
	guard := &node{id: "n0", kind: "switch"}
	guard.set("conditions", `[{rule: {"<": [{var: entry.n}, 1]}, next: "@exit@"}]`)
	t.nodes = append(t.nodes, &node{id: "entry", kind: "entry"}, guard)
	for i := range m.nodes {
		n := m.node()
		n.id = "n" + strconv.Itoa(i+1)
		t.nodes = append(t.nodes, n)
	}
	t.nodes = append(t.nodes, &node{id: "exit", kind: "exit"})
	return t
}

// node makes a node without an id.
func (m *maker) node() *node {
	n := &node{kind: m.of("mcp", "mcp", "mcp", "mcp", "graph", "graph", "transform", "transform", "switch", "parallel")}
	switch n.kind {
	case "transform":
		n.set("transform", m.expr(m.whole()))
		m.onError(n, true)
	case "switch":
		var conditions []string
		for range 1 + m.IntN(2) {
			conditions = append(conditions, "{rule: "+m.rule()+", next: \""+m.edge()+"\"}")
		}
		n.set("conditions", "["+strings.Join(conditions, ", ")+"]")
	case "parallel":
		m.tight = true
		for i := range 2 + m.IntN(2) {
			branch := &node{id: "b" + strconv.Itoa(i), kind: m.of("mcp", "mcp", "graph")}
			m.call(branch)
			m.onError(branch, false)
			n.branches = append(n.branches, branch)
		}
		m.tight = false
	default:
		m.each = m.oneIn(2)
		if m.each {
			m.each = false
			n.set("forEach", fmt.Sprintf("{items: %s, maxParallel: %s}", quoted(m.list()), m.of("%", "%", "1")))
			m.each, m.tight = true, true
		}
		m.call(n)
		m.onError(n, !m.each)
		m.each, m.tight = false, false
	}
	return n
}

// call makes the fields of a call.
func (m *maker) call(n *node) {
	if n.kind == "graph" {
		down := "$.entry.n - 1"
		if m.oneIn(12) {
			down = m.small()
		}
		n.set("tool", "t"+strconv.Itoa(m.IntN(m.tools)))
		if m.oneIn(6) {
			n.optional("timeoutMs", "300000")
		}
		n.set("args", "{n: "+m.expr(down)+", list: "+m.expr(m.list())+"}")
	} else {
		n.set("server", "up")
		tool := m.of(upstreamTools...)
		n.set("tool", tool)
		n.optional("args", "{v: "+m.expr(m.whole())+", k: "+m.expr(m.small())+", l: ["+m.literal(5)+", "+m.expr(m.small())+"]}")
		if m.oneIn(3) {
			n.optional("retry", m.retry(true))
		}
		if m.oneIn(5) {
			n.optional("effect", m.of("read", "write"))
		} else if m.oneIn(6) {
			n.optional("onCrash", m.of("rerun", "stop"))
		}
		if m.oneIn(8) || tool == "hang" && !m.oneIn(3) {
			n.optional("timeoutMs", m.of("50", "200"))
		}
	}
	if m.oneIn(10) {
		n.optional("help", "ask for help")
	}
}

func (m *maker) codes() string {
	codes := []string{m.of(upstreamCodes...), m.of("tool-error", "timeout", "not-yet", "expression", "raised", "invalid-arguments")}
	if codes[0] == codes[1] {
		codes = codes[:1]
	}
	return "[" + strings.Join(codes, ", ") + "]"
}

// retry repeats failed attempts; polls: perhaps until the value is the right one.
func (m *maker) retry(polls bool) string {
	fields := []string{fmt.Sprintf("attempts: %d, delayMs: %d", 2+m.IntN(3), 1+m.IntN(50))}
	if m.oneIn(3) {
		fields = append(fields, "codes: "+m.codes())
	}
	if m.oneIn(4) {
		fields = append(fields, "when: "+quoted(m.of(`$failure.code = "tool-error"`, "$attempt < 2", "$exists($failure.result)", `$failure.tool = "flaky"`, "$failure.attempts = $attempt")))
	}
	if polls && m.oneIn(3) {
		fields = append(fields, "until: "+quoted(m.of(`$result.status = "done"`, "$exists($result)", "$result.n > 1", `$result.status in ["done", "failed"]`)))
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// onError adds an onError, most of the time.
func (m *maker) onError(n *node, mayGo bool) {
	if m.oneIn(4) {
		return
	}
	var fields []string
	if m.oneIn(4) {
		fields = append(fields, "codes: "+m.codes())
	}
	if m.oneIn(2) {
		fields = append(fields, "value: "+m.of("null", "7", "[]", "{list: []}", m.expr("$failure"), m.expr("$failure.result"), m.expr("$.entry.nope"),
			"{code: "+m.expr("$failure.code")+", of: "+m.expr("$failure.node")+", times: "+m.expr("$attempt")+"}",
			"["+m.expr("$failure.server & $failure.tool")+", "+m.expr("$failure.attempts")+", "+m.expr(m.small())+"]"))
	}
	if mayGo && m.oneIn(3) {
		fields = append(fields, "next: \""+m.edge()+"\"")
	}
	n.optional("onError", "{"+strings.Join(fields, ", ")+"}")
}

// small is an expression whose value is small, or fails.
func (m *maker) small() string {
	if m.each && m.oneIn(2) {
		return m.of("$index", "$item", "$item.n", "$string($index)", "$index > 0 ? $item : $index")
	}
	if m.oneIn(25) {
		return m.of(`$number("n/a")`, `$error("no")`, `1 + "a"`, `$error($string($.entry.n))`)
	}
	id := quoteID(m.any())
	return m.of(m.literal(4), "$.entry.n", "$.entry.d", "$count($."+m.any()+")", "$executionCount("+id+")", "$exists($."+m.any()+")",
		"$count($nodeExecutions("+id+"))", `"s"`, "$type($previousNode())", "$.entry.nope", "$count($previousNode("+strconv.Itoa(1+m.IntN(3))+"))")
}

func quoteID(id string) string { return `"` + id + `"` }

// whole is an expression whose value may be any other value, once; else values would grow without
// end.
func (m *maker) whole() string {
	if m.tight || m.oneIn(3) {
		return m.small()
	}
	one := m.of("$."+m.any(), "$."+m.any()+".v", "$previousNode()", "$.entry.list", "$."+m.any()+".list", "$.entry",
		"$nodeExecution("+quoteID(m.any())+", "+strconv.Itoa(m.IntN(3)-1)+")", "$."+m.any()+"."+m.of("b0", "b1", "error"))
	switch m.IntN(4) {
	case 0:
		return `{"v": ` + one + `, "n": ` + m.small() + `, "list": [` + m.small() + ", " + m.small() + "]}"
	case 1:
		return "[" + m.small() + ", " + one + "]"
	}
	return one
}

// list is an expression for items.
func (m *maker) list() string {
	if m.oneIn(15) {
		return m.small()
	}
	return m.of("$.entry.list", "$."+m.any()+".list", "[1.."+strconv.Itoa(1+m.IntN(4))+"]", "["+m.literal(3)+", "+m.literal(3)+"]",
		"$."+m.any()+".list[n > 0]", "$chunk([1..5], 2)", `["a", "b", "c"]`, "$."+m.any())
}

// rule is a condition of a switch.
func (m *maker) rule() string {
	quoteVar := func(source string) string { return "{var: " + quoted(source) + "}" }
	switch m.IntN(4) {
	case 0:
		return `{">": [` + quoteVar("$executionCount("+quoteID(m.any())+")") + ", " + m.literal(3) + "]}"
	case 1:
		return `{"==": [` + quoteVar(m.any()+".n") + ", " + m.literal(3) + "]}"
	case 2:
		return quoteVar("$exists($." + m.any() + ")")
	}
	return `{"!": [` + quoteVar(m.any()+".error.code") + "]}"
}
