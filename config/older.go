package config

import (
	"cmp"
	"fmt"
	"slices"

	"toolgraph/internal/base/wording"
)

// olderMCPNode is the older name of the type mcp.
const olderMCPNode = "mcp_tool"

// findOlder warns of each kind of older form once, at its first place, and reports whether the
// file has any.
func (d *decoder) findOlder(root *item) bool {
	o := olderForms{d: d, seen: map[string]bool{}}
	for i, k := range root.keys {
		switch k.Value {
		case "servers":
			o.warn(k.Pos, "older-servers", "servers is the older name of mcpServers", "write mcpServers")
		case "nodes":
			o.warn(k.Pos, "older-nodes", "nodes in one list for all tools is an older form", "put each tool's nodes into its own nodes")
			o.nodes(root.items[i])
		case "tools":
			for _, tool := range root.items[i].items {
				o.tool(tool)
			}
		}
	}
	return len(o.seen) > 0
}

type olderForms struct {
	d    *decoder
	seen map[string]bool
}

func (o *olderForms) warn(pos Pos, code, message, hint string, others ...Fix) {
	if !o.seen[code] {
		o.d.found.Warn(pos, code, message, hint+"; toolgraph upgrade rewrites the file").Fixed(upgrade()).Fixed(others...)
	}
	o.seen[code] = true
}

// upgrade rewrites all older forms of the file.
func upgrade() Fix {
	return fixBy("Upgrade the file to the current language", func(p *Patcher) []Edit {
		text, _, err := Upgrade(p.e.src.name, p.whole)
		if err != nil {
			return nil
		}
		return []Edit{{0, len(p.whole), string(text)}}
	})
}

func (o *olderForms) tool(it *item) {
	var named []Pos
	for _, k := range it.keys {
		if k.Value == "entryNode" || k.Value == "exitNode" {
			named = append(named, k.Pos)
		}
	}
	for i, k := range it.keys {
		switch {
		case it.kind != itemMapping:
		case slices.Contains(named, k.Pos):
			o.warn(k.Pos, "older-entry-node", k.Value+" on a tool is an older form", "remove the line: the node's type says the same", removeKeys(named))
		case k.Value == "nodes":
			o.nodes(it.items[i])
		}
	}
}

func (o *olderForms) nodes(list *item) {
	if list.kind != itemList {
		return
	}
	for _, n := range list.items {
		if n.kind != itemMapping {
			continue
		}
		kind := n.get("type").word()
		for i, k := range n.keys {
			switch {
			case k.Value == "type" && kind == olderMCPNode:
				o.warn(n.items[i].pos, "older-mcp-tool", "mcp_tool is the older name of the type mcp", "write type: mcp")
			case k.Value == "tool" && (kind == string(EntryNode) || kind == string(ExitNode)):
				o.warn(k.Pos, "older-tool-field", "tool on entry and exit nodes is an older form", "put the node into its tool's nodes and remove the line", RemoveKey(k.Pos))
			case k.Value == "conditions" && kind == string(SwitchNode):
				o.conditions(n.items[i])
			}
		}
	}
}

func (o *olderForms) conditions(list *item) {
	if list.kind != itemList {
		return
	}
	for i, c := range list.items {
		if c.kind != itemMapping {
			continue
		}
		for _, k := range c.keys {
			if k.Value == "target" {
				o.warn(k.Pos, "older-target", "target is the older name of a condition's next", "write next")
			}
		}
		// As the last one, with next, it is the current form of a default as well.
		current := i == len(list.items)-1 && c.has("next")
		if !c.has("rule") && (c.has("next") || c.has("target")) && !current {
			o.warn(c.pos, "older-default", "a condition without a rule is an older form of a switch's default", "write next: NODE on the switch itself")
		}
	}
}

// checkOwner checks that tool of an entry or exit node is the tool that contains it.
func (d *decoder) checkOwner(node, tool *fields) {
	it := node.get("tool")
	if it == nil {
		return
	}
	owner := node.text("tool")
	if tool == nil || owner.Value == "" {
		return
	}
	if name := tool.at.get("name").word(); name != owner.Value {
		d.found.Add(it.pos, "unknown-tool", fmt.Sprintf("%s names tool %q, but is in tool %q", node.who, wording.Shorten(owner.Value), wording.Shorten(name)), "remove tool, or move the node").Over(it.text).Fixed(RemoveKey(it.pos))
	}
}

