package execution_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// A model of steps that shares no code with packages execution and graph: it runs them in the order of the
// file, one after the other.

// world is what the tools of a random file change and answer.
type world struct {
	counts bool // the answer to put says how many writes there were
	mu     sync.Mutex
	wrote  []string
}

var errTool = errors.New("the tool has failed")

// call answers get, which reads, put, which writes and returns how many writes there were, and set, which
// writes and returns its argument, and add, which is set and never fails.
func (w *world) call(t testing.TB, tool string, args value.Value) (value.Value, error) {
	text := encode(t, args)
	h := fnv.New32a()
	fmt.Fprint(h, text)
	n := int(h.Sum32() % 97)
	if tool != "get" {
		w.mu.Lock()
		w.wrote = append(w.wrote, tool+" "+text)
		count := len(w.wrote)
		w.mu.Unlock()
		if n%11 == 0 && tool != "add" {
			return nil, errTool
		}
		if tool == "put" && w.counts {
			return decode(t, fmt.Sprintf(`{"n": %d}`, count)), nil
		}
		return args, nil
	}
	switch {
	case n%13 == 0:
		return nil, errTool
	case n%17 == 0:
		return value.Null, nil
	case n%7 == 0:
		return decode(t, fmt.Sprintf(`[%d]`, n)), nil
	}
	return decode(t, fmt.Sprintf(`{"n": %d, "list": [%s], "name": "a%d"}`, n, strings.TrimSuffix(strings.Repeat(strconv.Itoa(n%5)+",", n%4), ","), n%3)), nil
}

type model struct {
	t     testing.TB
	world *world
}

// skipped is the value of an item that onError: skip leaves out.
type skipped struct{}

type scope struct {
	context map[string]any
	vars    map[string]value.Value
}

func (s scope) with(name string, v value.Value) scope {
	s.vars = maps.Clone(s.vars)
	s.vars[name] = v
	return s
}

func (m *model) eval(source any, s scope) (value.Value, error) {
	e, err := jsonata.Compile(m.t.Context(), source.(string))
	if err != nil {
		m.t.Fatalf("%v: %v", source, err)
	}
	sc := jsonata.NewScope(s.context, nil)
	sc.Variables = s.vars
	return e.Eval(m.t.Context(), sc)
}

func (m *model) truth(source any, s scope) (bool, error) {
	v, err := m.eval("$boolean(("+source.(string)+"))", s)
	return v == true, err
}

// walk replaces {expr: …} in literal data.
func (m *model) walk(data any, s scope) (value.Value, error) {
	d, isObject := data.(map[string]any)
	if !isObject {
		return value.FromPlain(data), nil
	}
	if e, ok := d["expr"]; ok {
		return m.eval(e, s)
	}
	var keys []string
	var values []value.Value
	for k, item := range d {
		v, err := m.walk(item, s)
		if err != nil {
			return nil, err
		}
		if v != nil {
			keys, values = append(keys, k), append(values, v)
		}
	}
	return value.NewObject(keys, values), nil
}

func orNull(v value.Value) value.Value {
	if v == nil {
		return value.Null
	}
	return v
}

func (m *model) steps(list []any, ret any, s scope) (value.Value, error) {
	s.context = maps.Clone(s.context)
	var last value.Value
	for _, each := range list {
		step := each.(map[string]any)
		v, err := m.step(step, s)
		if err != nil {
			return nil, err
		}
		if last = v; v != nil {
			s.context[step["id"].(string)] = v
		}
	}
	if ret == nil {
		return last, nil
	}
	return m.eval(ret, s)
}

func (m *model) step(step map[string]any, s scope) (value.Value, error) {
	if e, ok := step["if"]; ok {
		if holds, err := m.truth(e, s); err != nil || !holds {
			return nil, err
		}
	}
	e, ok := step["each"]
	if !ok {
		v, err := m.caught(step, s)
		if _, left := v.(skipped); left {
			return nil, err
		}
		return v, err
	}
	list, err := m.eval(e, s)
	if err != nil {
		return nil, err
	}
	items, isList := list.([]any)
	switch {
	case list == nil || list == value.Null:
		items = nil
	case !isList:
		items = []any{list}
	}
	name := "item"
	if as, ok := step["as"]; ok {
		name = as.(string)
	}
	keys := make([]string, len(items))
	seen := map[string]bool{}
	for i, item := range items {
		if e, ok := step["key"]; ok {
			k, err := m.eval(e, s.with(name, item).with("index", float64(i)))
			if err != nil {
				return nil, err
			}
			text, isText := k.(string)
			_, isNumber := k.(float64)
			if keys[i] = text; isNumber {
				keys[i] = encode(m.t, k)
			}
			if !isText && !isNumber || seen[keys[i]] {
				return nil, errors.New("the key is wrong")
			}
			seen[keys[i]] = true
		}
	}
	values, named := []any{}, []string{}
	for i, item := range items {
		in := s.with(name, item).with("index", float64(i))
		v, err := m.caught(step, in)
		if err != nil {
			return nil, err
		}
		if _, left := v.(skipped); left {
			continue
		}
		values, named = append(values, orNull(v)), append(named, keys[i])
		if e, ok := step["until"]; ok {
			last, err := m.truth(e, in.with("result", v))
			if err != nil {
				return nil, err
			}
			if last {
				break
			}
		}
	}
	if step["key"] != nil {
		return value.NewObject(named, values), nil
	}
	return values, nil
}

func (m *model) caught(step map[string]any, s scope) (value.Value, error) {
	v, err := m.turns(step, s)
	if err == nil || step["onError"] == nil {
		return v, err
	}
	if step["onError"] == "skip" {
		return skipped{}, nil
	}
	return m.walk(step["onError"].(map[string]any)["value"], s)
}

