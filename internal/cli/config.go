package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/registry"
	"toolgraph/internal/wording"
)

func newConfig(std streams) *cobra.Command {
	var graphFile, servers, name string
	var hostNames []string
	for _, h := range hosts {
		hostNames = append(hostNames, h.name)
	}
	cmd := &cobra.Command{
		Use:   "config HOST FILE",
		Short: "Print the entry for the configuration of an MCP host",
		Long: `Print the entry with which an MCP host starts this graph, with absolute paths, and on
standard error the file that it belongs to. HOST is ` + alternatives(hostNames) + `.`,
		Example:   "  toolgraph config claude-desktop graph.yaml",
		Args:      args(1, 1, "the name of a host and a graph file"),
		ValidArgs: hostNames,
		RunE: func(_ *cobra.Command, args []string) error {
			i := slices.IndexFunc(hosts, func(h host) bool { return h.name == args[0] })
			if i < 0 {
				return usagef("unknown host %q (known: %s)%s", args[0], strings.Join(hostNames, ", "), wording.Suggest(args[0], hostNames))
			}
			entry, err := newHostEntry(name, graphFile, servers)
			if err != nil {
				return err
			}
			text, err := hosts[i].snippet(entry)
			if err != nil {
				return err
			}
			fmt.Fprintln(std.err, hosts[i].where)
			_, err = fmt.Fprintln(std.out, text)
			return err
		},
	}
	serversFlag(cmd, &servers)
	cmd.Flags().StringVar(&name, "name", "", "`name` of the entry (default server.name of the graph file)")
	return takesGraph(cmd, &graphFile)
}

// newHostEntry returns what a host needs: this program, absolute paths, and the environment
// variables that the files read, to be filled in.
func newHostEntry(name, graphFile, servers string) (hostEntry, error) {
	var variables []string
	file, err := config.Load(graphFile, config.Options{
		ServersFile: servers, Registries: registry.Paths(graphFile), AssumeEnv: true,
		LookupEnv: func(variable string) (string, bool) {
			if !slices.Contains(variables, variable) {
				variables = append(variables, variable)
			}
			return "<" + variable + ">", true
		},
	})
	if err != nil {
		return hostEntry{}, err
	}
	if name == "" {
		name = file.Server.Name.Value
	}
	self, err := os.Executable()
	if err != nil {
		return hostEntry{}, err
	}
	entry := hostEntry{name: name, command: self, variables: variables}
	for _, f := range []struct{ flag, path string }{{"-g", graphFile}, {"-m", servers}} {
		if f.path == "" {
			continue
		}
		path, err := filepath.Abs(f.path)
		if err != nil {
			return hostEntry{}, err
		}
		entry.args = append(entry.args, f.flag, path)
	}
	return entry, nil
}

// hostEntry is a server in the configuration of a host.
type hostEntry struct {
	name, command string
	args          []string
	variables     []string // environment variables that the user must fill in
}

// host is a program that starts MCP servers.
type host struct {
	name    string
	where   string // the file that the snippet belongs to, for people
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

// jsonSnippet is the format of most hosts; some require the type.
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

// tomlSnippet is the format of Codex.
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
