package simulation

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// maker makes a random file. Tools call only tools that come before them in tools, so that the
// graphs end; main is the last one, and the first of the file.
type maker struct {
	rng   *rand.Rand
	tools []*tool
	ids   int // of steps, so far
}

// tool is one tool of the file, as YAML.
type tool struct {
	name   string
	nodes  []string // or steps
	steps  bool     // it is written as steps
	result string   // of steps: their return; empty without one
	ids    []string // of nodes that come before, for references
	cost   int      // an estimate of the executions of a call
}

// mostCost bounds the executions of a run.
const mostCost = 120

// generate makes the scenario of a seed.
func generate(seed uint64) *scenario {
	m := &maker{rng: rand.New(rand.NewPCG(seed, 0))}
	for i := range m.rng.IntN(4) {
		m.tools = append(m.tools, m.either(fmt.Sprintf("t%d", i+1), 1+m.rng.IntN(3)))
	}
	if m.chance(4) {
		m.tools = append(m.tools, m.recursion("walk"))
	}
	return m.scenario(m.either("main", 2+m.rng.IntN(5)), []int{0, 10, 30, 60}[m.rng.IntN(4)])
}

// scenario makes the scenario of a tool and those that were made before it.
func (m *maker) scenario(main *tool, trouble int) *scenario {
	s := &scenario{trouble: trouble, maxExecutions: 1000, maxDepth: 16}
	var b strings.Builder
	b.WriteString("version: \"1.0\"\nserver: {name: test, version: 1.0.0}\nmcpServers: {up: {command: up}}\n")
	b.WriteString("executionLimits: {maxExecutionTimeMs: 86400000}\ntools:\n")
	main.write(&b, false)
	for _, t := range m.tools {
		t.write(&b, true)
	}
	s.source = b.String()
	return s
}

func (t *tool) write(b *strings.Builder, hidden bool) {
	fmt.Fprintf(b, "- name: %s\n  description: made\n  inputSchema: {type: object}\n", t.name)
	if hidden {
		b.WriteString("  hidden: true\n")
	}
	what := "nodes"
	if t.steps {
		what = "steps"
	}
	fmt.Fprintf(b, "  %s:\n", what)
	for _, n := range t.nodes {
		fmt.Fprintf(b, "  - %s\n", n)
	}
	if t.result != "" {
		fmt.Fprintf(b, "  return: '%s'\n", t.result)
	}
}

// either makes a tool of nodes or of steps.
func (m *maker) either(name string, n int) *tool {
	if m.chance(2) {
		return m.stepsTool(name, n)
	}
	return m.tool(name, n)
}

// chance is true once in n times.
func (m *maker) chance(n int) bool { return m.rng.IntN(n) == 0 }

func pick[T any](m *maker, all ...T) T { return all[m.rng.IntN(len(all))] }

// tool makes a tool of about n nodes.
func (m *maker) tool(name string, n int) *tool {
	t := &tool{name: name, ids: []string{"entry"}, cost: 2}
	t.nodes = append(t.nodes, "{id: entry, type: entry, next: n0}")
	for i := range n {
		id, next := fmt.Sprintf("n%d", i), fmt.Sprintf("n%d", i+1)
		if i == n-1 {
			next = "exit"
		}
		m.node(t, id, next)
		t.ids = append(t.ids, id)
	}
	t.nodes = append(t.nodes, "{id: exit, type: exit}")
	return t
}

// node adds a node, or a few that belong together.
func (m *maker) node(t *tool, id, next string) {
	switch m.rng.IntN(11) {
	case 0:
		m.transform(t, id, next)
	case 10:
		m.ask(t, id, next)
	case 1:
		m.loop(t, id, next)
	case 2:
		m.fork(t, id, next)
	case 3:
		m.parallel(t, id, next)
	case 4, 5:
		if sub := m.callee(t, 1); sub != nil {
			t.cost += 1 + sub.cost
			t.add("{id: %s, type: graph, %s, next: %s}", id, m.graphCall(t, sub, t.name+":"+id, next, false), next)
			return
		}
		fallthrough
	case 6, 7:
		m.forEach(t, id, next)
	default:
		t.cost++
		t.add("{id: %s, type: mcp, %s, next: %s}", id, m.call(t, id, next, false), next)
	}
}

func (t *tool) add(format string, args ...any) {
	t.nodes = append(t.nodes, fmt.Sprintf(format, args...))
}

// callee picks a tool that may be called so many times, or nil.
func (m *maker) callee(t *tool, times int) *tool {
	if len(m.tools) == 0 {
		return nil
	}
	sub := m.tools[m.rng.IntN(len(m.tools))]
	if t.cost+times*(1+sub.cost) > mostCost {
		return nil
	}
	return sub
}