func (m *model) turns(step map[string]any, s scope) (value.Value, error) {
	repeat, ok := step["repeat"].(map[string]any)
	if !ok {
		return m.once(step, s)
	}
	all := []any{}
	var previous value.Value
	for n := 1; n <= repeat["times"].(int); n++ {
		v, err := m.once(step, s.with("n", float64(n)).with("previous", previous))
		if err != nil {
			return nil, err
		}
		all = append(all, orNull(v))
		last, err := m.truth(repeat["until"], s.with("n", float64(n)).with("result", v))
		if err != nil {
			return nil, err
		}
		if last && repeat["collect"] == true {
			return all, nil
		}
		if last {
			return v, nil
		}
		previous = v
	}
	return nil, errors.New("not yet")
}

func (m *model) once(step map[string]any, s scope) (value.Value, error) {
	switch {
	case step["call"] != nil:
		args, err := m.walk(step["args"], s)
		if err != nil {
			return nil, err
		}
		return m.world.call(m.t, strings.TrimPrefix(step["call"].(string), "up."), args)
	case step["expr"] != nil:
		return m.eval(step["expr"], s)
	}
	return m.steps(step["steps"].([]any), step["return"], s)
}

// randomSteps makes steps.
type randomSteps struct {
	*rand.Rand
	count  int
	writes bool // the order of all writes is known
}

func (r *randomSteps) pick(list ...string) string { return list[r.IntN(len(list))] }

// block makes steps that can read the names and the variables.
func (r *randomSteps) block(n, depth int, names, vars []string, parallel bool) []any {
	var list []any
	for range n {
		step := r.step(depth, names, vars, parallel)
		names = append(names[:len(names):len(names)], step["id"].(string))
		list = append(list, step)
	}
	return list
}

func (r *randomSteps) expr(names, vars []string) string {
	one := func() string {
		if len(vars) > 0 && r.IntN(3) == 0 {
			return r.pick(vars...) + r.pick("", ".n", ".name")
		}
		return r.pick(names...) + r.pick("", ".n", ".list", ".name", "[0]", "[n > 2]")
	}
	switch r.IntN(12) {
	case 0:
		return "$count(" + one() + ")"
	case 1:
		return "[" + one() + ", " + one() + "]"
	case 2:
		return `{"n": ` + one() + `, "list": [` + one() + "]}"
	case 3:
		return "$exists(" + one() + ") ? " + one() + " : " + one()
	case 4:
		return "$string(" + one() + ")"
	case 5:
		return "$sum([1, $count(" + one() + ")])"
	case 6:
		return "$map([" + one() + "], function($v, $i) { $i })"
	case 7:
		return r.pick("$keys($$)", "$count($.*)", "[1..3]", "[]", "null", "$merge([{'a': 1}, {'n': $count("+one()+")}])")
	case 8:
		return "$number(" + one() + ")" // may fail
	}
	return one()
}

func (r *randomSteps) step(depth int, names, vars []string, parallel bool) map[string]any {
	r.count++
	step := map[string]any{"id": fmt.Sprintf("s%d", r.count)}
	in := vars
	if r.IntN(5) == 0 {
		step["if"] = r.expr(names, vars)
	}
	if r.IntN(3) == 0 {
		step["each"] = r.expr(names, vars)
		name := "item"
		if r.IntN(2) == 0 {
			name = fmt.Sprintf("v%d", r.count)
			step["as"] = name
		}
		in = append(slicesClip(vars), "$"+name, "$index")
		switch r.IntN(6) {
		case 0:
			step["key"] = r.pick("$index", "$string($"+name+")")
		case 1:
			step["until"] = r.pick("$result.n > 3", "$exists($result)", "$index = 1")
		case 2, 3:
			step["maxParallel"] = 1 + r.IntN(64)
			parallel = true
		}
	}
	kind := r.IntN(8)
	if kind < 7 && kind != 2 && r.IntN(6) == 0 && (kind > 2 || depth > 0) {
		step["repeat"] = map[string]any{"until": r.pick("$n = 2", "$result.n > 40", "$exists($result.list)", "$n > 1"), "times": 1 + r.IntN(4), "delayMs": 0, "collect": r.IntN(2) == 0}
		in = append(slicesClip(in), "$n", "$previous")
	}
	switch {
	case kind == 2 || kind == 7:
		delete(step, "repeat")
		step["expr"] = r.expr(names, in)
	case kind < 2 && depth > 0:
		step["steps"] = r.block(1+r.IntN(3), depth-1, names, in, parallel)
		if r.IntN(2) == 0 {
			ids := slicesClip(names)
			for _, s := range step["steps"].([]any) {
				ids = append(ids, s.(map[string]any)["id"].(string))
			}
			step["return"] = r.expr(ids, in)
		}
	default:
		tool := r.pick("get", "get", "put", "set")
		if parallel {
			if tool != "get" {
				tool = "add"
			}
			r.writes = r.writes && tool == "get"
		}
		step["call"] = "up." + tool
		step["args"] = map[string]any{"x": map[string]any{"expr": r.expr(names, in)}}
	}
	switch r.IntN(5) {
	case 0:
		step["onError"] = "skip"
	case 1:
		step["onError"] = map[string]any{"value": r.IntN(9)}
	case 2:
		step["onError"] = map[string]any{"value": map[string]any{"expr": r.pick(names...)}}
	}
	if len(names) > 1 && r.IntN(8) == 0 {
		step["after"] = nil
	}
	delete(step, "after")
	return step
}

func slicesClip(s []string) []string { return s[:len(s):len(s)] }
