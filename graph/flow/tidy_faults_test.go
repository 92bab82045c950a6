package flow_test

// tidyFaults were written before the checks that find them. Each is an edit of testdata/tidy/graph.yaml.
var tidyFaults = []fault{
	// Messages.
	{"no message", `{id: ready, type: ask, message: "Publish the archive?", `, `«missing-message»{id: ready, type: ask, `},
	{"an empty message", `message: "Publish the archive?"`, `message: «missing-message»""`},
	{"a message of a number", `'"Remove " & $count($.old.names) & " files below " & $.entry.directory & "?"'`, "«message-not-text»$count($.old.names)"},
	{"a message of an optional field", `'"Remove " & $count($.old.names) & " files below " & $.entry.directory & "?"'`, "«maybe-missing»$.entry.label"},
	{"a field in a message", "$count($.old.names) & \" files", "$count($.old.«impossible-path»name) & \" files"},
	{"$item in a message", "& $.entry.directory & \"?\"'", "& $.entry.directory & «unbound-variable»$item'"},
	{"$failure in a message", "& $.entry.directory & \"?\"'", "& $.entry.directory & «unbound-variable»$failure.message'"},
	{"the syntax of a message", "& $.entry.directory & \"?\"'", "& $.entry.directory &«expression-syntax» '"},
	{"a text that looks like an expression", `message: "Publish the archive?"`, "message: «literal-expression»$.entry.directory"},
	{"a template in a message", `message: "Publish the archive?"`, "message: «literal-expression»'{{entry.directory}} is published'"},

	{"a path in a message", `message: "Publish the archive?"`, "message: 'Publish «literal-expression»$.entry.directory?'"},
	{"a path in the value of an onError", "why: {expr: $failure.message}", "why: 'not done: «literal-expression»$failure.message'"},
	{"a message that can be too long", "$count($.old.names) & \" files", "«long-message»$substring($.entry.directory, 0, 5000) & \" files"},
	{"a comma in a text", "value: {removed: 0,", "value: {removed: no, «key-without-value»thank you,"},
	{"bounds of a field", "minimum: 0, maximum: 10", "minimum: «schema-unsatisfiable»10, maximum: 0"},
	{"a choice twice", "enum: [fast, careful]", "enum: [fast, careful, «schema-unsatisfiable»fast]"},

	// Schemas of forms.
	{"a nested object", "keep: {type: integer, minimum: 0, maximum: 10}", "keep: {type: «ask-schema»object, properties: {a: {type: string}}}"},
	{"a list of texts", "kinds: {type: array, minItems: 1, items: {type: string, enum: [text, image]}}", "kinds: {type: array, items: «ask-schema»{type: string}}"},
	{"a list of numbers", "kinds: {type: array, minItems: 1, items: {type: string, enum: [text, image]}}", "kinds: {type: array, items: {type: «ask-schema»integer}}"},
	{"a choice of numbers", "kinds: {type: array, minItems: 1, items: {type: string, enum: [text, image]}}", "kinds: {type: array, items: {type: «ask-schema»integer, enum: [a]}}"},
	{"a list of anything", "kinds: {type: array, minItems: 1, items: {type: string, enum: [text, image]}}", "kinds: {type: «ask-schema»array}"},
	{"no type of a property", "share: {type: number, ", "share: «ask-schema»{"},
	{"two types", "share: {type: number, ", "share: {type: «ask-schema»[number, \"null\"], "},
	{"a type that there is not", "share: {type: number, ", "share: {type: «ask-schema»float, "},
	{"a keyword of numbers", "minimum: 0, maximum: 10", "minimum: 0, «ask-schema»multipleOf: 2"},
	{"a keyword of texts", "minLength: 1, maxLength: 200", "«ask-schema»maximum: 200"},
	{"a format that forms do not have", "format: email", "format: «ask-schema»hostname"},
	{"a password", "why: {type: string,", "«ask-schema»password: {type: string,"},
	{"an API key", "why: {type: string,", "«ask-schema»openaiApiKey: {type: string,"},
	{"a token", "why: {type: string,", "«ask-schema»access_token: {type: string,"},
	{"the format of a password", "why: {type: string,", "why: {type: string, format: «ask-schema»password,"},
	{"choices of numbers", "enum: [fast, careful], default: careful", "enum: [fast, «ask-schema»2], default: fast"},
	{"no choices", "enum: [text, image]", "enum: «ask-schema»[]"},
	{"titles without values", "{const: below, title: Below as well}", "«ask-schema»{title: Below as well}"},
	{"a reference", "share: {type: number, description: \"How much to keep, from 0 to 1\"}", "share: «ask-schema»{$ref: '#/properties/keep'}"},
	{"additionalProperties", "          required: [keepNewest, mode]", "          required: [keepNewest, mode]\n          «ask-schema»additionalProperties: false"},
	{"oneOf at the root", "          required: [keepNewest, mode]", "          «ask-schema»anyOf: [{required: [keepNewest]}]\n          required: [keepNewest, mode]"},
	{"a default of another kind", "title: Keep the newest, default: true", "title: Keep the newest, default: «schema-default»\"yes\""},
	{"a schema of a text", `message: "Publish the archive?", `, `message: "Publish the archive?", schema: {type: «ask-schema»string, properties: {a: {type: string}}}, `},
	{"a schema without a type", `message: "Publish the archive?", `, `message: "Publish the archive?", schema: «ask-schema»{properties: {a: {type: string}}}, `},
	{"a schema without properties", `message: "Publish the archive?", `, `message: "Publish the archive?", schema: «ask-schema»{type: object}, `},
	{"a schema that is a list", `message: "Publish the archive?", `, `message: "Publish the archive?", schema: «ask-schema»[string], `},
	{"a field that is required and not there", "required: [keepNewest, mode]", "required: [keepNewest, mode, «schema-required»modus]"},

	// What an ask gives.
	{"a field of an answer", "$.sure.keepNewest and", "$.sure.«impossible-path»keepLatest and"},
	{"a choice of an answer", "$.sure.mode = \"fast\"", "$.sure.mode «constant-condition»= \"quick\""},
	{"an answer behind onError.next", "transform: {expr: $.sure.removed}", "transform: {expr: $.sure.«impossible-path»keepNewest}"},
	{"an answer that may be missing", "$.sure.keepNewest and", "$.sure.by.«impossible-path»name and"},

	// onError and keys.
	{"a code that a question never gives", "codes: [declined, dismissed]", "codes: [declined, «useless-codes»tool-error]"},
	{"a code that there is not", "codes: [declined, dismissed]", "codes: [declined, «unknown-code»dismised]"},
	{"a retry of a refusal", "effect: destroy\n        confirm: false", "effect: destroy\n        retry: {codes: [tool-error, «useless-codes»declined]}\n        confirm: false"},
	{"a forEach of an ask", "timeoutMs: 120000", "«unknown-key»forEach: {items: $.old.names}"},
	{"an ask as a branch", "          move: {type: mcp, server: files, tool: move, args: {from: a, to: b}, confirm: true}", "          move: «branch-type»{type: ask, message: Sure}"},
	{"confirm of a graph node", "{id: send, type: graph, ", "{id: send, type: graph, «unknown-key»confirm: true, "},
	{"the timeout of an ask", "timeoutMs: 120000", "timeoutMs: «bad-range»0"},
	{"the size of results", "maxResultBytes: 65536", "maxResultBytes: «bad-range»0"},

	// Effects.
	{"a reader that removes", "annotations: {readOnlyHint: false}", "annotations: {«effect-contradicts»readOnlyHint: true}"},
	{"an effect that is unknown", "tool: delete\n        effect: destroy\n        confirm: false\n", "tool: «unknown-effect»delete\n"},
	{"an unknown effect that is refused", "{type: mcp, server: files, tool: move, args: {from: a, to: b}, confirm: true}", "{type: mcp, server: files, tool: «unknown-effect»delete, args: {path: a}, confirm: true}"},
	{"an unknown effect in a called tool", "tool: publish, effect: write", "tool: «unknown-effect»publish"},
	{"a question before reading", "tool: search, args: {directory: {expr: $.entry.directory}, pattern: \"*.bak\"}", "tool: search, «confirm-unused»confirm: true, args: {directory: {expr: $.entry.directory}, pattern: \"*.bak\"}"},

	// Permissions.
	{"a call that the file does not allow", "calls: [\"files.*\", web.publish]\n  confirm⋯tool: publish, effect", "calls: [\"files.*\", «allow-unused»web.publsh]\n  confirm⋯tool: «not-allowed»publish, effect"},
	{"a call that the tool does not allow", "{calls: [\"files.*\", web.publish], effects⋯tool: search, args: {directory: {expr: $.entry.directory}, pattern: \"*\"}", "{calls: [files.move, web.publish], effects⋯tool: «not-allowed»search, args: {directory: {expr: $.entry.directory}, pattern: \"*\"}"},
	{"a call of a called tool", "{calls: [\"files.*\", web.publish], effects⋯tool: publish, effect", "{calls: [\"files.*\"], effects⋯tool: «not-allowed»publish, effect"},
	{"an effect that the tool does not allow", "tool: move, args", "tool: «not-allowed»move, effect: destroy, args"},
	{"an effect that the called tool has", "tool: publish, effect: write", "tool: «not-allowed»publish, effect: destroy"},
	{"an effect that the lock knows", "tool: move, args: {from: a, to: b}", "tool: «not-allowed»clean"},
	{
		"an effect that the lock knows, in a called tool",
		"calls: [\"files.*\", web.publish]\n  confirm⋯{calls: [\"files.*\", web.publish], effects⋯server: web, tool: publish, effect: write, args: {names: {expr: $.entry.names}}",
		"calls: [\"files.*\"]\n  confirm⋯{calls: [\"files.*\"], effects⋯server: files, tool: «not-allowed»clean",
	},
	{"confirm without the effect", "confirm: [write]}", "confirm: [write, «confirm-not-allowed»destroy]}"},
	{"confirm of a tool without the effect of the file", "  confirm: [destroy]⋯effects: [read, write], confirm: [write]}⋯effect: destroy\n        confirm: false⋯tool: clean, args: {}, effect: destroy", "  effects: [read, write]⋯confirm: [write, «confirm-not-allowed»destroy]}⋯effect: write⋯tool: clean, args: {}, effect: write"},
	{"an entry that no node uses", "calls: [\"files.*\", web.publish]\n  confirm", "calls: [\"files.*\", web.publish, «allow-unused»\"web.fetch*\"]\n  confirm"},
	{"a pattern with * in the middle", "calls: [\"files.*\", web.publish]\n  confirm", "calls: [\"files.*\", web.publish, «allow-unused»\"*.publish\"]\n  confirm"},
	{"an effect that there is not", "effects: [read, write]", "effects: [read, «unknown-value»change]"},
	{"a key of allow", "  confirm: [destroy]", "  «unknown-key»confirms: [destroy]"},

	// Results.
	{"a result that is bound by a schema", "    hidden: true\n⋯    outputSchema: {", "⋯    outputSchema: «result-over-schema»{"},
	{"the name of a tool", "  - name: tidy", "  - name: «name-taken»read_result"},
}