// ref is an expression over what comes before.
func (m *maker) ref(t *tool) string {
	id := t.ids[m.rng.IntN(len(t.ids))]
	return pick(m,
		"$.entry.n", "$previousNode()", "$."+id+".v", "$."+id, "$.entry.n + 1",
		fmt.Sprintf(`$executionCount("%s")`, id), fmt.Sprintf(`$nodeExecution("%s", -1).v`, id), fmt.Sprintf(`$count($nodeExecutions("%s"))`, id),
	)
}

// transform fails for some values, which its onError takes, mostly.
func (m *maker) transform(t *tool, id, next string) {
	t.cost++
	ref := m.ref(t)
	if m.chance(3) {
		expr := pick(m, `$number("n/a")`, `$error("boom")`, fmt.Sprintf(`(%s) = 1 ? 1 : $error("not one")`, ref))
		handler := ", " + m.onError(t, next, "$failure.code")
		if m.chance(5) {
			handler = ""
		}
		t.add("{id: %s, type: transform, transform: {expr: '%s'}%s, next: %s}", id, expr, handler, next)
		return
	}
	t.add("{id: %s, type: transform, transform: {expr: '{\"v\": %s, \"l\": [1, 2, 3]}'}, next: %s}", id, ref, next)
}

// ask asks the user, with or without a form.
func (m *maker) ask(t *tool, id, next string) {
	t.cost++
	fields := fmt.Sprintf("message: {expr: '\"Go on with \" & $string(%s) & \"?\"'}", m.ref(t))
	if m.chance(2) {
		fields += ", schema: {type: object, properties: {v: {type: integer}}, required: [v]}"
	}
	if !m.chance(4) {
		fields += ", " + m.onError(t, next, "$failure.code")
	}
	t.add("{id: %s, type: ask, %s, next: %s}", id, fields, next)
}

// loop is a call that is made a few times.
func (m *maker) loop(t *tool, id, next string) {
	times := 2 + m.rng.IntN(3)
	t.cost += 3 * times
	t.add("{id: %s, type: mcp, %s, next: %sc}", id, m.call(t, id, id+"c", false), id)
	t.add("{id: %sc, type: transform, transform: {expr: '$executionCount(\"%s\")'}, next: %ss}", id, id, id)
	t.add("{id: %ss, type: switch, conditions: [{rule: {\"<\": [{var: $.%sc}, %d]}, next: %s}], next: %s}", id, id, times, id, next)
}

// fork skips a call for some values.
func (m *maker) fork(t *tool, id, next string) {
	t.cost += 2
	t.add("{id: %s, type: switch, conditions: [{rule: {\"==\": [{\"%%\": [{var: $.entry.n}, 2]}, %d]}, next: %sa}], next: %s}", id, m.rng.IntN(2), id, next)
	t.add("{id: %sa, type: mcp, %s, next: %s}", id, m.call(t, id+"a", next, false), next)
}

// parallel has two to four branches.
func (m *maker) parallel(t *tool, id, next string) {
	n := 2 + m.rng.IntN(3)
	branches := make([]string, n)
	t.cost++
	for i := range n {
		name := fmt.Sprintf("b%d", i)
		if sub := m.callee(t, 1); sub != nil && m.chance(2) {
			t.cost += 1 + sub.cost
			branches[i] = fmt.Sprintf("%s: {type: graph, %s}", name, m.graphCall(t, sub, "", "", false))
			continue
		}
		t.cost++
		branches[i] = fmt.Sprintf("%s: {type: mcp, %s}", name, m.call(t, id+"."+name, "", false))
	}
	t.add("{id: %s, type: parallel, branches: {%s}, next: %s}", id, strings.Join(branches, ", "), next)
}

// forEach calls a tool of the server or of the file for each item.
func (m *maker) forEach(t *tool, id, next string) {
	items := 1 + m.rng.IntN(6)
	list := pick(m, fmt.Sprintf("[1..%d]", items), "$.entry.list", fmt.Sprintf("$chunk([1..%d], 2)", items), "$."+t.ids[len(t.ids)-1]+".l", "[]")
	each := fmt.Sprintf("forEach: {items: '%s', maxParallel: %d}", list, pick(m, 1, 2, 3, 8))
	times := max(items, 4)
	if sub := m.callee(t, times); sub != nil && m.chance(2) {
		t.cost += 1 + times*(1+sub.cost)
		t.add("{id: %s, type: graph, %s, %s, next: %s}", id, m.graphCall(t, sub, id, "", true), each, next)
		return
	}
	t.cost += 1 + times
	t.add("{id: %s, type: mcp, %s, %s, next: %s}", id, m.call(t, id, "", true), each, next)
}

