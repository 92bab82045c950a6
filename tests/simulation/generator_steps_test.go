package simulation

import (
	"fmt"
	"slices"
	"strings"
)

// reach is what the expressions of a step can read.
type reach struct {
	ids  []string // of the steps above, also around the block
	vars []string
}

func (r reach) with(vars ...string) reach {
	r.vars = append(slices.Clip(r.vars), vars...)
	return r
}

// stepsTool makes a tool of about n steps.
func (m *maker) stepsTool(name string, n int) *tool {
	t := &tool{name: name, cost: 3, steps: true}
	steps, all := m.block(t, n, 2, reach{}, 1)
	t.nodes = steps
	if !m.chance(3) {
		t.result = "[" + strings.Join(all.ids, ", ") + "]"
	}
	return t
}

// block makes about n steps, which may have blocks of this depth; times is how often they run.
func (m *maker) block(t *tool, n, depth int, r reach, times int) (steps []string, all reach) {
	for range n {
		if t.cost > mostCost {
			break
		}
		m.ids++
		id := fmt.Sprintf("s%d", m.ids)
		steps = append(steps, "{id: "+id+", "+strings.Join(m.step(t, id, depth, r, steps != nil, times), ", ")+"}")
		r.ids = append(slices.Clip(r.ids), id)
	}
	if steps == nil { // a block has one
		m.ids++
		id := fmt.Sprintf("s%d", m.ids)
		return []string{"{id: " + id + ", expr: " + m.read(r) + "}"}, reach{ids: append(slices.Clip(r.ids), id), vars: r.vars}
	}
	return steps, r
}

// read is an expression over what comes before a step, quoted.
func (m *maker) read(r reach) string {
	all := []string{"args.n", "args.n", "args.list", "args.n + 1"}
	for range 2 {
		if len(r.ids) > 0 {
			id := r.ids[m.rng.IntN(len(r.ids))]
			all = append(all, id, id+".v", id+".v", id+".l", "$count("+id+")", "$exists("+id+") ? "+id+".n : 0", "$string("+id+")")
		}
		if len(r.vars) > 0 {
			all = append(all, r.vars[m.rng.IntN(len(r.vars))], r.vars[m.rng.IntN(len(r.vars))])
		}
	}
	if m.chance(12) {
		all = []string{"$count($keys($$))", `$error("boom")`, `$number("n/a")`}
	}
	return "'" + all[m.rng.IntN(len(all))] + "'"
}

// step makes the fields of a step.
func (m *maker) step(t *tool, id string, depth int, r reach, follows bool, times int) (fields []string) {
	field := func(format string, args ...any) { fields = append(fields, fmt.Sprintf(format, args...)) }
	if m.chance(5) {
		field("if: %s", pick(m, m.read(r), m.read(r), "'false'"))
	}
	if follows && m.chance(8) {
		field("after: [%s]", r.ids[len(r.ids)-1])
	}
	kind := pick(m, "call", "call", "call", "call", "expr", "block", "block", "ask")
	if kind == "ask" && (depth < 2 || t.name != "main") || kind == "block" && depth == 0 {
		kind = "call"
	}
	out := r
	if kind != "ask" && m.chance(3) {
		items := 1 + m.rng.IntN(4)
		times *= max(items, 3)
		var more []string
		r, more = m.each(r, id, items)
		fields = append(fields, more...)
	}
	if (kind == "call" || kind == "block") && m.chance(6) {
		most := 1 + m.rng.IntN(3)
		times *= most
		r = r.with("$n", "$previous.v")
		field("repeat: {until: '%s', times: %d, delayMs: %d, collect: %t}", pick(m, "$n = 2", "$result.v > 40", "$exists($result)", "$n = 1"), most, m.rng.IntN(50), m.chance(2))
	}
	skips := true // onError may leave the step out
	switch kind {
	case "call":
		skips = m.stepCall(t, id, r, times, field)
	case "expr":
		t.cost += times
		field("expr: %s", m.read(r))
	case "ask":
		t.cost++
		field("ask: {message: {expr: '\"Go on with \" & $string(%s) & \"?\"'}%s}", strings.Trim(m.read(r), "'"),
			pick(m, "", ", schema: {type: object, properties: {v: {type: integer}}, required: [v]}"))
	case "block":
		t.cost += times
		steps, inner := m.block(t, 1+m.rng.IntN(3), depth-1, r, times)
		written := strings.Join(steps, ", ")
		field("steps: [%s]", written)
		skips = !strings.Contains(written, "effect: write")
		if m.chance(2) {
			field("return: %s", m.read(inner))
		}
	}
	return append(fields, m.stepOnError(out, skips)...)
}

