package config

// form is one kind of mapping in the language. The forms below are the only list of
// its keys: the loader refuses what is not here, and Schema tells editors what is.
type form struct {
	name string // in messages, with an article
	doc  string
	keys []key
	open bool // unknown keys are let through
}

// key is one key of a form.
type key struct {
	name     string
	doc      string
	value    value
	required bool
	older    bool // of the older language: not in the schema
}

// value is what may stand under a key, as JSON Schema.
type value map[string]any

func (f *form) find(name string) *key {
	for i := range f.keys {
		if f.keys[i].name == name {
			return &f.keys[i]
		}
	}
	return nil
}

// current are the names of the keys that a file of today may use.
func (f *form) current() []string {
	var names []string
	for _, k := range f.keys {
		if !k.older {
			names = append(names, k.name)
		}
	}
	return names
}

func textValue(examples ...any) value {
	v := value{"type": "string"}
	if len(examples) > 0 {
		v["examples"] = examples
	}
	return v
}

func positive(normal int) value {
	return value{"type": "integer", "minimum": 1, "default": normal}
}

func flag() value { return value{"type": "boolean"} }

func oneOf(words ...any) value { return value{"enum": words} }

func formValue(name string) value { return value{"$ref": "#/$defs/" + name} }

func listOf(v value) value { return value{"type": "array", "items": v} }

// loose is text, or a number or a bool that is meant as text.
func loose() value { return value{"type": []any{"string", "number", "boolean"}} }

func settingsValue() value { return value{"type": "object", "additionalProperties": loose()} }

var fileForm = form{
	name: "the graph file", doc: "A graph file: each entry of tools becomes one MCP tool.",
	keys: []key{
		{name: "version", doc: "The version of the language.", value: value{"type": []any{"string", "number"}, "examples": []any{"1.0"}}},
		{name: "server", doc: "What a host is told about this server.", value: formValue("server"), required: true},
		{name: "executionLimits", doc: "The limits of one run.", value: formValue("executionLimits")},
		{name: "mcpServers", doc: "The servers that mcp nodes call, by name.", value: value{"type": "object", "additionalProperties": formValue("upstream")}},
		{name: "tools", doc: "The tools; each is a graph of nodes.", value: listOf(formValue("tool"))},
		{name: "servers", older: true},
		{name: "nodes", older: true},
	},
}

var serverForm = form{
	name: "server", doc: "What a host is told about this server.",
	keys: []key{
		{name: "name", doc: "The server's name.", value: textValue("file-tools"), required: true},
		{name: "version", doc: "The server's version.", value: value{"type": []any{"string", "number"}, "examples": []any{"1.0.0"}}, required: true},
		{name: "title", doc: "The name that people see; name when left out.", value: textValue()},
		{name: "instructions", doc: "Tells an agent when to use these tools.", value: textValue()},
		{name: "description", older: true},
	},
}

var limitsForm = form{
	name: "executionLimits", doc: "The limits of one run.",
	keys: []key{
		{name: "maxNodeExecutions", doc: "How many nodes may run, loops counted.", value: positive(1000)},
		{name: "maxExecutionTimeMs", doc: "Wall clock of a run in milliseconds, calls in flight included.", value: positive(300_000)},
		{name: "maxNodeOutputBytes", doc: "The largest output of a node, as compact JSON.", value: positive(64 << 20)},
		{name: "maxHistoryBytes", doc: "All outputs of a run together, as compact JSON.", value: positive(512 << 20)},
	},
}

var toolForm = form{
	name: "a tool", doc: "One MCP tool and the graph behind it.",
	keys: []key{
		{name: "name", doc: "The tool's name.", value: textValue("count_files"), required: true},
		{name: "title", doc: "The name that people see.", value: textValue()},
		{name: "description", doc: "What an agent reads to decide whether to call the tool.", value: textValue()},
		{name: "inputSchema", doc: "JSON Schema of the arguments; of type object.", value: value{"type": "object", "examples": []any{
			map[string]any{"type": "object", "properties": map[string]any{"directory": map[string]any{"type": "string"}}, "required": []any{"directory"}},
		}}},
		{name: "outputSchema", doc: "JSON Schema of the result.", value: value{"type": "object"}},
		{name: "annotations", doc: "Hints for hosts; derived from the tools that the graph calls when left out.", value: formValue("annotations")},
		{name: "result", doc: "text sends a result that is a string as plain text, not as a JSON string; json, the default, sends every result as JSON.", value: oneOf("json", "text")},
		{name: "nodes", doc: "The graph: one entry, one exit, and what lies between.", value: listOf(formValue("node"))},
		{name: "entryNode", older: true},
		{name: "exitNode", older: true},
	},
}

var annotationsForm = form{
	name: "annotations", doc: "Hints about a tool, as the Model Context Protocol defines them.",
	keys: []key{
		{name: "title", doc: "The name that people see.", value: textValue()},
		{name: "readOnlyHint", doc: "The tool changes nothing.", value: flag()},
		{name: "destructiveHint", doc: "The tool may destroy something.", value: flag()},
		{name: "idempotentHint", doc: "Calling it again with the same arguments changes nothing more.", value: flag()},
		{name: "openWorldHint", doc: "The tool reaches things outside, such as the web.", value: flag()},
	},
}
