package config

// upstreamForm has the keys of every transport; which of them a server may use
// depends on its type.
var upstreamForm = form{
	name: "a server", doc: "A server that mcp nodes call: a program (stdio) or an address.",
	keys: []key{
		{name: "type", doc: "How the server is reached; stdio when left out.", value: oneOf("stdio", "streamableHttp", "sse", "http", "streamable-http")},
		{name: "command", doc: "stdio: the program, found through PATH and started without a shell.", value: textValue("npx")},
		{name: "args", doc: "stdio: its arguments. ${VAR} is replaced.", value: listOf(loose())},
		{name: "env", doc: "stdio: variables added to a small safe base. ${VAR} is replaced.", value: settingsValue()},
		{name: "cwd", doc: "stdio: its working directory, relative to this file. ${VAR} is replaced.", value: textValue()},
		{name: "url", doc: "streamableHttp, sse: where the server listens. ${VAR} is replaced.", value: textValue()},
		{name: "headers", doc: "streamableHttp, sse: sent with every request. ${VAR} is replaced.", value: settingsValue()},
		{name: "timeoutMs", doc: "How long one call may take, in milliseconds.", value: positive(60_000)},
		{name: "startTimeoutMs", doc: "How long the start may take, in milliseconds.", value: positive(30_000)},
		{name: "maxInFlight", doc: "How many calls may run at the same time.", value: positive(256)},
		{name: "protocol", doc: "Which era of the protocol is spoken.", value: value{"enum": []any{"auto", "legacy", "modern"}, "default": "auto"}},
		{name: "allowPrivate", doc: "Whether the host of url may have a private or loopback address. Not needed where the url of the file itself names localhost, 127.x.x.x or [::1]; link-local addresses are never reached.", value: value{"type": "boolean", "default": false}},
		{name: "trusted", doc: "Whether what the server says of its tools is believed: a call of one that is read-only or idempotent is then repeated when a run is resumed.", value: value{"type": "boolean", "default": false}},
		{name: "oauth", doc: "streamableHttp, sse: authorization by OAuth; {} is enough with most servers. toolgraph login gets the token.", value: formValue("oauth")},
		{name: "allow", doc: "What the server may ask of us in the middle of a call: elicitation asks the user of the host.", value: listOf(oneOf("elicitation"))},
	},
}

var oauthForm = form{
	name: "oauth", doc: "How a token for the server is got.",
	keys: []key{
		{name: "clientId", doc: "The client id, where we were registered by hand. ${VAR} is replaced.", value: textValue()},
		{name: "scopes", doc: "The scopes to ask for; what the server names when left out.", value: listOf(textValue())},
		{name: "redirectPort", doc: "The port on this machine to which the browser comes back; any free one when left out.", value: value{"type": "integer", "minimum": 1, "maximum": 65535}},
	},
}

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
