package config

import (
	"fmt"

	"toolgraph/internal/base/wording"
)

// calling decodes the fields that nodes which make calls share.
func (d *decoder) calling(n *Node, fs *fields) {
	n.Tool, n.Args, n.Help = fs.text("tool"), d.args(fs.get("args")), fs.text("help")
	n.ForEach, n.OnError = d.forEach(fs), d.onError(fs)
	d.timeout(n, fs)
}

// part opens the mapping under a key of a node; nil when the key is missing or its value is no
// mapping. An empty value is reported: it could mean {} or nothing.
func (d *decoder) part(node *fields, name string, f *form) *fields {
	it := node.get(name)
	if it == nil {
		return nil
	}
	who := name + " of " + node.who
	if it.isNull() {
		d.found.Add(it.pos, "wrong-type", who+" is empty, expected a mapping", "write "+name+": {}, or remove it").Fixed(RemoveKey(it.pos))
		return nil
	}
	return d.open(it, f, who)
}

func (d *decoder) forEach(node *fields) *ForEach {
	fs := d.part(node, "forEach", forEachForm())
	if fs == nil {
		return nil
	}
	return &ForEach{Pos: fs.at.pos, Items: fs.expression("items"), MaxParallel: fs.integer("maxParallel")}
}

func (d *decoder) retry(node *fields) *Retry {
	f := retryForm()
	if node.get("retry").has("until") {
		f = pollForm()
	}
	fs := d.part(node, "retry", f)
	if fs == nil {
		return nil
	}
	var delayAt Pos
	if fs.get("delayMs") != nil {
		delayAt = fs.pos("delayMs")
	}
	return &Retry{
		Pos: fs.at.pos, DelayAt: delayAt, Attempts: fs.integer("attempts"), Delay: fs.milliseconds("delayMs"), MaxDelay: fs.milliseconds("maxDelayMs"),
		Backoff: fs.number("backoff"), Codes: fs.texts("codes"), When: fs.expression("when"), Until: fs.expression("until"),
	}
}

func (d *decoder) onError(node *fields) *OnError { return d.onErrorOf(node, onErrorForm()) }

func (d *decoder) onErrorOf(node *fields, form *form) *OnError {
	fs := d.part(node, "onError", form)
	if fs == nil {
		return nil
	}
	o := &OnError{Pos: fs.at.pos, Codes: fs.texts("codes"), Next: fs.text("next")}
	if it := fs.get("value"); it != nil {
		o.Value = d.data(it, "value")
		d.literal(o.Value, "value")
		for i, child := range o.Value.Items {
			if o.Value.Kind == KindObject {
				d.literal(child, o.Value.Keys[i].Value)
			}
		}
	}
	return o
}

// branches decodes the branches of a parallel node.
func (d *decoder) branches(node *fields) []*Node {
	it := node.get("branches")
	if it.isNull() {
		return nil
	}
	if it.kind != itemMapping {
		node.wrong("branches", "a mapping of names to nodes", "write branches: {NAME: {type: mcp, …}}")
		return nil
	}
	var branches []*Node
	for i, name := range it.keys {
		if n := d.branch(name, it.items[i], node.who); n != nil {
			branches = append(branches, n)
		}
	}
	return branches
}

func (d *decoder) branch(name Text, it *item, of string) *Node {
	who := fmt.Sprintf("branch %s of %s", wording.Quote(name.Value), of)
	if it.kind != itemMapping {
		d.found.Add(it.pos, "wrong-type", who+" is "+it.describe()+", expected a mapping with type", "")
		return nil
	}
	kind := NodeType(it.get("type").word())
	form, known := nodeForms()[kind]
	if !known {
		form = anyNodeForm()
	}
	fs := d.open(it, branchForm(form), who)
	n := &Node{Pos: it.pos, ID: name, Type: kind}
	d.typeOf(n, fs)
	d.notOfBranch(fs)
	d.body(n, fs, nil)
	n.ForEach = nil
	return n
}