// each makes the fields of a step with items.
func (m *maker) each(r reach, id string, items int) (in reach, fields []string) {
	list := []string{fmt.Sprintf("[1..%d]", items), "args.list", "[]"}
	if len(r.ids) > 0 {
		one := r.ids[m.rng.IntN(len(r.ids))]
		list = append(list, "("+one+".l)[[0..2]]", "("+one+".l)[[0..2]]", "("+one+")[[0..2]]")
	}
	fields = append(fields, "each: '"+list[m.rng.IntN(len(list))]+"'")
	name := "item"
	if m.chance(2) {
		name = "i" + id
		fields = append(fields, "as: "+name)
	}
	if m.chance(4) {
		fields = append(fields, "key: '"+pick(m, "$index", "$string($"+name+")")+"'")
	}
	switch m.rng.IntN(4) {
	case 0:
		fields = append(fields, "until: '"+pick(m, "$result.v > 50", "$index = 1", "$exists($result)")+"'")
	case 1:
		fields = append(fields, fmt.Sprintf("maxParallel: %d", pick(m, 1, 2, 3, 8)))
	}
	return r.with("$"+name, "$"+name, "$index"), fields
}

// stepCall makes the fields of a call of a server or of a tool of the file, and reports whether onError: skip is allowed.
func (m *maker) stepCall(t *tool, id string, r reach, times int, field func(string, ...any)) (skips bool) {
	if sub := m.callee(t, times); sub != nil && m.chance(3) {
		t.cost += times * (1 + sub.cost)
		n := pick(m, "args.n", "args.n - 1")
		if sub.name == "walk" {
			n = pick(m, "1", "2")
		}
		field("call: %s, args: {n: {expr: '%s'}, x: {expr: %s}, list: [1, 2]}", sub.name, n, m.read(r))
		return true
	}
	t.cost += times
	kind := pick(m, toolKinds...)
	switch m.rng.IntN(6) {
	case 0, 1, 2:
		kind += "_safe"
	case 3:
		field("onCrash: rerun")
	case 4:
		effect := pick(m, "read", "write")
		skips = effect == "write"
		field("effect: %s", effect)
	}
	if m.chance(4) {
		field("timeoutMs: %d", 1000*(1+m.rng.IntN(9)))
	}
	if m.chance(5) {
		field("%s", m.retry())
	}
	if m.chance(8) {
		field("confirm: true")
	}
	if !m.chance(3) {
		kind = strings.NewReplacer(flaky, sure, once, sure).Replace(kind)
	}
	field("call: up.%s, args: {at: %s, x: {expr: %s}}", kind, id, m.read(r))
	return !skips
}

// stepOnError takes the failure of a step, mostly.
func (m *maker) stepOnError(r reach, skips bool) []string {
	switch {
	case m.chance(3):
		return nil
	case skips && m.chance(2):
		return []string{"onError: skip"}
	}
	fields := []string{"value: " + pick(m, "{v: 7, l: [1, 2]}", "null", "{v: {expr: $failure.code}}", "{v: {expr: "+m.read(r)+"}}")}
	if m.chance(4) {
		fields = append(fields, "codes: [timeout, tool-error, transport, expression, raised, not-yet, rpc-error]")
	}
	return []string{"onError: {" + strings.Join(fields, ", ") + "}"}
}
