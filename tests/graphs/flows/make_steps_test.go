package flows

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// reach is what the expressions of a step can read.
type reach struct {
	ids, vars []string
	tight     bool // inside what runs several times, whose values must stay small
}

// in returns the reach inside what runs several times, with these variables.
func (r reach) in(vars ...string) reach {
	return reach{r.ids, append(slices.Clip(r.vars), vars...), true}
}

// stepTool makes the steps of a tool: at least so many.
func (m *maker) stepTool(t *tool, least int) {
	var all reach
	t.steps, all = m.block(least+m.IntN(4), 2, reach{})
	if m.oneIn(3) {
		t.fields = append(t.fields, field{"return", quoted(m.read(all)), true})
	} else {
		t.fields = append(t.fields, field{"return", quoted("[" + strings.Join(all.ids, ", ") + "]"), true})
	}
}

// block makes steps, and returns what the expression after them can read.
func (m *maker) block(n, depth int, r reach) (steps []*node, after reach) {
	for range n {
		m.steps++
		s := &node{id: "s" + strconv.Itoa(m.steps)}
		m.step(s, depth, r)
		if len(steps) > 0 && m.oneIn(8) {
			s.optional("after", "["+steps[m.IntN(len(steps))].id+"]")
		}
		steps = append(steps, s)
		r.ids = append(slices.Clip(r.ids), s.id)
	}
	return steps, r
}

// step makes the fields of a step.
func (m *maker) step(s *node, depth int, r reach) {
	kind := m.of("call", "call", "call", "call", "call", "tool", "expr", "expr", "block", "block", "block", "ask")
	switch {
	case kind == "ask" && depth < 2, kind == "tool" && m.tools == 1:
		kind = "call"
	case kind == "block" && depth == 0:
		kind = "expr"
	}
	if kind == "tool" {
		s.set("if", quoted("args.n > 0")) // the end of recursion
	} else if m.oneIn(5) {
		s.optional("if", quoted(m.of(m.read(r), m.read(r), "args.n > 1", "false")))
	}
	outer := r
	if kind != "ask" && m.oneIn(3) {
		r = m.items(s, r)
	}
	if (kind == "call" || kind == "block" || kind == "tool") && m.oneIn(7) {
		r = r.in("$n", "$previous.n", "$exists($previous)")
		s.optional("repeat", fmt.Sprintf("{until: %s, times: %d, delayMs: %d, collect: %t}",
			quoted(m.of("$n = 2", "$result.n = 2", "$exists($result)", "$n > 1", "$result.v = 3", "$exists($n)", "true")), 1+m.IntN(4), m.IntN(9), m.oneIn(2)))
	}
	skips := true
	switch kind {
	case "call":
		skips = m.stepCall(s, r)
	case "tool":
		s.set("call", "t"+strconv.Itoa(m.IntN(m.tools)))
		s.set("args", "{n: "+m.expr("args.n - 1")+", list: "+m.expr(m.stepList(r))+"}")
		if m.oneIn(6) {
			s.optional("timeoutMs", "300000")
		}
	case "expr":
		s.set("expr", quoted(m.read(r)))
	case "ask":
		s.set("ask", "{message: "+m.expr(m.of(`"Go on?"`, `"Is it " & $string(args.n)`, "$string("+m.readSmall(r)+")"))+
			m.sometimes(2, ", schema: {type: object, properties: {v: {type: integer}}, required: [v]}")+"}")
	case "block":
		var after reach
		s.steps, after = m.block(1+m.IntN(3), depth-1, r)
		if m.oneIn(2) {
			s.optional("return", quoted(m.read(after)))
		}
		skips = !s.saysItWrites()
	}
	m.stepOnError(s, outer, skips)
}

// saysItWrites reports whether a call in a block has effect: write. A failure of such a block is not skipped.
func (n *node) saysItWrites() bool {
	return slices.ContainsFunc(n.steps, func(s *node) bool {
		return s.saysItWrites() || slices.Contains(s.fields, field{"effect", "write", true})
	})
}