// sharedNodes gives each tool its nodes from the top-level list of an older file: its exit, and
// those that can be reached from its entry.
func (d *decoder) sharedNodes(file *fields, tools []*fields) {
	list := file.list("nodes")
	d.duplicateNodes(list)
	shared := newNodeList(list)
	total := 0
	for i, fs := range tools {
		if fs.get("nodes") != nil {
			d.checkNamed(fs, newNodeList(fs.list("nodes")))
			continue
		}
		if list == nil {
			continue
		}
		d.checkNamed(fs, shared)
		of := shared.of(fs.at)
		if total += len(of); total > maxNodes {
			d.found.Add(fs.at.pos, "too-many-values", fmt.Sprintf("the tools have more than %d nodes when each has its own copy of the shared nodes", maxNodes), "share fewer nodes")
			return
		}
		for _, it := range of {
			if n := d.node(it, nil); n != nil {
				d.file.Tools[i].Nodes = append(d.file.Tools[i].Nodes, n)
			}
		}
	}
	var names []string
	for _, fs := range tools {
		name := fs.at.get("name").word()
		shared.owners[name] = true
		names = append(names, name)
	}
	for _, it := range list {
		d.checkShared(it, shared, names)
	}
}

// checkShared checks a node of the top-level list: that its tool exists, and that a tool uses it.
func (d *decoder) checkShared(it *item, shared *nodeList, tools []string) {
	owner := it.get("tool")
	kind := NodeType(it.get("type").word())
	if name := owner.word(); name != "" && (kind == EntryNode || kind == ExitNode) {
		if !shared.owners[name] {
			near := d.nearest(name, tools)
			d.found.Add(owner.pos, "unknown-tool", "unknown tool "+wording.Quote(name), wording.Meant(near)).Meant(owner.text, near)
		}
	}
	if !shared.used[it] {
		d.node(it, nil) // for its findings
		d.found.Warn(it.pos, "unreachable-node", "no tool reaches node "+wording.Quote(it.get("id").word()), "remove it, or let a node go to it").Fixed(RemoveItem(it.pos))
	}
}

// checkNamed checks entryNode and exitNode of a tool.
func (d *decoder) checkNamed(tool *fields, nodes *nodeList) {
	for key, kind := range map[string]NodeType{"entryNode": EntryNode, "exitNode": ExitNode} {
		name := tool.text(key)
		if !name.IsSet() {
			continue
		}
		n := nodes.byID[name.Value]
		switch {
		case n == nil:
			near := d.nearest(name.Value, nodes.ids)
			d.found.Add(name.Pos, "unknown-node", fmt.Sprintf("%s of %s is %q, but there is no such node", key, tool.who, wording.Shorten(name.Value)), wording.Meant(near)).Meant(name, near)
		case NodeType(n.get("type").word()) != kind:
			d.found.Add(name.Pos, "wrong-type", fmt.Sprintf("%s of %s is %q, expected a node of type %s", key, tool.who, wording.Shorten(name.Value), kind), "")
		}
	}
}

// nodeList is a list of nodes as items.
type nodeList struct {
	index  map[*item]int // in file order
	byID   map[string]*item
	byTool map[string][]*item // entry and exit nodes by their tool
	ids    []string
	used   map[*item]bool  // by some tool
	owners map[string]bool // the names of all tools
}

func newNodeList(list []*item) *nodeList {
	l := &nodeList{
		index: map[*item]int{}, byID: map[string]*item{}, byTool: map[string][]*item{}, used: map[*item]bool{}, owners: map[string]bool{},
	}
	for i, it := range list {
		l.index[it] = i
		if owner := it.get("tool").word(); owner != "" && !slices.Contains(BranchTypes, nodeType(it)) { // not a call of that tool
			l.byTool[owner] = append(l.byTool[owner], it)
		}
		if id := it.get("id").word(); id != "" && l.byID[id] == nil {
			l.byID[id] = it
			l.ids = append(l.ids, id)
		}
	}
	return l
}

// of returns the nodes of a tool, in file order.
func (l *nodeList) of(tool *item) []*item {
	name := tool.get("name").word()
	reached := map[*item]bool{}
	var next []*item
	reach := func(it *item) {
		if it != nil && !reached[it] {
			reached[it] = true
			next = append(next, it)
		}
	}
	for _, it := range l.byTool[name] {
		reach(it)
	}
	reach(l.byID[tool.get("entryNode").word()])
	reach(l.byID[tool.get("exitNode").word()])
	for len(next) > 0 {
		it := next[0]
		next = next[1:]
		reach(l.byID[it.get("next").word()])
		reach(l.byID[it.get("onError").get("next").word()])
		if conditions := it.get("conditions"); conditions != nil {
			for _, c := range conditions.items {
				reach(l.byID[c.get("next").word()])
				reach(l.byID[c.get("target").word()])
			}
		}
	}
	var nodes []*item
	for it := range reached {
		l.used[it] = true
		nodes = append(nodes, it)
	}
	slices.SortFunc(nodes, func(a, b *item) int { return cmp.Compare(l.index[a], l.index[b]) })
	return nodes
}
