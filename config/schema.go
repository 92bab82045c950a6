package config

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"sync"
)

// Schema returns the JSON Schema (draft 2020-12) of graph files for editors, indented. It comes
// from the table of keys that the loader uses, without the older forms. The caller owns the
// result.
func Schema() []byte { return bytes.Clone(schemaText()) }

var schemaText = sync.OnceValue(func() []byte {
	root := formSchema(fileForm())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "toolgraph graph file"
	root["patternProperties"] = value{"^x-": value{"description": "Ignored; may hold anchors."}}
	root["$defs"] = schemaDefs()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil { // all values of the table can be encoded
		panic("config: the schema cannot be written: " + err.Error())
	}
	return b.Bytes()
})

func schemaDefs() value {
	defs := value{
		"server":          formSchema(serverForm()),
		"executionLimits": formSchema(limitsForm()),
		"upstream":        upstreamSchema(),
		"oauth":           formSchema(oauthForm()),
		"program":         formSchema(programForm()),
		"tool":            formSchema(toolForm()),
		"annotations":     formSchema(annotationsForm()),
		"argument-schema": formSchema(argumentForm()),
		"icon":            formSchema(iconForm()),
		"allow":           formSchema(allowForm()),
		"toolAllow":       formSchema(toolAllowForm()),
		"pipeline":        formSchema(pipelineForm()),
		"plan":            formSchema(planForm()),
		"passed":          formSchema(passedForm()),
		"allowedFlow":     formSchema(allowedFlowForm()),
		"transform":       formSchema(transformForm()),
		"condition":       formSchema(conditionForm()),
		"toolLimits":      formSchema(toolLimitsForm()),
		"forEach":         formSchema(forEachForm()),
		"retry": value{
			"description": retryForm().doc, "type": "object", "if": value{"required": []any{"until"}},
			"then": formSchema(pollForm()), "else": formSchema(retryForm()),
		},
		"onError": formSchema(onErrorForm()),
		"step":    stepSchema(), "repeat": formSchema(repeatForm()), "stepAsk": formSchema(stepAskForm()), "stepOnError": formSchema(stepOnErrorForm()),
		"cache":    formSchema(cacheForm()),
		"rate":     formSchema(rateForm()),
		"branch":   branchSchema(),
		"argument": argumentSchema(),
		"expression": value{
			"description": "A JSONata expression over the context: $.nodeId is a node's latest output.",
			"type":        "object", "properties": value{"expr": textValue("$.entry.directory")}, "required": []any{"expr"}, "additionalProperties": false,
			"defaultSnippets": []any{snippet("expr", "a JSONata expression", value{"expr": "\\$.${1:entry}.${2:field}"})},
		},
	}
	var branches []any
	for _, t := range NodeTypes {
		name := "node-" + string(t)
		defs[name] = formSchema(nodeForms()[t])
		branches = append(branches, formValue(name))
	}
	defs["node"] = value{
		"description": "One node of a graph; its type says what it does.", "type": "object",
		"properties": value{"type": oneOf(nodeTypeWords()...)}, "required": []any{"id", "type"},
		"oneOf": branches, "defaultSnippets": nodeSnippets(),
	}
	return defs
}

// branchSchema allows the nodes that can be branches.
func branchSchema() value {
	var forms, words []any
	for _, t := range BranchTypes {
		forms, words = append(forms, formSchema(branchForm(nodeForms()[t]))), append(words, string(t))
	}
	return value{
		"description": "One of the calls of a parallel node.", "type": "object",
		"properties": value{"type": oneOf(words...)}, "required": []any{"type"}, "oneOf": forms,
	}
}

func nodeTypeWords() []any {
	var words []any
	for _, t := range NodeTypes {
		words = append(words, string(t))
	}
	return words
}

// formSchema returns the schema of a form's current keys.
func formSchema(f *form) value {
	properties, required := value{}, []any{}
	for _, k := range f.keys {
		if k.older {
			continue
		}
		property := maps.Clone(k.value)
		property["description"] = k.doc
		properties[k.name] = property
		if k.required {
			required = append(required, k.name)
		}
	}
	schema := value{"type": "object", "description": f.doc, "properties": properties, "additionalProperties": f.open}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

// upstreamSchema requires the keys that a server needs by its type.
func upstreamSchema() value {
	return value{
		"description": upstreamForm().doc, "type": "object",
		"if":   value{"properties": value{"type": value{"const": string(Exec)}}, "required": []any{"type"}},
		"then": formSchema(execForm()), "else": reachedSchema(),
		"defaultSnippets": []any{
			snippet("stdio server", "a program", value{"command": "${1:npx}", "args": []any{"${2:-y}", "${3:package}"}}),
			snippet("http server", "an address", value{"type": "streamableHttp", "url": "${1:https://}"}),
			snippet("programs", "programs as tools", value{"type": "exec", "tools": value{"${1:name}": value{"command": []any{"${2:program}"}}}}),
		},
	}
}

// reachedSchema is the schema of a server that speaks the protocol.
func reachedSchema() value {
	schema := formSchema(upstreamForm())
	schema["anyOf"] = []any{
		value{"required": []any{"command"}, "properties": value{"type": value{"const": "stdio"}}},
		value{"required": []any{"url"}, "properties": value{"type": oneOf("streamableHttp", "sse", "http", "streamable-http")}},
	}
	return schema
}

// argumentSchema allows any argument, except an object that has other keys beside expr.
func argumentSchema() value {
	return value{
		"description": "A literal, or {expr: …} for the value of a JSONata expression.",
		"anyOf": []any{
			formValue("expression"),
			value{"type": []any{"string", "number", "boolean", "null"}},
			value{"type": "array", "items": formValue("argument")},
			value{"type": "object", "properties": value{"expr": false}, "additionalProperties": formValue("argument")},
		},
	}
}

func snippet(label, doc string, body value) value {
	return value{"label": label, "description": doc, "body": body}
}

func nodeSnippets() []any {
	bodies := map[NodeType]value{
		EntryNode: {"next": "${1:node}"},
		MCPNode: {
			"server": "${2:server}", "tool": "${3:tool}", "next": "${6:node}",
			"args": value{"${4:name}": value{"expr": "\\$.entry.${5:field}"}},
		},
		GraphNode: {
			"tool": "${2:tool}", "next": "${5:node}",
			"args": value{"${3:name}": value{"expr": "\\$.entry.${4:field}"}},
		},
		ParallelNode: {
			"next": "${8:node}",
			"branches": value{
				"${2:first}":  value{"type": "mcp", "server": "${3:server}", "tool": "${4:tool}"},
				"${5:second}": value{"type": "mcp", "server": "${6:server}", "tool": "${7:tool}"},
			},
		},
		AskNode:       {"message": "${2:Continue?}", "next": "${3:node}"},
		TransformNode: {"transform": value{"expr": "${2:\\$.entry}"}, "next": "${3:node}"},
		SwitchNode: {
			"next":       "${4:node}",
			"conditions": []any{value{"rule": value{">": []any{value{"var": "\\$.${2:entry.value}"}, 0}}, "next": "${3:node}"}},
		},
		ExitNode: {},
	}
	var snippets []any
	for _, t := range NodeTypes {
		body := bodies[t]
		body["id"], body["type"] = "${1:"+string(t)+"}", string(t)
		if t == EntryNode {
			body["id"], body["next"] = "entry", "${1:node}"
		}
		if t == ExitNode {
			body["id"] = "exit"
		}
		snippets = append(snippets, snippet(string(t)+" node", strings.ToLower(nodeForms()[t].doc[:1])+nodeForms()[t].doc[1:], body))
	}
	return snippets
}
