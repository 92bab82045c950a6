package config

import "slices"

// nodeForms are the keys of each node type.
var nodeForms = map[NodeType]*form{
	EntryNode: {
		name: "an entry node", doc: "Where a run begins; its output is the tool's arguments.",
		keys: nodeKeys(EntryNode, nextKey("the node to start with"), key{name: "tool", older: true}),
	},
	MCPNode: {
		name: "an mcp node", doc: "Calls a tool of a server; its output is the call's value.",
		keys: nodeKeys(MCPNode,
			key{name: "server", doc: "A name of mcpServers.", value: textValue(), required: true},
			key{name: "tool", doc: "The tool to call.", value: textValue(), required: true},
			key{name: "args", doc: "The arguments: literal, but {expr: …} at any depth is a JSONata expression.", value: value{
				"type": "object", "additionalProperties": formValue("argument"),
				"examples": []any{map[string]any{"path": map[string]any{"expr": "$.entry.directory"}}},
			}},
			key{name: "onCrash", doc: "When we die in the middle of the call and the run is resumed: rerun calls again, stop ends the run. " +
				"When left out, only a tool that is read-only or idempotent, of a trusted server, is called again.", value: oneOf("rerun", "stop")},
			nextKey("the node to go to")),
	},
	TransformNode: {
		name: "a transform node", doc: "Computes a value with JSONata; its output is that value.",
		keys: nodeKeys(TransformNode,
			key{name: "transform", doc: "The JSONata expression that computes the output.", value: formValue("transform"), required: true},
			nextKey("the node to go to")),
	},
	SwitchNode: {
		name: "a switch node", doc: "Goes to the first condition whose rule holds, else to next; its output is the id of that node.",
		keys: nodeKeys(SwitchNode,
			key{name: "conditions", doc: "Tried in order: the first condition whose rule holds is taken, else next.", value: listOf(formValue("condition"))},
			nextKey("the default: the node to go to when no rule holds")),
	},
	ExitNode: {
		name: "an exit node", doc: "Ends the run; the result is the output of the node executed before it.",
		keys: nodeKeys(ExitNode, key{name: "tool", older: true}),
	},
}

// nodeTypes are the types in the order of the documentation.
var nodeTypes = []NodeType{EntryNode, MCPNode, TransformNode, SwitchNode, ExitNode}

// anyNodeForm has the keys of all types, for a node whose type is unknown.
var anyNodeForm = func() *form {
	all := &form{name: "a node"}
	for _, t := range nodeTypes {
		for _, k := range nodeForms[t].keys {
			if all.find(k.name) == nil {
				k.required = false
				all.keys = append(all.keys, k)
			}
		}
	}
	return all
}()

var transformForm = form{
	name: "transform", doc: "What a transform node computes.",
	keys: []key{{name: "expr", doc: "JSONata over the context: $.nodeId is a node's latest output.", value: textValue("$.entry.directory"), required: true}},
}

var conditionForm = form{
	name: "a condition", doc: "One way out of a switch.",
	keys: []key{
		{name: "rule", doc: "JSON Logic; the text of a var is JSONata over the context.", required: true, value: value{
			"examples": []any{map[string]any{">": []any{map[string]any{"var": "$.entry.value"}, 10}}},
		}},
		{name: "next", doc: "The node to go to when the rule holds.", value: textValue(), required: true},
		{name: "target", older: true},
	},
}

func nodeKeys(t NodeType, more ...key) []key {
	return append([]key{
		{name: "id", doc: "The node's name, unique in its tool: expressions read its output as $.id.", value: textValue(), required: true},
		{name: "type", doc: "What the node does.", value: value{"const": string(t)}, required: true},
	}, more...)
}

func nextKey(doc string) key {
	return key{name: "next", doc: "The id of " + doc + ".", value: textValue(), required: true}
}

// ownersOf are the node types that have a key, for a remark on a key in the wrong place.
func ownersOf(name string) []NodeType {
	var owners []NodeType
	for _, t := range nodeTypes {
		if k := nodeForms[t].find(name); k != nil && !k.older {
			owners = append(owners, t)
		}
	}
	return slices.Clip(owners)
}
