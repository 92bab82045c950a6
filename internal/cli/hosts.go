package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// hostEntry is one server as a host's configuration names it.
type hostEntry struct {
	name, command string
	args          []string
	variables     []string // environment variables that the user must fill in
}

// host is a program that starts MCP servers.
type host struct {
	name    string
	where   string // for people: the file that the snippet goes into
	snippet func(hostEntry) (string, error)
}

var hosts = []host{
	{
		"claude-desktop", "Claude Desktop: Settings → Developer → Edit Config (claude_desktop_config.json), then restart it",
		jsonSnippet("mcpServers", false),
	},
	{"claude-code", "Claude Code: .mcp.json in the project", jsonSnippet("mcpServers", true)},
	{"cursor", "Cursor: .cursor/mcp.json in the project, or ~/.cursor/mcp.json", jsonSnippet("mcpServers", false)},
	{"vscode", "VS Code: .vscode/mcp.json in the workspace", jsonSnippet("servers", true)},
	{"codex", "Codex: ~/.codex/config.toml", tomlSnippet},
	{"gemini", "Gemini CLI: .gemini/settings.json in the project, or ~/.gemini/settings.json", jsonSnippet("mcpServers", false)},
}

// jsonSnippet is the form that most hosts share; some want the type told.
func jsonSnippet(key string, typed bool) func(hostEntry) (string, error) {
	return func(e hostEntry) (string, error) {
		entry := struct {
			Type    string            `json:"type,omitempty"`
			Command string            `json:"command"`
			Args    []string          `json:"args"`
			Env     map[string]string `json:"env,omitempty"`
		}{Command: e.command, Args: e.args}
		if typed {
			entry.Type = "stdio"
		}
		for _, v := range e.variables {
			if entry.Env == nil {
				entry.Env = map[string]string{}
			}
			entry.Env[v] = "<" + v + ">"
		}
		var out bytes.Buffer
		err := encodeJSON(&out, object{key: object{e.name: entry}})
		return strings.TrimSuffix(out.String(), "\n"), err
	}
}

// tomlString is a basic string of TOML, whose escapes are those of JSON.
func tomlString(s string) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always has a JSON form
	return strings.TrimSuffix(out.String(), "\n")
}

// tomlSnippet is Codex's form.
func tomlSnippet(e hostEntry) (string, error) {
	var b strings.Builder
	args := make([]string, len(e.args))
	for i, a := range e.args {
		args[i] = tomlString(a)
	}
	fmt.Fprintf(&b, "[mcp_servers.%s]\ncommand = %s\nargs = [%s]",
		tomlString(e.name), tomlString(e.command), strings.Join(args, ", "))
	if len(e.variables) > 0 {
		b.WriteString("\nenv = {")
		for i, v := range e.variables {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%s = %s", v, tomlString("<"+v+">"))
		}
		b.WriteString("}")
	}
	return b.String(), nil
}
