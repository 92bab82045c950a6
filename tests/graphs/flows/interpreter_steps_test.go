package flows

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

func inside(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// block runs the steps of a tool or a block in the order of the file. After a failure those that do not need what has
// failed run as well, since each of them may have been the first to fail.
func (f *frame) block(n *config.Node, path string, vars map[string]value.Value) (value.Value, *failure) {
	b := f.blockOf(n)
	f.blocks[f.next(path)] = b
	if f.budget.left() < len(n.Steps) {
		return nil, limit()
	}
	in := *f
	in.context = maps.Clone(f.context)
	done, ended, failing := make([]outcome, len(n.Steps)), map[int]bool{}, map[int]bool{}
	for i, s := range n.Steps {
		if !contains(ended, b.needs[i]) {
			continue
		}
		at := inside(path, s.ID.Value)
		if done[i] = in.part(part{at, s, func() outcome { return in.stepOf(s, at, vars) }}); done[i].failed != nil {
			failing[i] = true
			continue
		}
		if ended[i] = true; done[i].value != nil {
			in.context[s.ID.Value] = done[i].value
		}
	}
	if len(failing) > 0 {
		return nil, f.endBlock(b, path, done, ended, failing)
	}
	if n.Return.Value == "" {
		return done[len(done)-1].value, nil
	}
	return in.eval(n, n.Return.Value, vars)
}

func contains(all, some map[int]bool) bool {
	for i := range some {
		if !all[i] {
			return false
		}
	}
	return true
}

// endBlock returns the failure of a block, and notes what it has not decided: a step that has ended here may not have
// begun, or not have ended, when another one failed.
func (f *frame) endBlock(b *block, path string, done []outcome, ended, failing map[int]bool) *failure {
	var failed *failure
	for i := range done {
		switch {
		case !failing[i]:
		case failed == nil:
			failed = done[i].failed
		default:
			failed.others = append(failed.others, done[i].failed)
		}
	}
	for i := range done {
		certain := true
		for j := range failing {
			certain = certain && (i == j || b.needs[j][i])
		}
		if !certain && (ended[i] || failing[i]) {
			f.beside[f.next(inside(path, b.ids[i]))] = failed.open()
			f.undecided = f.undecided || slices.ContainsFunc(failed.all(), func(one *failure) bool { return one.code == failLimit })
		}
	}
	return failed
}

// stepOf runs a step: once, for each item, or not at all. What fails beside the step's work no onError of its own takes.
func (f *frame) stepOf(n *config.Node, path string, vars map[string]value.Value) outcome {
	if n.Step.If.Value != "" {
		holds, failed := f.truth(n, n.Step.If.Value, vars)
		if failed != nil || !holds {
			return outcome{failed: failed, notRun: failed == nil}
		}
	}
	if n.Step.Each.Value == "" {
		return f.turns(n, path, vars)
	}
	items, keys, failed := f.items(n, vars)
	if failed != nil {
		return outcome{failed: failed}
	}
	parts := make([]part, len(items))
	scopes := make([]map[string]value.Value, len(items))
	for i, item := range items {
		at := inside(path, strconv.Itoa(i))
		scopes[i] = f.itemVars(n, vars, item, i)
		parts[i] = part{at, n, func() outcome { return f.turns(n, at, scopes[i]) }}
	}
	var all []outcome
	switch {
	case n.Type == config.TransformNode:
		all, failed = f.inTurn(n, parts, scopes, func(p part) outcome { return p.run() })
	case n.Step.Until.Value == "":
		all, failed = f.parts(path, parts, f.most(n) > 1)
	case !f.affords(parts[:min(1, len(parts))]): // until may hold after the first
		failed = limit()
	default:
		f.order[f.next(path)] = true
		all, failed = f.inTurn(n, parts, scopes, f.part)
	}
	if failed != nil {
		return outcome{failed: failed}
	}
	return outcome{value: collected(n, all, keys)}
}

// most is how many items of a step may run at the same time.
func (f *frame) most(n *config.Node) int {
	switch {
	case n.Step.MaxParallel > 0:
		return n.Step.MaxParallel
	case f.changes(n):
		return 1
	}
	return 8
}

// inTurn runs items one after the other, as long as until does not hold.
func (f *frame) inTurn(n *config.Node, parts []part, scopes []map[string]value.Value, run func(part) outcome) (all []outcome, failed *failure) {
	for i, p := range parts {
		done := run(p)
		if done.failed != nil {
			return nil, done.failed
		}
		all = append(all, done)
		if n.Step.Until.Value == "" || leftOut(n, done) {
			continue
		}
		last, failed := f.truth(n, n.Step.Until.Value, with(scopes[i], "result", done.value))
		if failed != nil {
			return nil, failed
		}
		if last {
			break
		}
	}
	return all, nil
}

// items are the items of a step, with the key of each where it has keys.
func (f *frame) items(n *config.Node, vars map[string]value.Value) (items []any, keys []string, failed *failure) {
	list, failed := f.eval(n, n.Step.Each.Value, vars)
	if failed != nil {
		return nil, nil, failed
	}
	items, isList := list.([]any)
	switch {
	case list == nil || value.IsNull(list):
		items = nil
	case !isList:
		items = []any{list}
	}
	if n.Step.Key.Value == "" {
		return items, nil, nil
	}
	keys = []string{}
	for i, item := range items {
		key, failed := f.eval(n, n.Step.Key.Value, f.itemVars(n, vars, item, i))
		if failed != nil {
			return nil, nil, failed
		}
		text, isText := key.(string)
		switch key.(type) {
		case float64, bool:
			text, isText = textOf(key), true
		}
		wrong := &failure{code: config.FailExpression, node: f.name(n, ""), server: n.Server.Value, tool: n.Tool.Value}
		if isText && !slices.Contains(keys, text) {
			keys = append(keys, text)
			continue
		}
		if isText {
			wrong.code = config.FailDuplicateKey
		}
		return nil, nil, wrong
	}
	return items, keys, nil
}

func (f *frame) itemVars(n *config.Node, vars map[string]value.Value, item value.Value, i int) map[string]value.Value {
	name := n.Step.As.Value
	if name == "" {
		name = "item"
	}
	return with(with(vars, name, item), "index", float64(i))
}

// leftOut reports whether an item has no place in the value of its step.
func leftOut(n *config.Node, done outcome) bool { return done.handled != nil && n.Step.Skip.IsSet() }

// collected is the list of the values of items, or an object where they have keys.
func collected(n *config.Node, all []outcome, keys []string) value.Value {
	list, object := []any{}, value.NewMap()
	for i, done := range all {
		if leftOut(n, done) {
			continue
		}
		list = append(list, orNull(done.value))
		if keys != nil {
			object.Set(keys[i], orNull(done.value))
		}
	}
	if keys != nil {
		return object
	}
	return list
}

// turns runs a step, or an item of it, again until its repeat holds.
func (f *frame) turns(n *config.Node, path string, vars map[string]value.Value) outcome {
	r := n.Step.Repeat
	if r == nil {
		return f.once(n, path, vars)
	}
	list, previous := []any{}, value.Value(nil)
	for turn := 1; turn <= r.Times; turn++ {
		at, in := path+"@"+strconv.Itoa(turn), with(with(vars, "n", float64(turn)), "previous", previous)
		done := f.part(part{at, n, func() outcome { return f.placed(f.work(n, at, in), n) }})
		if done.failed != nil {
			return f.caught(outcome{failed: done.failed}, n, path, vars)
		}
		list, previous = append(list, orNull(done.value)), done.value
		last, failed := f.truth(n, r.Until.Value, with(in, "result", done.value))
		switch {
		case failed != nil:
			return f.caught(outcome{failed: failed}, n, path, vars)
		case last && r.Collect:
			return outcome{value: list}
		case last:
			return outcome{value: previous}
		}
	}
	failed := &failure{code: config.FailNotYet, result: previous}
	if r.Collect {
		failed.result = list
	}
	return f.caught(outcome{failed: failed}, n, path, vars)
}

// once does what a step does, and asks its onError.
func (f *frame) once(n *config.Node, path string, vars map[string]value.Value) outcome {
	if n.Type == config.AskNode {
		return f.ask(n, path, vars)
	}
	return f.caught(f.work(n, path, vars), n, path, vars)
}

// work does what a step does.
func (f *frame) work(n *config.Node, path string, vars map[string]value.Value) (done outcome) {
	switch n.Type {
	case config.StepsNode:
		done.value, done.failed = f.block(n, path, vars)
	case config.TransformNode:
		done.value, done.failed = f.eval(n, n.Expr.Value, vars)
	default:
		return f.called(n, path, vars)
	}
	return done
}

// placed names the step in its failure.
func (f *frame) placed(done outcome, n *config.Node) outcome {
	if done.failed != nil && done.failed.node == "" {
		done.failed.node, done.failed.server, done.failed.tool = f.name(n, ""), n.Server.Value, n.Tool.Value
	}
	return done
}

// ask asks the user. A message that fails no onError takes.
func (f *frame) ask(n *config.Node, path string, vars map[string]value.Value) outcome {
	v, failed := f.walk(n, n.Message, vars)
	text, isText := v.(string)
	if failed == nil && (!isText || text == "") {
		failed = f.placed(outcome{failed: &failure{code: config.FailExpression}}, n).failed
	}
	if failed != nil {
		return outcome{failed: failed}
	}
	done := outcome{value: value.NewMap()}
	switch content, code := answerOfUser(text, n.Schema != nil); {
	case code != "":
		done = outcome{failed: &failure{code: code}}
	case n.Schema != nil:
		done.value = content
	}
	return f.caught(done, n, path, vars)
}