// notOfBranch reports the fields that a branch cannot have.
func (d *decoder) notOfBranch(fs *fields) {
	hints := map[string]string{
		"id":      "remove it: the name of a branch is its key",
		"next":    "remove it: the run continues at next of the parallel node, after all branches",
		"forEach": "put the forEach into a tool of its own, and call that with type: graph",
	}
	for _, name := range notOfBranch {
		if fs.get(name) != nil {
			found := d.found.Add(fs.keyPos(name), "branch-field", fs.who+" has "+name+", which a branch cannot have", hints[name])
			if name != "forEach" {
				found.Fixed(RemoveKey(fs.keyPos(name)))
			}
		}
	}
	if onError := fs.get("onError"); onError.has("next") {
		d.found.Add(onError.get("next").pos, "branch-field", "onError of "+fs.who+" has next, which a branch cannot have",
			"give value, and let a switch look at the output")
	}
}

// expression returns the text of a key that holds JSONata.
func (fs *fields) expression(name string) Text {
	if it := fs.get(name); it != nil && it.kind != itemScalar {
		hint := "quote the expression: " + name + ": '…'"
		if it.has("expr") {
			hint = "write the expression itself: " + name + ": " + wording.Shorten(it.get("expr").word())
		}
		fs.wrong(name, "the text of a JSONata expression", hint)
		return Text{Value: "null", Pos: it.pos} // so that it has no further findings
	}
	return fs.text(name)
}

// texts returns the texts of a list; nil when the key is missing, and never nil when it is not.
func (fs *fields) texts(name string) []Text {
	if fs.get(name) == nil {
		return nil
	}
	if word := fs.get(name).word(); word != "" {
		fs.wrong(name, "a list", "write "+name+": ["+wording.Shorten(word)+"]")
		return nil
	}
	all := []Text{}
	for _, it := range fs.list(name) {
		if it.word() == "" {
			fs.d.found.Add(it.pos, "wrong-type", fmt.Sprintf("%s of %s has %s in it, expected texts", name, fs.who, it.describe()), "")
			continue
		}
		all = append(all, it.text)
	}
	return all
}

// ownLimits decodes the executionLimits of a tool or an imported file; 0 in each field that it does
// not set.
func (d *decoder) ownLimits(owner *fields) Limits {
	it := owner.get("executionLimits")
	if it.isNull() {
		return Limits{}
	}
	fs := d.open(it, toolLimitsForm(), "executionLimits of "+owner.who)
	if fs == nil {
		return Limits{}
	}
	return fs.limits()
}

func (fs *fields) limits() Limits {
	return Limits{
		MaxNodeExecutions:  fs.integer("maxNodeExecutions"),
		MaxExecutionTime:   fs.milliseconds("maxExecutionTimeMs"),
		MaxNodeOutputBytes: fs.integer("maxNodeOutputBytes"),
		MaxHistoryBytes:    fs.integer("maxHistoryBytes"),
		MaxDepth:           fs.integer("maxDepth"),
		MaxCalls:           fs.integer("maxCalls"),
		MaxResultBytes:     fs.integer("maxResultBytes"),
	}
}

// Own returns the limits with each that own sets in its place.
func (l Limits) Own(own Limits) Limits {
	return l.with(own, func(int, int) bool { return true })
}

// Narrowed returns the smaller of each two limits. 0 is none.
func (l Limits) Narrowed(by Limits) Limits {
	return l.with(by, func(limit, to int) bool { return limit == 0 || to < limit })
}

// with returns the limits with each of others that is set and that take takes in its place.
func (l Limits) with(others Limits, take func(limit, to int) bool) Limits {
	set := func(limit *int, to int) {
		if to != 0 && take(*limit, to) {
			*limit = to
		}
	}
	set(&l.MaxNodeExecutions, others.MaxNodeExecutions)
	set(&l.MaxNodeOutputBytes, others.MaxNodeOutputBytes)
	set(&l.MaxHistoryBytes, others.MaxHistoryBytes)
	set(&l.MaxDepth, others.MaxDepth)
	set(&l.MaxCalls, others.MaxCalls)
	set(&l.MaxResultBytes, others.MaxResultBytes)
	if to := others.MaxExecutionTime; to != 0 && take(int(l.MaxExecutionTime), int(to)) {
		l.MaxExecutionTime = to
	}
	return l
}