// items makes the fields of a step that runs for each item of a list.
func (m *maker) items(s *node, r reach) reach {
	s.set("each", quoted(m.stepList(r)))
	name := "item"
	if m.oneIn(2) {
		name = "v" + s.id
		s.set("as", name)
	}
	switch m.IntN(6) {
	case 0:
		s.optional("key", quoted(m.of("$index", "$string($"+name+")", "$string($index) & \"k\"", "$"+name)))
	case 1:
		s.optional("until", quoted(m.of("$result.n = 2", "$exists($result)", "$index = 1", "$result.v = 1")))
	case 2, 3:
		s.optional("maxParallel", m.of("%", "%", "1"))
	}
	return r.in("$"+name, "$"+name+".n", "$index")
}

// stepCall makes the fields of a call of the server, and reports whether onError: skip is allowed.
func (m *maker) stepCall(s *node, r reach) (skips bool) {
	tool := m.of(stepTools...)
	s.set("call", "up."+tool)
	s.optional("args", "{v: "+m.expr(m.read(r))+", k: "+m.expr(m.readSmall(r))+", l: ["+m.literal(5)+", "+m.expr(m.readSmall(r))+"]}")
	if m.oneIn(4) {
		s.optional("retry", m.retry(false))
	}
	skips = true
	switch m.IntN(12) {
	case 0:
		s.optional("effect", "read")
	case 1:
		s.optional("effect", "write")
		skips = false
	case 2:
		s.optional("onCrash", m.of("rerun", "stop"))
	}
	if m.oneIn(8) || tool == "hang" && !m.oneIn(3) {
		s.optional("timeoutMs", m.of("50", "200"))
	}
	return skips
}

func (m *maker) stepOnError(s *node, r reach, skips bool) {
	switch {
	case m.oneIn(4):
		return
	case skips && m.oneIn(3):
		s.optional("onError", "skip")
		return
	}
	var fields []string
	if m.oneIn(4) {
		fields = append(fields, "codes: "+m.codes())
	}
	if m.oneIn(2) {
		fields = append(fields, "value: "+m.of("null", "7", "{list: []}", m.expr("$failure"), m.expr("$failure.result"), m.expr(m.readSmall(r)), `{n: {expr: '$error("no")'}}`,
			"{code: "+m.expr("$failure.code")+", of: "+m.expr("$failure.node")+", times: "+m.expr("$attempt")+"}",
			"["+m.expr("$failure.server & $failure.tool")+", "+m.expr("$failure.attempts")+"]"))
	}
	s.optional("onError", "{"+strings.Join(fields, ", ")+"}")
}

// readSmall is an expression whose value is small, or fails.
func (m *maker) readSmall(r reach) string {
	if len(r.vars) > 0 && m.oneIn(2) {
		return m.of(r.vars...)
	}
	if m.oneIn(60) {
		return m.of(`$number("n/a")`, `$error("no")`, `1 + "a"`)
	}
	id := m.of(append([]string{"args"}, r.ids...)...)
	return m.of(m.literal(4), "args.n", "args.d", "$count("+id+")", "$exists("+id+")", `"s"`, "$type("+id+")", "args.nope", id+".n", "$count($keys($$))",
		"$map([1, 2], function($x) { $count($$."+id+") })")
}

// read is an expression whose value may be any other value, once.
func (m *maker) read(r reach) string {
	if r.tight || m.oneIn(3) {
		return m.readSmall(r)
	}
	id := m.of(append([]string{"args"}, r.ids...)...)
	one := m.of(id, id, id+".v", id+".list", id+".list[n > 0]", id+".error", id+"[0]", "$$."+id, "$lookup($$, \""+id+"\")")
	switch m.IntN(5) {
	case 0:
		return `{"v": ` + one + `, "n": ` + m.readSmall(r) + `, "list": [` + m.readSmall(r) + ", " + m.readSmall(r) + "]}"
	case 1:
		return "[" + m.readSmall(r) + ", " + one + "]"
	}
	return one
}

// stepList is an expression for items.
func (m *maker) stepList(r reach) string {
	if m.oneIn(12) {
		return m.of("null", "args.nope", "[]", "args.n", m.readSmall(r))
	}
	id := m.of(append([]string{"args"}, r.ids...)...)
	return m.of("args.list", id+".list", "[1.."+strconv.Itoa(1+m.IntN(4))+"]", "["+m.literal(3)+", "+m.literal(3)+"]", id+".list[n > 0]", "$chunk([1..5], 2)", id)
}
