package config

// execForm has the keys of a server whose tools are programs.
var execForm = lazyForm(func() *form {
	return &form{
		name: "a server of type exec", doc: "Programs as tools: each call starts one, without a shell. Runs need --allow-exec.",
		keys: []key{
			{name: "type", doc: "exec: the tools are programs.", value: value{"const": string(Exec)}, required: true},
			{name: "tools", doc: "The programs, by the name of the tool.", value: value{
				"type": "object", "minProperties": 1, "propertyNames": value{"pattern": programNamePattern}, "additionalProperties": formValue("program"),
			}, required: true},
			{name: "env", doc: "Variables added to a small safe base. ${VAR} is replaced.", value: settingsValue()},
			{name: "cwd", doc: "The working directory, relative to this file. ${VAR} is replaced.", value: textValue()},
			*upstreamForm().find("timeoutMs"), *upstreamForm().find("maxInFlight"), *upstreamForm().find("rate"), *upstreamForm().find("results"),
		},
	}
})

var programForm = lazyForm(func() *form {
	return &form{
		name: "a program", doc: "One tool. Its arguments: stdin, which the program reads, and args, a list of texts that are added to the command.",
		keys: []key{
			{
				name: "command", doc: "The program, found in PATH, and its first arguments. ${VAR} is replaced. With -- at the end, no argument of a call can be an option.",
				value: value{"type": "array", "items": loose(), "minItems": 1, "examples": []any{[]any{"markitdown"}}}, required: true,
			},
			{name: "timeoutMs", doc: "The time limit of one call, in milliseconds; default: the server's.", value: wholeNumber(0, 3_600_000).withoutDefault()},
			{name: "effect", doc: "What it does: read changes nothing, write adds or changes, destroy removes or overwrites.", value: oneOf(effectWords()...)},
		},
	}
})

// programNamePattern is the pattern of the names that the Model Context Protocol recommends for
// tools.
const programNamePattern = "^[A-Za-z0-9_.-]{1,128}$"
