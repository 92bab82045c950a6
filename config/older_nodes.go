package config

import "fmt"

// sharedNodes gives each tool its nodes of the one list that an older file has: those
// that can be reached from its entry, and its exit.
func (d *decoder) sharedNodes(file *fields, tools []*fields) {
	list := file.list("nodes")
	d.duplicateNodes(list)
	shared := newNodeList(list)
	for i, fs := range tools {
		if fs.get("nodes") != nil {
			d.checkNamed(fs, newNodeList(fs.list("nodes")))
			continue
		}
		if list == nil {
			continue
		}
		d.checkNamed(fs, shared)
		for _, it := range shared.of(fs.at) {
			if n := d.node(it, nil); n != nil {
				d.file.Tools[i].Nodes = append(d.file.Tools[i].Nodes, n)
			}
		}
	}
	var names []string
	for _, fs := range tools {
		names = append(names, fs.at.get("name").word())
	}
	for _, it := range list {
		d.checkShared(it, shared, names)
	}
}

// checkShared checks a node of the one list: its tool, and that some tool has it.
func (d *decoder) checkShared(it *item, shared *nodeList, tools []string) {
	owner := it.get("tool")
	kind := NodeType(it.get("type").word())
	if name := owner.word(); name != "" && (kind == EntryNode || kind == ExitNode) {
		known := false
		for _, t := range tools {
			known = known || t == name
		}
		if !known {
			d.found.Add(owner.pos, "unknown-tool", fmt.Sprintf("there is no tool %q", shortened(name)), meant(name, tools, ""))
		}
	}
	if !shared.used[it] {
		d.node(it, nil) // for what is wrong in it
		d.found.Warn(it.pos, "unreachable-node", fmt.Sprintf("the node %q is reached by no tool", shortened(it.get("id").word())), "remove it, or let a node go to it")
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
			d.found.Add(name.Pos, "unknown-node", fmt.Sprintf("%s of %s is %q, but there is no such node", key, tool.who, shortened(name.Value)), meant(name.Value, nodes.ids, ""))
		case NodeType(n.get("type").word()) != kind:
			d.found.Add(name.Pos, "wrong-type", fmt.Sprintf("%s of %s is %q, expected a node of type %s", key, tool.who, shortened(name.Value), kind), "")
		}
	}
}

// nodeList is a list of nodes as items.
type nodeList struct {
	list []*item
	byID map[string]*item
	ids  []string
	used map[*item]bool // by some tool
}

func newNodeList(list []*item) *nodeList {
	l := &nodeList{list: list, byID: map[string]*item{}, used: map[*item]bool{}}
	for _, it := range list {
		if id := it.get("id").word(); id != "" && l.byID[id] == nil {
			l.byID[id] = it
			l.ids = append(l.ids, id)
		}
	}
	return l
}

// of are the nodes of a tool, in file order.
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
	for _, it := range l.list {
		if owner := it.get("tool").word(); owner != "" && owner == name && it.get("type").word() != string(MCPNode) && it.get("type").word() != olderMCPNode {
			reach(it)
		}
	}
	reach(l.byID[tool.get("entryNode").word()])
	reach(l.byID[tool.get("exitNode").word()])
	for len(next) > 0 {
		it := next[0]
		next = next[1:]
		reach(l.byID[it.get("next").word()])
		if conditions := it.get("conditions"); conditions != nil {
			for _, c := range conditions.items {
				reach(l.byID[c.get("next").word()])
				reach(l.byID[c.get("target").word()])
			}
		}
	}
	var nodes []*item
	for _, it := range l.list {
		if reached[it] {
			l.used[it] = true
			nodes = append(nodes, it)
		}
	}
	return nodes
}
