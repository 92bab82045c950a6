package config

import (
	"fmt"
)

// olderMCPNode is what the type mcp was called.
const olderMCPNode = "mcp_tool"

// findOlder reports each kind of older form once, at its first place, and tells
// whether there is any.
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

func (o *olderForms) warn(pos Pos, code, message, hint string) {
	if !o.seen[code] {
		o.d.found.Warn(pos, code, message, hint+"; toolgraph upgrade rewrites the file")
	}
	o.seen[code] = true
}

func (o *olderForms) tool(it *item) {
	for i, k := range it.keys {
		switch {
		case it.kind != itemMapping:
		case k.Value == "entryNode" || k.Value == "exitNode":
			o.warn(k.Pos, "older-entry-node", k.Value+" on a tool is an older form", "the node's type says it: remove the line")
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
				o.warn(k.Pos, "older-tool-field", "tool on entry and exit nodes is an older form", "put the node into its tool's nodes and remove the line")
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

// checkOwner checks tool of an entry or exit node against the tool it stands in.
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
		d.found.Add(it.pos, "unknown-tool", fmt.Sprintf("%s is of tool %q but stands in tool %q", node.who, shortened(owner.Value), shortened(name)), "remove tool, or move the node")
	}
}
