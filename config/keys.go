package config

import "sync"

// form is one kind of mapping in the language. The forms below are the only list of its keys:
// the loader rejects other keys and values, and Schema lists these for editors.
type form struct {
	name string // in messages, with an article
	doc  string
	keys []key
	open bool // unknown keys are allowed
}

// key is one key of a form.
type key struct {
	name     string
	doc      string
	value    value
	required bool
	older    bool // of the older language; not in the schema
	common   bool // files of other kinds have it, too: it does not show a graph file

	badRange bool // a number out of range has the code bad-range, not out-of-range
}

// value is the JSON Schema of a key's value. The loader reads its enum, minimum, maximum and
// default.
type value map[string]any

// lazyForm returns a function that makes a form at its first call: few files have all of them.
//
//go:noinline
func lazyForm(newForm func() *form) func() *form { return sync.OnceValue(newForm) }

func (f *form) find(name string) *key {
	for i := range f.keys {
		if f.keys[i].name == name {
			return &f.keys[i]
		}
	}
	return nil
}

// identifies reports whether a key shows that a file has this form.
func (f *form) identifies(name string) bool {
	k := f.find(name)
	return k != nil && !k.common
}

// current returns the names of the keys that are not of the older language.
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

// wholeNumber is a number from 1 to most, without an upper bound when most is 0.
func wholeNumber(normal, most int) value {
	v := value{"type": "integer", "minimum": 1, "default": normal}
	if most > 0 {
		v["maximum"] = most
	}
	return v
}

func flag() value { return value{"type": "boolean"} }

func oneOf(words ...any) value { return value{"enum": words} }

func formValue(name string) value { return value{"$ref": "#/$defs/" + name} }

func listOf(v value) value { return value{"type": "array", "items": v} }

// loose is the schema of a text that may be written as a number or a boolean.
func loose() value { return value{"type": []any{"string", "number", "boolean"}} }

func settingsValue() value { return value{"type": "object", "additionalProperties": loose()} }

