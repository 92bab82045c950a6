package config

import (
	"slices"
	"sync"
)

// stepKinds are the keys of which a step has exactly one, in the order of the documentation.
var stepKinds = []string{"call", "expr", "ask", "steps"}

// stepForms are the keys of each kind of step, by the key that makes it one.
var stepForms = sync.OnceValue(func() map[string]*form {
	retry := *nodeForms()[MCPNode].find("retry")
	ofMCP := func(names ...string) (keys []key) {
		for _, name := range names {
			keys = append(keys, *nodeForms()[MCPNode].find(name))
		}
		return keys
	}
	each := []key{
		{name: "each", doc: "JSONata of a list: the step runs once for each item; its value is the list of the values.", value: textValue("found.files")},
		{name: "as", doc: "The name of the variable that is the item, without $; default: item.", value: value{"type": "string", "pattern": stepNamePattern, "examples": []any{"file"}}},
		{name: "key", doc: "JSONata of a text for each item: the value is an object with these keys.", value: textValue("$file.name")},
		{name: "maxParallel", doc: "The largest number of items at the same time; default: 8, or 1 where the step may change something.", value: wholeNumber(0, 256).withoutDefault(), badRange: true},
		{name: "until", doc: "JSONata over $result: items run one after the other, and the first for which it holds is the last.", value: textValue("$result.ok")},
	}
	repeat := key{name: "repeat", doc: "Runs the step again until a condition holds.", value: formValue("repeat")}
	onError := key{name: "onError", doc: "What takes the place of the value after a failure; skip leaves it out.", value: value{"anyOf": []any{value{"const": "skip"}, formValue("stepOnError")}}}
	timeout := timeoutKey("The time limit of one attempt, in milliseconds; default: the server's.", longestCall)
	step := func(kind, doc string, own key, keys ...[]key) *form {
		own.required = true
		return &form{name: "a step with " + kind, doc: doc, keys: slices.Concat([]key{
			{name: "id", doc: "The name of the step, by which expressions below read its value.", value: value{"type": "string", "pattern": stepNamePattern}, required: true},
			own,
			{name: "if", doc: "JSONata: the step runs when it is true as $boolean has it.", value: textValue("$count(found.files) > 0")},
			{name: "after", doc: "Steps above that end first, though this one reads nothing of them.", value: listOf(textValue())},
		}, slices.Concat(keys...))}
	}
	return map[string]*form{
		"call": step("call", "Calls a tool; its value is the value of the call.",
			key{name: "call", doc: "SERVER.TOOL, a tool of this file, or IMPORT.TOOL.", value: textValue("files.read_text_file")},
			[]key{argsKey}, each, []key{repeat, onError, timeout, helpKey, retry}, ofMCP("effect", "confirm", "cache", "onCrash")),
		"expr": step("expr", "Computes a value.", key{name: "expr", doc: "JSONata of the value.", value: textValue("$count(found.files)")}, each, []key{onError}),
		"ask": step("ask", "Asks the user; its value is what the user filled in.", key{name: "ask", doc: "The question.", value: formValue("stepAsk")},
			[]key{onError, timeoutKey("The time limit of the answer, in milliseconds; default: 600000. The run's own time stands still meanwhile.", longestAnswer), helpKey}),
		"steps": step("steps", "A block: steps of its own.", key{name: "steps", doc: "The steps of the block.", value: listOf(formValue("step"))},
			[]key{{name: "return", doc: "JSONata of the block's value; default: the value of its last step.", value: textValue()}}, each, []key{repeat, onError}),
	}
})

// stepNamePattern is the pattern of the ids of steps.
const stepNamePattern = "^[A-Za-z_][A-Za-z0-9_]*$"

// anyStepForm has the keys of all kinds: a key that another kind has gets a finding of its own.
var anyStepForm = lazyForm(func() *form {
	all := &form{name: "a step"}
	for _, kind := range stepKinds {
		for _, k := range stepForms()[kind].keys {
			switch before := all.find(k.name); {
			case before == nil:
				k.required = false
				all.keys = append(all.keys, k)
			case k.name == "timeoutMs": // that of an answer is longer than that of a call before it
				before.value = k.value
			}
		}
	}
	for _, k := range repeatForm().keys {
		if all.find(k.name) == nil {
			all.keys = append(all.keys, key{name: k.name, older: true}) // known, for a finding of its own
		}
	}
	return all
})

// repeatForm has the keys of repeat.
var repeatForm = lazyForm(func() *form {
	return &form{
		name: "repeat", doc: "Runs a call or a block again until a condition holds.",
		keys: []key{
			{name: "until", doc: "JSONata over $result, the value of this turn, and $n, its number from 1.", value: textValue("$result.status = 'done'"), required: true},
			{name: "times", doc: "The largest number of turns.", value: wholeNumber(10, 1000), badRange: true},
			{name: "delayMs", doc: "The wait between two turns, in milliseconds; default: 2000, with collect 0.", value: value{"type": "integer", "minimum": 0, "maximum": 3_600_000}, badRange: true},
			{name: "collect", doc: "Whether the value is the list of the results of all turns; default: the last result.", value: value{"type": "boolean", "default": false}},
		},
	}
})

// stepAskForm has the keys of the ask of a step.
var stepAskForm = lazyForm(func() *form {
	f := &form{name: "ask", doc: "A question to the user."}
	for _, k := range askKeys {
		if k.name == "message" || k.name == "schema" {
			f.keys = append(f.keys, k)
		}
	}
	return f
})

// stepOnErrorForm has the keys of the onError of a step.
var stepOnErrorForm = lazyForm(func() *form {
	f := *onErrorForm()
	f.doc = "What takes the place of the value after a failure; {} is {error: …}."
	f.keys = slices.DeleteFunc(slices.Clone(f.keys), func(k key) bool { return k.name == "next" })
	return &f
})

// stepSchema allows the keys of each kind of step.
func stepSchema() value {
	var kinds []any
	for _, kind := range stepKinds {
		kinds = append(kinds, formSchema(stepForms()[kind]))
	}
	properties := formSchema(anyStepForm())["properties"]
	return value{
		"description": "One step: exactly one of call, expr, ask and steps says what it does.", "type": "object",
		"properties": properties, "required": []any{"id"}, "oneOf": kinds,
		"defaultSnippets": []any{
			snippet("call step", "a call", value{"id": "${1:found}", "call": "${2:server}.${3:tool}", "args": value{"${4:name}": value{"expr": "args.${5:field}"}}}),
			snippet("expr step", "a value", value{"id": "${1:value}", "expr": "${2:\\$count(found)}"}),
			snippet("each step", "a call for each item", value{"id": "${1:texts}", "each": "${2:found}", "as": "${3:item}", "call": "${4:server}.${5:tool}", "args": value{"${6:name}": value{"expr": "\\$${3:item}"}}}),
			snippet("block step", "steps of its own for each item", value{
				"id": "${1:rows}", "each": "${2:found}", "as": "${3:item}",
				"steps":  []any{value{"id": "${4:text}", "call": "${5:server}.${6:tool}", "args": value{"${7:name}": value{"expr": "\\$${3:item}"}}}},
				"return": "${8:text}",
			}),
			snippet("ask step", "a question to the user", value{"id": "${1:sure}", "ask": value{"message": "${2:Continue?}"}}),
		},
	}
}
