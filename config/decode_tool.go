package config

import (
	"cmp"
	"fmt"
	"slices"

	"toolgraph/internal/base/wording"
)

// tools decodes all tools with their nodes.
func (d *decoder) tools(file *fields) {
	byName := map[string]Pos{}
	var opened []*fields
	for i, it := range file.list("tools") {
		who := fmt.Sprintf("tool %d", i+1)
		if name := it.get("name").word(); name != "" {
			who = fmt.Sprintf("tool %q", wording.Shorten(name))
		}
		fs := d.open(it, toolForm(), who)
		if fs == nil {
			continue
		}
		tool := d.tool(fs)
		if first, twice := byName[tool.Name.Value]; twice && tool.Name.Value != "" {
			d.found.Add(tool.Name.Pos, "duplicate-tool", fmt.Sprintf("duplicate %s (first defined on line %d)", who, first.Line), "rename one of them").Over(tool.Name).Fixed(AnotherName(tool.Name))
		} else {
			byName[tool.Name.Value] = tool.Name.Pos
		}
		d.file.Tools = append(d.file.Tools, tool)
		opened = append(opened, fs)
	}
	d.sharedNodes(file, opened)
}

func (d *decoder) tool(fs *fields) *Tool {
	t := &Tool{
		Pos: fs.at.pos, File: d.file, Name: fs.text("name"), Title: fs.text("title"), Description: fs.text("description"),
		InputSchema: d.schema(fs, "inputSchema"), OutputSchema: d.schema(fs, "outputSchema"), Annotations: d.annotations(fs),
		Icons: d.icons(fs), Meta: d.meta(fs),
		Result: cmp.Or(ResultForm(fs.word("result")), JSONResult), Hidden: fs.boolean("hidden"), Limits: d.ownLimits(fs), LimitsAt: placesIn(fs.get("executionLimits")), Allow: d.allow(fs, toolAllowForm()),
	}
	t.Prompt, t.PromptAt = fs.boolean("prompt"), fs.pos("prompt")
	t.NeedsTask = fs.word("task") == "required"
	d.suggestions(t, fs.who)
	d.constantsInText(t.Title, "title of "+fs.who)
	d.constantsInText(t.Description, "description of "+fs.who)
	if fs.get("inputSchema").isNull() {
		t.InputSchema = &Data{
			Pos: t.Pos, Kind: KindObject, Keys: []Text{{Value: "type", Pos: t.Pos}},
			Items: []*Data{{Pos: t.Pos, Scalar: "object", Text: Text{Value: "object", Pos: t.Pos}}},
		}
	}
	nodes := fs.list("nodes")
	d.duplicateNodes(nodes)
	for _, it := range nodes {
		if n := d.node(it, fs); n != nil {
			t.Nodes = append(t.Nodes, n)
		}
	}
	d.steps(t, fs)
	return t
}

// schema returns a schema as Data; package graph checks it.
func (d *decoder) schema(fs *fields, name string) *Data {
	it := fs.get(name)
	if it.isNull() {
		return nil
	}
	return d.data(it, "")
}

func (d *decoder) annotations(tool *fields) *Data {
	it := tool.get("annotations")
	if it.isNull() {
		return nil
	}
	fs := d.open(it, annotationsForm(), "annotations of "+tool.who)
	if fs == nil {
		return nil
	}
	fs.text("title")
	for _, k := range annotationsForm().keys {
		if k.value["type"] == "boolean" {
			fs.boolean(k.name)
		}
	}
	return d.data(it, "")
}

// duplicateNodes reports duplicate ids in a list of nodes.
func (d *decoder) duplicateNodes(nodes []*item) {
	first := map[string]Pos{}
	for _, it := range nodes {
		id := it.get("id")
		name := id.word()
		if name == "" {
			continue
		}
		if at, twice := first[name]; twice {
			d.found.Add(id.pos, "duplicate-node", fmt.Sprintf("duplicate node %s (first defined on line %d)", wording.Quote(name), at.Line), "rename one of them").Over(id.text).Fixed(AnotherName(id.text))
			continue
		}
		first[name] = id.pos
	}
}