// call is the fields of an mcp node. next is where onError may lead, empty when it may not; item
// says that the node has a forEach.
func (m *maker) call(t *tool, id, next string, item bool) string {
	ref := m.ref(t)
	if item {
		ref = pick(m, "$item", "$index", "$item + 1", ref)
	}
	kind := pick(m, toolKinds...)
	var fields []string
	field := func(format string, args ...any) { fields = append(fields, fmt.Sprintf(format, args...)) }
	crash := "" // what is said of a crash
	switch m.rng.IntN(5) {
	case 0:
		kind += "_safe"
	case 1:
		crash = "onCrash: rerun"
	case 2:
		field("effect: %s", pick(m, "read", "write"))
	}
	if m.chance(4) {
		field("timeoutMs: %d", 1000*(1+m.rng.IntN(9)))
	}
	switch m.rng.IntN(6) {
	case 0:
		kind = job
		field("retry: {until: '$result.n >= %d', attempts: %d, delayMs: %d}", 1+m.rng.IntN(4), 2+m.rng.IntN(3), 1+m.rng.IntN(50))
		if m.chance(4) {
			crash = "onCrash: stop"
		}
	case 1, 2:
		field("%s", m.retry())
	}
	if crash != "" {
		field("%s", crash)
	}
	if m.chance(2) {
		field("%s", m.onError(t, next, "$failure.code"))
	} else if !m.chance(4) {
		kind = strings.NewReplacer(flaky, sure, once, sure).Replace(kind)
	}
	if m.chance(6) {
		field("help: Look at the server.")
	}
	if m.chance(6) {
		field("confirm: true")
	}
	field("server: up, tool: %s, args: {at: %s, x: {expr: '%s'}}", kind, id, ref)
	return strings.Join(fields, ", ")
}

// retry is a retry without until.
func (m *maker) retry() string {
	fields := []string{fmt.Sprintf("attempts: %d", 2+m.rng.IntN(3)), fmt.Sprintf("delayMs: %d", 1+m.rng.IntN(50)), "maxDelayMs: 100"}
	if m.chance(2) {
		fields = append(fields, "codes: [timeout, transport, server-exited, tool-error, rpc-error, bad-result, too-large]")
	}
	if m.chance(3) {
		fields = append(fields, pick(m, `when: '$contains($failure.message, "trouble")'`, "when: '$attempt < 2'"))
	}
	return "retry: {" + strings.Join(fields, ", ") + "}"
}

// onError takes a failure.
func (m *maker) onError(t *tool, next, code string) string {
	fields := []string{}
	switch m.rng.IntN(4) {
	case 0:
		fields = append(fields, fmt.Sprintf("value: {v: {expr: '%s'}, l: [{expr: '$attempt'}]}", code))
	case 1:
		fields = append(fields, "value: null")
	case 2:
		fields = append(fields, "value: {v: 7, l: [1, 2]}")
	}
	if m.chance(4) {
		fields = append(fields, "codes: [timeout, tool-error, transport, expression, raised, not-yet, rpc-error]")
	}
	if next != "" && m.chance(3) {
		fields = append(fields, "next: "+pick(m, "exit", next))
	}
	return "onError: {" + strings.Join(fields, ", ") + "}"
}

// graphCall is the fields of a graph node.
func (m *maker) graphCall(t *tool, sub *tool, _, next string, item bool) string {
	n := pick(m, "$.entry.n", "$.entry.n - 1")
	if item {
		n = pick(m, "$index", "$.entry.n")
	}
	if sub.name == "walk" {
		n = pick(m, "1", "2")
	}
	fields := fmt.Sprintf("tool: %s, args: {n: {expr: '%s'}, x: {expr: '%s'}, list: [1, 2]}", sub.name, n, m.ref(t))
	if m.chance(2) {
		fields += ", " + m.onError(t, next, "$failure.code")
	}
	return fields
}

// recursion calls itself n times, one after the other or for each of a list.
func (m *maker) recursion(name string) *tool {
	t := &tool{name: name, ids: []string{"entry"}, cost: 30}
	t.add("{id: entry, type: entry, next: c}")
	t.add("{id: c, type: mcp, %s, next: s}", m.call(t, "c", "s", false))
	t.add("{id: s, type: switch, conditions: [{rule: {\">\": [{var: $.entry.n}, 0]}, next: again}], next: exit}")
	each := ""
	if m.chance(2) {
		each = fmt.Sprintf("forEach: {items: '[1..$.entry.n]', maxParallel: %d}, ", pick(m, 1, 2))
	}
	t.add("{id: again, type: graph, tool: %s, args: {n: {expr: '$.entry.n - 1'}}, %snext: exit}", name, each)
	t.add("{id: exit, type: exit}")
	return t
}
