package config

import "gopkg.in/yaml.v3"

// tellMoves notes what moveNodes and removeOwners are going to do, while the places
// are those of the older file.
func (e *editor) tellMoves() {
	if i := pair(e.root, "nodes"); i >= 0 {
		e.change(e.root.Content[i], "the nodes now stand in their tools")
	}
	e.eachOwner(func(mapping *yaml.Node, i int) {
		key := mapping.Content[i]
		e.change(key, key.Value+" is gone: the node's type and the tool it stands in say it")
	})
}

// removeOwners takes out what told which tool a node is of.
func (e *editor) removeOwners() { e.eachOwner(e.removePair) }

// eachOwner visits what tells which tool a node is of.
func (e *editor) eachOwner(visit func(mapping *yaml.Node, i int)) {
	for _, tool := range children(under(e.root, "tools")) {
		for _, key := range []string{"entryNode", "exitNode"} {
			if i := pair(tool, key); i >= 0 {
				visit(tool, i)
			}
		}
	}
	for _, node := range e.allNodes() {
		if kind := word(node, "type"); kind != string(EntryNode) && kind != string(ExitNode) {
			continue
		}
		if i := pair(node, "tool"); i >= 0 {
			visit(node, i)
		}
	}
}
