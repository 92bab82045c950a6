// Package hostconfig knows the configuration files of MCP hosts: where they are, and how an entry of
// a server is written in them. It reads the servers of a host as entries of a registry, and puts an
// entry for a graph file into the file of a host. It never returns or writes a literal secret: a
// reference to a variable takes its place. It starts nothing. It owns pelletier/go-toml.
package hostconfig

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Host is an MCP host and the files in which it has its servers. Immutable.
type Host struct {
	Name  string // as the command line names it
	Title string // for people

	user    map[string][]string // by GOOS, "" for every other: the files of a user, in the order in which they are looked for
	project []string            // the files of a project, below its directory
	key     string              // of the mapping of names to servers
	syntax  *syntax             // of the files

	entry     dialect
	forms     forms // of references to variables
	byProject bool  // the file of the user also has servers of single projects, by directory
	nested    bool  // an entry may have its transport in an object of its own
	sseURL    bool  // a url without a type means sse
	strict    bool  // it reads no file with comments or trailing commas

	next        []string // what its user sees or has to do after the entry was written, each a sentence
	nextProject []string // the same for the file of a project; nil: next
	thinPath    bool     // it is started from the desktop, where PATH is short
}

const (
	macSupport = "$HOME/Library/Application Support/"
	anySystem  = ""

	// shortPath is added to next where a host starts the program.
	shortPath = "Started from the desktop it has a short PATH: programs that the graph's servers name without a directory may not be found."
)

