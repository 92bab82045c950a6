package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolgraph/internal/base/wording"
)

// steps decodes the steps of a tool as three nodes: the entry, the steps, the exit.
func (d *decoder) steps(t *Tool, tool *fields) {
	if at := tool.get("steps"); at != nil {
		t.StepsAt = tool.keyPos("steps")
		if tool.get("nodes") != nil {
			d.found.Add(tool.keyPos("steps"), "step-form", tool.who+" has nodes and steps, expected one of them", "remove one of them")
			return
		}
	} else {
		if tool.get("return") != nil {
			d.found.Add(tool.keyPos("return"), "step-form", tool.who+" has return, which belongs to steps", "the result of nodes is the output of the node before the exit")
		}
		return
	}
	pos := t.StepsAt
	name := func(s string) Text { return Text{Value: s, Pos: pos} }
	n := &Node{Pos: pos, ID: name(StepsID), Type: StepsNode, Next: name(StepsExit)}
	d.block(n, tool, tool.who)
	t.Nodes = []*Node{
		{Pos: pos, ID: name(StepsEntry), Type: EntryNode, Next: name(StepsID)}, n, {Pos: pos, ID: name(StepsExit), Type: ExitNode},
	}
}

// block decodes the steps and the return of a tool or a block.
func (d *decoder) block(n *Node, of *fields, who string) {
	for _, it := range of.list("steps") {
		if s := d.step(it); s != nil {
			n.Steps = append(n.Steps, s)
		}
	}
	n.Return = of.expression("return")
	if len(n.Steps) == 0 && !of.bad["steps"] && len(of.list("steps")) == 0 {
		d.found.Add(of.keyPos("steps"), "step-form", "steps of "+who+" is empty, expected a list of steps", "add - {id: NAME, call: SERVER.TOOL}")
	}
}

// step decodes one step; nil when it is no mapping.
func (d *decoder) step(it *item) *Node {
	who := "a step"
	if id := it.get("id").word(); id != "" {
		who = "step " + wording.Quote(id)
	}
	if it.kind != itemMapping {
		d.found.Add(it.pos, "wrong-type", "a step is "+it.describe()+", expected a mapping with id and call, expr, ask or steps", "")
		return nil
	}
	fs := d.open(it, anyStepForm(), who)
	n := &Node{Pos: it.pos, ID: fs.text("id"), Step: &Step{}}
	kind := d.stepKind(fs)
	if kind == "" {
		n.Type = TransformNode
		n.Expr = Text{Value: "null", Pos: it.pos} // so that it has no further findings
		return n
	}
	d.stepKeys(fs, kind)
	s := n.Step
	s.If, s.Each, s.Key, s.Until, s.As = fs.expression("if"), fs.expression("each"), fs.expression("key"), fs.expression("until"), fs.text("as")
	s.MaxParallel, s.After, s.Repeat = fs.integer("maxParallel"), fs.texts("after"), d.repeat(fs)
	if on := fs.get("onError"); on.word() != "" {
		if s.Skip = on.text; s.Skip.Value != "skip" {
			fs.add("onError", "unknown-value", "is "+wording.Quote(on.word())+", expected skip or a mapping", cmp.Or(wording.DidYouMean(on.word(), []string{"skip"}), "write onError: skip, or onError: {value: …}"))
		}
	} else {
		n.OnError = d.stepOnError(fs)
	}
	switch kind {
	case "call":
		s.Call = fs.text("call")
		n.Type, n.Args, n.Help, n.Retry = MCPNode, d.args(fs.get("args")), fs.text("help"), d.retry(fs)
		n.OnCrash, n.Effect, n.Cache = OnCrash(fs.word("onCrash")), Effect(fs.word("effect")), d.cache(fs)
		n.Confirm, n.ConfirmPos = fs.confirm()
		d.stepTimeout(n, fs, kind)
	case "expr":
		n.Type, n.Expr = TransformNode, fs.expression("expr")
	case "ask":
		n.Type, n.Help = AskNode, fs.text("help")
		if ask := d.part(fs, "ask", stepAskForm()); ask != nil {
			n.Message, n.Schema = d.message(ask), d.schema(ask, "schema")
		}
		d.stepTimeout(n, fs, kind)
	case "steps":
		n.Type = StepsNode
		d.block(n, fs, fs.who)
	}
	return n
}

// stepTimeout decodes the timeoutMs of a step, whose range depends on its kind.
func (d *decoder) stepTimeout(n *Node, fs *fields, kind string) {
	fs.form = stepForms()[kind]
	d.timeout(n, fs)
}

// stepKind returns the key that says what a step does; empty, with a finding, when it has none or several.
func (d *decoder) stepKind(fs *fields) string {
	var has []string
	for _, kind := range stepKinds {
		if fs.get(kind) != nil {
			has = append(has, kind)
		}
	}
	switch len(has) {
	case 1:
		return has[0]
	case 0:
		if !slices.ContainsFunc(fs.at.keys, func(k Text) bool { return fs.form.find(k.Value) == nil }) { // an unknown key is reported
			d.found.Add(fs.at.pos, "step-form", fs.who+" does nothing: it has none of call, expr, ask and steps", "add call: SERVER.TOOL, or expr: JSONATA")
		}
	default:
		d.found.Add(fs.keyPos(has[1]), "step-form", fs.who+" has "+strings.Join(has, " and ")+", expected one of them", "make two steps of it")
	}
	return ""
}