// node decodes one node; tool is nil for a node of the top-level list of an older file. Package
// graph reports missing fields.
func (d *decoder) node(it *item, tool *fields) *Node {
	if it.kind != itemMapping {
		d.found.Add(it.pos, "wrong-type", "a node is "+it.describe()+", expected a mapping with id and type", "")
		return nil
	}
	kind := nodeType(it)
	form, known := nodeForms()[kind]
	who := "a node"
	if id := it.get("id").word(); id != "" {
		who = fmt.Sprintf("node %q", wording.Shorten(id))
	}
	if !known {
		form = anyNodeForm()
	} else {
		who = string(kind) + " " + who
		if who == string(kind)+" a node" {
			who = form.name
		}
	}
	fs := d.open(it, form, who)
	n := &Node{Pos: it.pos, ID: fs.text("id"), Type: kind, Next: fs.text("next")}
	if fs.get("next") == nil && kind != SwitchNode && kind != ExitNode {
		n.Next = fs.nextWithin()
	}
	d.typeOf(n, fs)
	d.body(n, fs, tool)
	return n
}

// nodeType returns the type of a node, with the current name.
func nodeType(it *item) NodeType {
	kind := NodeType(it.get("type").word())
	if kind == olderMCPNode {
		return MCPNode
	}
	return kind
}

// typeOf reports a type that is not text, and finds one under a misspelt key.
func (d *decoder) typeOf(n *Node, fs *fields) {
	switch t := fs.get("type"); {
	case !t.isNull() && t.word() == "":
		fs.wrong("type", wording.Or(NodeTypes), "")
	case n.Type == "":
		n.Type = NodeType(t.word())
	}
}

// body decodes the fields that only one type of node has.
func (d *decoder) body(n *Node, fs *fields, tool *fields) {
	//exhaustive:enforce
	switch n.Type {
	case MCPNode:
		d.calling(n, fs)
		n.Server, n.Retry = fs.text("server"), d.retry(fs)
		n.OnCrash, n.Effect = OnCrash(fs.word("onCrash")), Effect(fs.word("effect"))
		n.Confirm, n.ConfirmPos = fs.confirm()
		n.Cache = d.cache(fs)
	case GraphNode:
		d.calling(n, fs)
	case ParallelNode:
		n.Branches, n.BranchesAt = d.branches(fs), fs.keyPos("branches")
	case AskNode:
		d.ask(n, fs)
	case TransformNode:
		n.Expr, n.OnError = d.transform(fs), d.onError(fs)
	case SwitchNode:
		for i, it := range fs.list("conditions") {
			if c, ok := d.condition(it, fmt.Sprintf("condition %d of %s", i+1, fs.who)); ok {
				n.Conditions = append(n.Conditions, c)
			}
		}
	case EntryNode, ExitNode:
		d.checkOwner(fs, tool)
	case StepsNode: // no node has it
	}
}

func (d *decoder) transform(node *fields) Text {
	it := node.get("transform")
	if it.isNull() {
		return Text{}
	}
	if it.kind == itemScalar {
		node.wrong("transform", "a mapping with expr", "write transform: {expr: …}")
		return Text{}
	}
	fs := d.open(it, transformForm(), "transform of "+node.who)
	if fs == nil {
		return Text{}
	}
	if expr := fs.get("expr"); expr != nil && expr.kind != itemScalar {
		d.found.Add(expr.pos, "wrong-type", fmt.Sprintf("transform.expr of %s is %s, expected text", node.who, expr.describe()), "quote the expression: expr: '{…}'").Over(expr.text).Fixed(Quote(expr.text))
		return Text{Value: "null", Pos: expr.pos} // so that it has no further findings
	}
	return fs.text("expr")
}

func (d *decoder) condition(it *item, who string) (Condition, bool) {
	fs := d.open(it, conditionForm(), who)
	if fs == nil {
		return Condition{}, false
	}
	c := Condition{Pos: it.pos, Next: fs.text("next")}
	if !c.Next.IsSet() {
		c.Next = fs.text("target")
	} else if fs.get("target") != nil {
		d.found.Add(fs.keyPos("target"), "older-target", who+" has both next and target, expected next alone", "remove target").Fixed(RemoveKey(fs.keyPos("target")))
	}
	if slices.ContainsFunc(it.keys, func(k Text) bool { return k.Value == "rule" }) || fs.get("rule") != nil {
		c.Rule = d.data(fs.get("rule"), "")
	}
	return c, true
}