// hosts are all known hosts. $NAME in a path is a variable of pathDefaults or of the environment.
var hosts = []Host{
	{
		Name: "claude-desktop", Title: "Claude Desktop", key: "mcpServers", syntax: jsonSyntax,
		user: map[string][]string{
			"darwin": {macSupport + "Claude/claude_desktop_config.json"},
			"windows": {
				"$APPDATA/Claude/claude_desktop_config.json",
				"$LOCALAPPDATA/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json",
			},
			anySystem: {"$XDG_CONFIG_HOME/Claude/claude_desktop_config.json"},
		},
		strict: true,
		entry: dialect{
			reference: placeholder,
			noHTTP:    "add the URL under Settings → Connectors, or leave out --http and let it start the program",
		},
		next:     []string{"Quit Claude Desktop and start it again; Settings → Developer shows whether the server runs, and its log."},
		thinPath: true,
	},
	{
		Name: "claude-code", Title: "Claude Code", key: "mcpServers", syntax: jsonSyntax, byProject: true, forms: forms{plain: true},
		user:    map[string][]string{anySystem: {"$CLAUDE_CONFIG_DIR/.claude.json"}},
		project: []string{".mcp.json"},
		strict:  true,
		entry:   dialect{stdio: []setting{{"type", "stdio"}}, http: []setting{{"type", "http"}}, reference: "${NAME}", optional: "${NAME:-DEFAULT}"},
		next:    []string{"New sessions of Claude Code connect to the server; claude mcp list shows whether they can."},
		nextProject: []string{
			"Claude Code asks for approval of the server at its next start in this directory; until then claude mcp list shows it as pending.",
			"Copilot CLI reads this file as well.",
		},
	},
	{
		Name: "cursor", Title: "Cursor", key: "mcpServers", syntax: jsonSyntax, forms: forms{editor: true},
		user:     map[string][]string{anySystem: {"$HOME/.cursor/mcp.json"}},
		project:  []string{".cursor/mcp.json"},
		entry:    dialect{stdio: []setting{{"type", "stdio"}}, reference: "${env:NAME}"},
		next:     []string{"Cursor Settings → MCP shows the server; enable it there if it is off, and restart Cursor if it is missing."},
		thinPath: true,
	},
	{
		Name: "vscode", Title: "VS Code", key: "servers", syntax: jsonSyntax, forms: forms{editor: true},
		user: map[string][]string{
			"darwin":  inProfiles(macSupport),
			"windows": inProfiles("$APPDATA/"),
			anySystem: inProfiles("$XDG_CONFIG_HOME/"),
		},
		project: []string{".vscode/mcp.json"},
		entry:   dialect{stdio: []setting{{"type", "stdio"}}, http: []setting{{"type", "http"}}, reference: "${input:NAME}", inputs: true},
		next:    []string{"VS Code asks whether the server is trusted when it starts it the first time; MCP: List Servers shows its state and log."},
	},
	{
		Name: "codex", Title: "Codex", key: "mcp_servers", syntax: tomlSyntax,
		user:    map[string][]string{anySystem: {"$CODEX_HOME/config.toml"}},
		project: []string{".codex/config.toml"},
		entry:   dialect{calls: "tool_timeout_sec", optional: "NAME"},
		next:    []string{"New sessions of Codex start the server; codex mcp list shows the entry, /mcp in a session its tools."},
		nextProject: []string{
			"Codex reads this file only in a directory that its user trusts; it asks when it is started there. /mcp in a session shows the server.",
		},
	},
	{
		Name: "gemini", Title: "Gemini CLI", key: "mcpServers", syntax: jsonSyntax, sseURL: true, forms: forms{plain: true, bare: true},
		user:    map[string][]string{anySystem: {"$GEMINI_CLI_HOME/.gemini/settings.json"}},
		project: []string{".gemini/settings.json"},
		entry:   dialect{httpURL: "httpUrl", reference: "${NAME}"},
		next:    []string{"Gemini CLI starts servers only in trusted folders; it asks, or use /permissions. gemini mcp list shows the server."},
	},
	{
		Name: "opencode", Title: "opencode", key: "mcp", syntax: jsonSyntax, forms: forms{braces: true},
		user:    map[string][]string{anySystem: {"$XDG_CONFIG_HOME/opencode/opencode.json", "$XDG_CONFIG_HOME/opencode/opencode.jsonc"}},
		project: []string{"opencode.json", "opencode.jsonc"},
		entry: dialect{
			args: "command", env: "environment", timeout: startTimeout, reference: "{env:NAME}", optional: "{env:NAME}",
			stdio: []setting{{"type", "local"}}, http: []setting{{"type", "remote"}}, rest: []setting{{"enabled", true}},
		},
		next: []string{"opencode connects at its next start; opencode mcp list shows whether it can."},
	},
	{
		Name: "zed", Title: "Zed", key: "context_servers", syntax: jsonSyntax,
		user:    map[string][]string{"windows": {"$APPDATA/Zed/settings.json"}, anySystem: {"$HOME/.config/zed/settings.json"}},
		project: []string{".zed/settings.json"},
		entry:   dialect{reference: placeholder},
		next:    []string{"Zed starts the server at once; the settings of the agent panel show a green dot when it runs."},
		nextProject: []string{
			"Zed starts the server when the project is trusted; the settings of the agent panel show a green dot when it runs.",
		},
	},
	{
		Name: "windsurf", Title: "Windsurf", key: "mcpServers", syntax: jsonSyntax, forms: forms{editor: true},
		user:     map[string][]string{anySystem: {"$HOME/.codeium/windsurf/mcp_config.json"}},
		entry:    dialect{url: "serverUrl", reference: "${env:NAME}"},
		next:     []string{"Press Refresh in the MCP servers of Windsurf's settings, or restart it; the list there shows whether the server runs."},
		thinPath: true,
	},
	{
		Name: "goose", Title: "Goose", key: "extensions", syntax: yamlSyntax,
		user: map[string][]string{"windows": {"$APPDATA/Block/goose/config/config.yaml"}, anySystem: {"$XDG_CONFIG_HOME/goose/config.yaml"}},
		entry: dialect{
			command: "cmd", env: "envs", url: "uri", passed: "env_keys", timeout: timeoutSeconds, calls: "timeout", describes: true,
			stdio: []setting{{"enabled", true}, {"type", "stdio"}}, http: []setting{{"enabled", true}, {"type", "streamable_http"}},
		},
		next: []string{"New sessions of Goose start the server; goose configure, Toggle Extensions, lists it."},
	},
	{
		Name: "cline", Title: "Cline", key: "mcpServers", syntax: jsonSyntax, forms: forms{editor: true}, nested: true, sseURL: true,
		user: map[string][]string{
			"darwin":  beside("$CLINE_DATA_DIR/settings/cline_mcp_settings.json", macSupport, "saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
			"windows": beside("$CLINE_DATA_DIR/settings/cline_mcp_settings.json", "$APPDATA/", "saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
			anySystem: beside("$CLINE_DATA_DIR/settings/cline_mcp_settings.json", "$XDG_CONFIG_HOME/", "saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
		},
		entry: dialect{
			timeout: timeoutSeconds, calls: "timeout", reference: "${env:NAME}",
			stdio: []setting{{"type", "stdio"}}, http: []setting{{"type", "streamableHttp"}},
		},
		next: []string{"Cline starts the server when its file changes; the MCP servers of its panel show whether it runs."},
	},
	{
		Name: "roo", Title: "Roo Code", key: "mcpServers", syntax: jsonSyntax, forms: forms{editor: true}, sseURL: true,
		user: map[string][]string{
			"darwin":  beside("", macSupport, "rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
			"windows": beside("", "$APPDATA/", "rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
			anySystem: beside("", "$XDG_CONFIG_HOME/", "rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
		},
		project: []string{".roo/mcp.json"},
		entry: dialect{
			timeout: timeoutSeconds, calls: "timeout", reference: "${env:NAME}",
			stdio: []setting{{"type", "stdio"}}, http: []setting{{"type", "streamable-http"}},
		},
		next: []string{"Roo Code starts the server when its file changes; the MCP servers of its panel show whether it runs."},
	},
	{
		Name: "amp", Title: "Amp", key: "amp.mcpServers", syntax: jsonSyntax, forms: forms{plain: true},
		user:    map[string][]string{anySystem: {"$XDG_CONFIG_HOME/amp/settings.json"}},
		project: []string{".amp/settings.json"},
		entry:   dialect{reference: "${NAME}"},
		next:    []string{"New sessions of Amp start the server; amp mcp list shows the entry, amp mcp doctor whether it runs."},
		nextProject: []string{
			"Amp asks for approval of the servers of a project: amp mcp approve NAME. amp mcp list shows the entry.",
		},
	},
	{
		Name: "lm-studio", Title: "LM Studio", key: "mcpServers", syntax: jsonSyntax,
		user:     map[string][]string{anySystem: {"$HOME/.lmstudio/mcp.json", "$HOME/.cache/lm-studio/mcp.json"}},
		entry:    dialect{reference: placeholder},
		next:     []string{"LM Studio shows the server under Program; enable it there, and agree to its calls in a chat."},
		thinPath: true,
	},
	{
		Name: "copilot-cli", Title: "GitHub Copilot CLI", key: "mcpServers", syntax: jsonSyntax, forms: forms{plain: true},
		user:    map[string][]string{anySystem: {"$COPILOT_HOME/mcp-config.json"}},
		project: []string{".github/mcp.json"},
		entry:   dialect{stdio: []setting{{"type", "local"}}, http: []setting{{"type", "http"}}, reference: "${NAME}", optional: "${NAME:-DEFAULT}"},
		next:    []string{"New sessions of Copilot CLI start the server; copilot mcp list shows the entry, /mcp show in a session whether it runs."},
		nextProject: []string{
			"Copilot CLI reads this file only in a directory that its user trusts; it asks when it is started there. copilot mcp list shows the entry.",
		},
	},
	{
		Name: "kiro", Title: "Kiro", key: "mcpServers", syntax: jsonSyntax, forms: forms{plain: true},
		user:    map[string][]string{anySystem: {"$HOME/.kiro/settings/mcp.json"}},
		project: []string{".kiro/settings/mcp.json"},
		entry:   dialect{reference: "${NAME}"},
		next: []string{
			"Kiro starts the server when its file changes; its panel, MCP servers, shows whether it runs, and asks before it reads a variable the first time.",
		},
		thinPath: true,
	},
	{
		Name: "continue", Title: "Continue", key: "mcpServers", syntax: jsonSyntax, forms: forms{plain: true},
		user:    map[string][]string{anySystem: {"$CONTINUE_GLOBAL_DIR/mcpServers/mcp.json"}},
		project: []string{".continue/mcpServers/mcp.json"},
		entry:   dialect{stdio: []setting{{"type", "stdio"}}, http: []setting{{"type", "http"}}, reference: "${NAME}"},
		next: []string{
			"Continue uses servers in agent mode only, and takes the values of variables from its secrets or ~/.continue/.env; its settings, Tools, show whether the server runs.",
		},
	},
	{
		Name: "qwen", Title: "Qwen Code", key: "mcpServers", syntax: jsonSyntax, sseURL: true, forms: forms{plain: true, bare: true},
		user:    map[string][]string{anySystem: {"$QWEN_HOME/settings.json"}},
		project: []string{".qwen/settings.json"},
		entry:   dialect{httpURL: "httpUrl", reference: "${NAME}"},
		next:    []string{"New sessions of Qwen Code start the server; qwen mcp list shows whether it can."},
		nextProject: []string{
			"Qwen Code asks for approval of the servers of a project: qwen mcp approve NAME. qwen mcp list shows whether it can start it.",
		},
	},
}

// beside returns a file, "" for none, and those of an extension in the variants of VS Code below the directory of their data.
func beside(file, base, extension string) (files []string) {
	if file != "" {
		files = append(files, file)
	}
	for _, variant := range []string{"Code", "Code - Insiders", "VSCodium"} {
		files = append(files, base+variant+"/User/globalStorage/"+extension)
	}
	return files
}

// inProfiles returns the files of the variants of VS Code below the directory of its data.
func inProfiles(base string) (files []string) {
	for _, variant := range []string{"Code", "Code - Insiders", "VSCodium"} {
		files = append(files, base+variant+"/User/mcp.json")
	}
	return files
}

// pathDefaults are the values of variables in paths that the environment does not set.
var pathDefaults = map[string]string{
	"XDG_CONFIG_HOME": "$HOME/.config", "CLAUDE_CONFIG_DIR": "$HOME", "CODEX_HOME": "$HOME/.codex", "GEMINI_CLI_HOME": "$HOME",
	"CLINE_DIR": "$HOME/.cline", "CLINE_DATA_DIR": "$CLINE_DIR/data", "COPILOT_HOME": "$HOME/.copilot", "CONTINUE_GLOBAL_DIR": "$HOME/.continue",
	"QWEN_HOME": "$HOME/.qwen",
}

// Names returns the names of all hosts.
func Names() []string {
	names := make([]string, len(hosts))
	for i, h := range hosts {
		names[i] = h.Name
	}
	return names
}

// Find returns the host with a name, or nil.
func Find(name string) *Host {
	i := slices.IndexFunc(hosts, func(h Host) bool { return h.Name == name })
	if i < 0 {
		return nil
	}
	return &hosts[i]
}

// UserFiles returns the paths in which the host looks for the configuration of this user. Paths
// that depend on an unset variable are left out.
func (h *Host) UserFiles() []string {
	home, _ := os.UserHomeDir() // "" when unknown
	return h.userFiles(runtime.GOOS, home, os.Getenv)
}

func (h *Host) userFiles(system, home string, getenv func(string) string) (paths []string) {
	files, listed := h.user[system]
	if !listed {
		files = h.user[anySystem]
	}
	for _, file := range files {
		missing := false
		var lookup func(string) string
		lookup = func(name string) (value string) {
			if value = getenv(name); name == "HOME" {
				value = home
			}
			if name == "XDG_CONFIG_HOME" && !strings.HasPrefix(value, "/") && !filepath.IsAbs(value) {
				value = "" // as the XDG rules say of a relative path
			}
			if value == "" {
				value = os.Expand(pathDefaults[name], lookup)
			}
			missing = missing || value == ""
			return value
		}
		path := os.Expand(file, lookup)
		if system == "windows" {
			path = strings.ReplaceAll(path, "/", `\`)
		}
		if !missing {
			paths = append(paths, path)
		}
	}
	return paths
}

// ProjectFiles returns the paths in which the host looks for the configuration of the project in
// a directory, the first to be used first. They are nil for a host that has none.
func (h *Host) ProjectFiles(dir string) (paths []string) {
	if h.byProject {
		paths = h.UserFiles()
	}
	for _, file := range h.project {
		paths = append(paths, filepath.Join(dir, filepath.FromSlash(file)))
	}
	return paths
}