// stepKeys reports the keys that a step of this kind does not have, and those that need another.
func (d *decoder) stepKeys(fs *fields, kind string) {
	d.notOfPlan(fs)
	form := stepForms()[kind]
	for _, k := range fs.at.keys {
		if fs.form.find(k.Value) == nil || form.find(k.Value) != nil {
			continue
		}
		hint := "the keys of a step with " + kind + " are " + strings.Join(form.current(), ", ")
		if repeatForm().find(k.Value) != nil && form.find("repeat") != nil {
			hint = "it is a key of repeat: write repeat: {until: …, " + k.Value + ": …}"
		}
		d.found.Add(k.Pos, "step-form", fmt.Sprintf("%s has %s, which a step with %s does not have", fs.who, k.Value, kind), hint)
	}
	if until := fs.get("retry").get("until"); until != nil && kind == "call" {
		d.found.Add(until.pos, "step-form", "retry of "+fs.who+" has until, expected what retries failures", "to call again until it holds, write repeat: {until: …}")
	}
	if fs.get("each") == nil {
		for _, name := range []string{"as", "key", "maxParallel", "until"} {
			if fs.get(name) == nil || form.find(name) == nil {
				continue
			}
			hint := "add each: LIST, or remove " + name
			if name == "until" && form.find("repeat") != nil {
				hint = "to run the step again until it holds, write repeat: {until: …}"
			}
			d.found.Add(fs.keyPos(name), "step-form", fs.who+" has "+name+" without each", hint).Fixed(RemoveKey(fs.keyPos(name)))
		}
	}
	if fs.get("until") != nil && fs.get("maxParallel") != nil && fs.get("each") != nil {
		d.found.Add(fs.keyPos("maxParallel"), "step-form", fs.who+" has until and maxParallel: with until, items run one after the other", "remove maxParallel")
	}
}

// stepOnError decodes the mapping onError of a step.
func (d *decoder) stepOnError(fs *fields) *OnError {
	on := fs.get("onError")
	for _, name := range []string{"expr", "next"} {
		if !on.has(name) || on.kind != itemMapping {
			continue
		}
		hint := "write onError: {value: {expr: …}}"
		if name == "next" {
			hint = "remove next: steps have no edges; the steps below read the value"
		}
		d.found.Add(on.get(name).pos, "step-form", "onError of "+fs.who+" has "+name+", expected codes and value", hint)
		return nil
	}
	return d.onErrorOf(fs, stepOnErrorForm())
}

// repeat decodes the repeat of a step.
func (d *decoder) repeat(step *fields) *Repeat {
	fs := d.part(step, "repeat", repeatForm())
	if fs == nil {
		return nil
	}
	r := &Repeat{Pos: fs.at.pos, Until: fs.expression("until"), Times: fs.integer("times"), Collect: fs.boolean("collect"), Delay: 2 * time.Second}
	if r.Collect {
		r.Delay = 0
	}
	if fs.get("delayMs") != nil {
		r.Delay = fs.milliseconds("delayMs")
	}
	if r.Until.Value == "" && !fs.bad["until"] {
		d.found.Add(fs.at.pos, "step-form", "repeat of "+step.who+" has no until, expected JSONata over $result", "add until: $result.done; for each item of a list write each")
	}
	return r
}

// resolveCalls says of each call of a step what it calls: a tool of a server, of the file or of an
// import. The servers of all files are known.
func (d *decoder) resolveCalls() {
	tools := map[string]bool{}
	for _, t := range d.file.Tools {
		tools[t.Name.Value] = true
	}
	for _, t := range d.file.Tools {
		for _, n := range t.Nodes {
			n.EachStep(func(s *Node) {
				if s.Step.Call.Value != "" {
					d.resolveCall(s, tools)
				}
			})
		}
	}
}

func (d *decoder) resolveCall(n *Node, tools map[string]bool) {
	call := n.Step.Call
	server := ""
	for _, u := range d.file.Servers {
		if name := u.Name.Value; strings.HasPrefix(call.Value, name+".") && len(name) > len(server) {
			server = name
		}
	}
	name, _, dotted := strings.Cut(call.Value, ".")
	isImport := slices.ContainsFunc(d.file.Imports, func(i *Import) bool { return i.Name.Value == name })
	switch {
	case server != "":
		name = server
	case tools[call.Value], isImport, !dotted:
		n.Type, n.Tool = GraphNode, call
		return
	}
	n.Server = Text{Value: name, Pos: call.Pos}
	n.Tool = Text{Value: call.Value[len(name)+1:], Pos: call.At(len(name) + 1)}
}

// EachStep calls f with every step of a node and of the blocks in it, in file order.
func (n *Node) EachStep(f func(*Node)) {
	for _, s := range n.Steps {
		f(s)
		s.EachStep(f)
	}
}

// All returns the node, its branches, and every step of it and of the blocks in it, in file order.
func (n *Node) All() []*Node {
	all := append([]*Node{n}, n.Branches...)
	n.EachStep(func(s *Node) { all = append(all, s) })
	return all
}