var fileForm = lazyForm(func() *form {
	return &form{
		name: "the graph file", doc: "A graph file: each entry of tools becomes one MCP tool.",
		keys: []key{
			{name: "version", doc: "The version of the language.", value: value{"type": []any{"string", "number"}, "examples": []any{"1.0"}}},
			{name: "server", doc: "The name and description of this server for clients.", value: formValue("server"), required: true},
			{name: "executionLimits", doc: "The limits of one run.", value: formValue("executionLimits")},
			allowKey("allow"),
			{name: "vars", doc: "Constants: $vars.NAME in expressions, ${vars.NAME} wherever ${VAR} may stand. --var NAME=VALUE gives one another value.", common: true, value: value{
				"type": "object", "propertyNames": value{"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}, "examples": []any{map[string]any{"region": "eu", "top": 20}},
			}},
			importsKey,
			{name: "mcpServers", doc: "The servers that mcp nodes call, by name.", value: value{"type": "object", "additionalProperties": formValue("upstream")}},
			{name: "tools", doc: "The tools; each is a graph of nodes.", value: listOf(formValue("tool"))},
			pipelineKey,
			planKey,
			exposeKey,
			{name: "servers", older: true},
			{name: "nodes", older: true},
		},
	}
})

var serverForm = lazyForm(func() *form {
	return &form{
		name: "server", doc: "The name and description of this server for clients.",
		keys: []key{
			{name: "name", doc: "The server's name.", value: textValue("file-tools"), required: true},
			{name: "version", doc: "The server's version.", value: value{"type": []any{"string", "number"}, "examples": []any{"1.0.0"}}, required: true},
			{name: "title", doc: "The name for people; default: name.", value: textValue()},
			{name: "instructions", doc: "When an agent should use these tools.", value: textValue()},
			iconsKey("the server"),
			{name: "taskAfterMs", doc: "How long a call may take before a client that has the Tasks extension gets a task in place of its result, in milliseconds.", value: wholeNumber(int(DefaultTaskAfter.Milliseconds()), 3_600_000)},
			{name: "description", older: true},
		},
	}
})

var limitsForm = lazyForm(func() *form {
	return &form{
		name: "executionLimits", doc: "The limits of one run.",
		keys: []key{
			{name: "maxNodeExecutions", doc: "The largest number of node executions, repetitions in loops included.", value: wholeNumber(1000, 0)},
			{name: "maxExecutionTimeMs", doc: "Wall clock of a run in milliseconds, calls in flight included.", value: wholeNumber(300_000, 86_400_000)},
			{name: "maxNodeOutputBytes", doc: "The largest output of a node, and the largest arguments of a call, as compact JSON.", value: wholeNumber(64<<20, 256<<20)},
			{name: "maxHistoryBytes", doc: "All outputs of a run together, as compact JSON.", value: wholeNumber(512<<20, 64<<30)},
			{name: "maxDepth", doc: "How deep graphs may call each other; the graph of the called tool itself has depth 1.", value: wholeNumber(DefaultMaxDepth, 64), badRange: true},
			{name: "maxCalls", doc: "The largest number of calls to servers in a run, repeated attempts included; default: no limit.", value: wholeNumber(0, 0).withoutDefault(), badRange: true},
			{name: "maxResultBytes", doc: "The largest result for a client, as compact JSON. A larger one is kept: the client gets a summary, and reads parts of it with the tool read_result. Default: no limit.", value: wholeNumber(0, 0).withoutDefault(), badRange: true},
		},
	}
})

var toolForm = lazyForm(func() *form {
	return &form{
		name: "a tool", doc: "One MCP tool and the graph behind it.",
		keys: []key{
			{name: "name", doc: "The tool's name.", value: textValue("count_files"), required: true},
			{name: "title", doc: "The name for people.", value: textValue()},
			{name: "description", doc: "The description by which an agent decides whether to call the tool.", value: textValue()},
			{name: "inputSchema", doc: "JSON Schema of the arguments; of type object.", value: inputValue()},
			{name: "outputSchema", doc: "JSON Schema of the result.", value: value{"type": "object"}},
			{name: "annotations", doc: "Hints for clients; default: derived from the tools that the graph calls.", value: formValue("annotations")},
			iconsKey("the tool"),
			metaKey,
			{name: "result", doc: "text sends a result that is a string as plain text, not as a JSON string; json, the default, sends every result as JSON.", value: oneOf("json", "text")},
			{name: "hidden", doc: "Whether only graphs and tests call the tool: clients do not see it.", value: value{"type": "boolean", "default": false}},
			promptKey(),
			taskKey(),
			{name: "executionLimits", doc: "The tool's own limits, in place of the file's.", value: formValue("toolLimits")},
			allowKey("toolAllow"),
			{name: "nodes", doc: "The graph: one entry, one exit, and the nodes between.", value: listOf(formValue("node"))},
			{name: "steps", doc: "In place of nodes: steps, each of which runs when the steps that it reads have ended.", value: listOf(formValue("step"))},
			{name: "return", doc: "With steps: JSONata of the result; default: the value of the last step.", value: textValue("report")},
			{name: "entryNode", older: true},
			{name: "exitNode", older: true},
		},
	}
})

var annotationsForm = lazyForm(func() *form {
	return &form{
		name: "annotations", doc: "Hints about a tool, as the Model Context Protocol defines them.",
		keys: []key{
			{name: "title", doc: "The name for people.", value: textValue()},
			{name: "readOnlyHint", doc: "The tool changes nothing.", value: flag()},
			{name: "destructiveHint", doc: "The tool may destroy something.", value: flag()},
			{name: "idempotentHint", doc: "Calling it again with the same arguments changes nothing more.", value: flag()},
			{name: "openWorldHint", doc: "The tool reaches things outside, such as the web.", value: flag()},
		},
	}
})

// nodeForms are the keys of each node type.
var nodeForms = sync.OnceValue(func() map[NodeType]*form {
	return map[NodeType]*form{
		EntryNode: {
			name: "an entry node", doc: "The start of a run; its output is the tool's arguments.",
			keys: nodeKeys(EntryNode, nextKey("the node to start with"), key{name: "tool", older: true}),
		},
		MCPNode: {
			name: "an mcp node", doc: "Calls a tool of a server; its output is the call's value.",
			keys: nodeKeys(MCPNode,
				key{name: "server", doc: "A name of mcpServers.", value: textValue(), required: true},
				key{name: "tool", doc: "The tool to call.", value: textValue(), required: true},
				argsKey, forEachKey,
				timeoutKey("The time limit of one attempt, in milliseconds; default: the server's.", longestCall),
				key{name: "retry", doc: "Repeats the call when it fails; {} uses the defaults.", value: formValue("retry")},
				onErrorKey, helpKey,
				key{name: "effect", doc: "What the call does: read changes nothing, write adds or changes, destroy removes or overwrites.", value: oneOf(effectWords()...)},
				key{name: "confirm", doc: "Whether the user must agree before the call; default: what allow.confirm says of its effect.", value: flag()},
				key{name: "cache", doc: "Gives the answer again to equal calls for a time; only where the call is known to change nothing (effect: read).", value: formValue("cache")},
				key{name: "onCrash", doc: "On resume after a crash during this call: rerun repeats it, stop fails the run. " +
					"By default, only a call of a read-only or idempotent tool of a trusted server is repeated.", value: oneOf("rerun", "stop")},
				nextKey("the node to go to")),
		},
		GraphNode: {
			name: "a graph node", doc: "Calls another tool of this file; its output is that tool's result.",
			keys: nodeKeys(GraphNode,
				key{name: "tool", doc: "A tool of this file.", value: textValue(), required: true},
				argsKey, forEachKey,
				timeoutKey("The time limit of the whole call, in milliseconds; default: none of its own.", longestCall),
				onErrorKey, helpKey,
				nextKey("the node to go to")),
		},
		ParallelNode: {
			name: "a parallel node", doc: "Makes several calls at once; its output has the value of each branch under its name.",
			keys: nodeKeys(ParallelNode,
				key{name: "branches", doc: "2 to 32 mcp or graph nodes by name, without id, next and forEach.", value: value{
					"type": "object", "minProperties": MinBranches, "maxProperties": MaxBranches,
					"propertyNames": value{"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}, "additionalProperties": formValue("branch"),
				}, required: true},
				nextKey("the node to go to")),
		},
		AskNode: {name: "an ask node", doc: "Asks the user; its output is what the user filled in.", keys: askKeys},
		TransformNode: {
			name: "a transform node", doc: "Computes a value with JSONata; its output is that value.",
			keys: nodeKeys(TransformNode,
				key{name: "transform", doc: "The JSONata expression that computes the output.", value: formValue("transform"), required: true},
				onErrorKey,
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
})

// NodeTypes are the types in the order of the documentation. The slice must not be changed.
var NodeTypes = []NodeType{EntryNode, MCPNode, GraphNode, ParallelNode, AskNode, TransformNode, SwitchNode, ExitNode}

// anyNodeForm has the keys of all types, for a node whose type is unknown.
var anyNodeForm = lazyForm(func() *form {
	all := &form{name: "a node"}
	for _, t := range NodeTypes {
		for _, k := range nodeForms()[t].keys {
			if all.find(k.name) == nil {
				k.required = false
				all.keys = append(all.keys, k)
			}
		}
	}
	return all
})

var transformForm = lazyForm(func() *form {
	return &form{
		name: "transform", doc: "What a transform node computes.",
		keys: []key{{name: "expr", doc: "JSONata over the context: $.nodeId is a node's latest output.", value: textValue("$.entry.directory"), required: true}},
	}
})

var conditionForm = lazyForm(func() *form {
	return &form{
		name: "a condition", doc: "One way out of a switch.",
		keys: []key{
			{name: "rule", doc: "JSON Logic; the text of a var is JSONata over the context.", required: true, value: value{
				"examples": []any{map[string]any{">": []any{map[string]any{"var": "$.entry.value"}, 10}}},
			}},
			{name: "next", doc: "The node to go to when the rule holds.", value: textValue(), required: true},
			{name: "target", older: true},
		},
	}
})

func nodeKeys(t NodeType, more ...key) []key {
	return append([]key{
		{name: "id", doc: "The node's name, unique in its tool: expressions read its output as $.id.", value: textValue(), required: true},
		{name: "type", doc: "What the node does.", value: value{"const": string(t)}, required: true},
	}, more...)
}

func nextKey(doc string) key {
	return key{name: "next", doc: "The id of " + doc + ".", value: textValue(), required: true}
}

// upstreamForm has the keys of all transports. The type of a server says which it may use.
var upstreamForm = lazyForm(func() *form {
	return &form{
		name: "a server", doc: "A server that mcp nodes call: a program (stdio) or an address.",
		keys: []key{
			{name: registryKey, doc: "Whether the server's entry is taken from a registry, by its name: the file of --mcp, .toolgraph/servers.json beside this file, or the user's registry (see toolgraph mcp). Other keys are laid over that entry, but none that says where the server is.", value: value{"type": "boolean", "default": false}},
			{name: "type", doc: "The transport to the server; default: stdio.", value: oneOf("stdio", "streamableHttp", "sse", "exec", "http", "streamable-http")},
			{name: "command", doc: "stdio: the program, found in PATH and started without a shell.", value: textValue("npx")},
			{name: "args", doc: "stdio: its arguments. ${VAR} is replaced.", value: listOf(loose())},
			{name: "env", doc: "stdio: variables added to a small safe base. ${VAR} is replaced.", value: settingsValue()},
			{name: "cwd", doc: "stdio: its working directory, relative to this file. ${VAR} is replaced.", value: textValue()},
			{name: "url", doc: "streamableHttp, sse: the address of the server. ${VAR} is replaced.", value: textValue()},
			{name: "headers", doc: "streamableHttp, sse: sent with every request. ${VAR} is replaced.", value: settingsValue()},
			{name: "timeoutMs", doc: "The time limit of one call, in milliseconds.", value: wholeNumber(int(DefaultTimeout.Milliseconds()), 3_600_000)},
			{name: "startTimeoutMs", doc: "The time limit of the start, in milliseconds.", value: wholeNumber(int(DefaultStartTimeout.Milliseconds()), 3_600_000)},
			{name: "maxInFlight", doc: "The largest number of calls at the same time.", value: wholeNumber(DefaultMaxInFlight, 4096)},
			{name: "rate", doc: "The largest number of calls in a time; others wait for their turn.", value: formValue("rate")},
			{name: "results", doc: "What the value of a call is: json, the default, reads structuredContent, or a text as the JSON in it; text is the text of the answer, unchanged.", value: oneOf("json", "text")},
			{name: "protocol", doc: "The generation of the protocol: legacy (up to 2025-11-25), modern (from 2026-07-28), or auto to detect it.", value: value{"enum": []any{"auto", "legacy", "modern"}, "default": "auto"}},
			{name: "allowPrivate", doc: "Whether the host of url may have a private or loopback address. Not needed for a url with localhost, 127.x.x.x or [::1] in the file itself; link-local addresses are never allowed.", value: value{"type": "boolean", "default": false}},
			{name: "trusted", doc: "Whether to believe the server's tool annotations: a resumed run then repeats calls of its read-only and idempotent tools.", value: value{"type": "boolean", "default": false}},
			{name: "oauth", doc: "streamableHttp, sse: authorization by OAuth; {} is enough for most servers. Run toolgraph login to get a token.", value: formValue("oauth")},
			{name: "allow", doc: "The requests that the server may make during a call: elicitation asks the user of the client.", value: listOf(oneOf("elicitation"))},
		},
	}
})

var oauthForm = lazyForm(func() *form {
	return &form{
		name: "oauth", doc: "How to get a token for the server.",
		keys: []key{
			{name: "clientId", doc: "The client id of a manual registration; default: register dynamically. ${VAR} is replaced.", value: textValue()},
			{name: "grant", doc: "login: a person logs in with toolgraph login; client_credentials: toolgraph itself does, with clientId and a clientSecret or private key.", value: value{"enum": []any{"login", "client_credentials"}, "default": "login"}},
			{name: "clientSecret", doc: "The secret of a manual registration: ${VAR}, never the secret itself.", value: textValue()},
			{name: "clientAuth", doc: "How clientSecret is sent; default: as the authorization server's metadata say.", value: oneOf("client_secret_basic", "client_secret_post")},
			{name: "privateKey", doc: "With client_credentials: the private key in PEM that signs a proof (private_key_jwt): ${VAR}, never the key itself. P-256, RSA or Ed25519.", value: textValue()},
			{name: "privateKeyFile", doc: "The file with that key; relative to the file. ${VAR} is replaced.", value: textValue()},
			{name: "issuer", doc: "The issuer of the authorization server that the secret or key is for; another one never gets it. Default: the one that the server names.", value: textValue()},
			{name: "scopes", doc: "The scopes to request; default: those that the server names.", value: listOf(textValue())},
			{name: "redirectPort", doc: "The port on this machine to which the browser returns; default, and 0: any free port.", value: value{"type": "integer", "minimum": 0, "maximum": 65535}},
		},
	}
})

// transportNames are the transports by the names that files use.
var transportNames = map[string]Transport{
	"stdio": Stdio, "streamableHttp": StreamableHTTP, "sse": SSE,
	"http": StreamableHTTP, "streamable-http": StreamableHTTP, "streamableHTTP": StreamableHTTP,
}

// stdioKeys and addressKeys are the keys that belong to one kind of transport only.
var (
	stdioKeys   = []string{"command", "args", "env", "cwd"}
	addressKeys = []string{"url", "headers", "allowPrivate", "oauth"}
)
