package config

import (
	"slices"
)

// toolAllowForm has the keys of allow of a tool.
var toolAllowForm = lazyForm(func() *form {
	return &form{
		name: "allow", doc: "What the calls of a run may do; a call outside of it is refused. That of the file and that of a tool both hold.",
		keys: []key{
			{name: "calls", doc: "The tools that may be called, as server.tool; with a * at the end, whatever follows; default: all.", value: listOf(textValue("files.read_text_file", "files.*"))},
			{name: "effects", doc: "What calls may do; an unknown effect counts as destroy; default: everything.", value: listOf(oneOf(effectWords()...))},
			{name: "confirm", doc: "The effects of which each call needs the user's consent; default: none.", value: listOf(oneOf(effectWords()...))},
		},
	}
})

// allowedFlowForm has the keys of an entry of flows.
var allowedFlowForm = lazyForm(func() *form {
	return &form{name: "an allowed flow", doc: "Which servers get what a server answers.", keys: []key{
		{name: "from", doc: "The server whose answers these are.", value: textValue("database"), required: true},
		{name: "to", doc: "The servers that may get them, besides the client; default: none.", value: listOf(textValue("mail"))},
	}}
})

// allowForm has the keys of allow of the file.
var allowForm = lazyForm(func() *form {
	return &form{name: toolAllowForm().name, doc: toolAllowForm().doc, keys: append(slices.Clone(toolAllowForm().keys), key{
		name: "trustImports", doc: "Whether the effect and the confirm: false that imported files give their calls count. With false such an effect is unknown, unless the lock or a trusted server says it.",
		value: value{"type": "boolean", "default": true},
	}, key{
		name: "flows", doc: "Where what a server answers may go: to the servers in to and the client alone. What a server answers that is not named here may go anywhere.",
		value: listOf(formValue("allowedFlow")),
	})}
})

func allowKey(form string) key {
	return key{name: "allow", doc: "What calls may do, and which of them need the user's consent; default: everything, without a question.", value: formValue(form)}
}

// effects are the values of Effect.
var effects = []Effect{ReadEffect, WriteEffect, DestroyEffect}

func effectWords() []any {
	words := make([]any, len(effects))
	for i, effect := range effects {
		words[i] = string(effect)
	}
	return words
}

// askKeys are the keys of an ask node.
var askKeys = nodeKeys(AskNode,
	key{name: "message", doc: "The question: a text, or {expr: …} for the value of a JSONata expression; at most 2000 characters.", required: true, value: value{
		"anyOf": []any{formValue("expression"), value{"type": "string"}}, "examples": []any{"Remove the old files?"},
	}},
	key{name: "schema", doc: "JSON Schema of a form to fill in: an object whose properties are strings, numbers, booleans or enums; default: only yes or no.", value: value{
		"type": "object", "examples": []any{
			map[string]any{"type": "object", "properties": map[string]any{"keepNewest": map[string]any{"type": "boolean", "title": "Keep the newest"}}},
		},
	}},
	timeoutKey("The time limit of the answer, in milliseconds; default: 600000. The run's own time stands still meanwhile.", longestAnswer),
	onErrorKey, helpKey,
	nextKey("the node to go to"))
