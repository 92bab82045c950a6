package hostconfig

import (
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// launch is how hosts start the graph file of the tests.
func launch() Launch {
	return Launch{
		Name: "count-files", Description: "Count files", Command: "/opt/bin/toolgraph", Args: []string{"-g", "/srv/graph.yaml"},
		Variables: []string{"API_TOKEN", "TEAM"}, Timeout: 300 * time.Second,
		IsSelf: func(command string) bool { return path.Base(strings.ReplaceAll(command, `\`, "/")) == "toolgraph" },
	}
}

// For each host and form: what is written into an empty file.
func TestPutGolden(t *testing.T) {
	for i := range hosts {
		h := &hosts[i]
		t.Run(h.Name, func(t *testing.T) {
			var got strings.Builder
			local, remote := launch(), launch()
			remote.URL = "http://127.0.0.1:8080/mcp"
			for _, l := range []Launch{local, remote} {
				if l.URL != "" && h.NoHTTP() != "" {
					continue
				}
				text, err := h.Snippet(l)
				if err != nil {
					t.Fatal(err)
				}
				got.WriteString(text + "\n\n")
			}
			golden(t, filepath.Join("testdata", "put", h.Name+".golden"), []byte(got.String()))
		})
	}
}

// put puts the entry of a launch into a file.
func put(t *testing.T, host, src string, l Launch) (string, Action) {
	t.Helper()
	out, action, err := Find(host).Put("f", []byte(src), l)
	if err != nil {
		t.Fatal(err)
	}
	again, repeated, err := Find(host).Put("f", out, l)
	if err != nil || repeated != Unchanged || string(again) != string(out) {
		t.Errorf("the second time: %s, %v\n%s", repeated, err, again)
	}
	return string(out), action
}

// short is a launch whose entry is short.
func short() Launch {
	l := launch()
	l.Name, l.Variables, l.Args, l.Timeout = "new", nil, []string{"-g", "g.yaml"}, 0
	return l
}

// What is added looks like what is around it, and everything else stays byte for byte.
func TestPutKeepsFormatting(t *testing.T) {
	const compact = `{"command":"/opt/bin/toolgraph","args":["-g","g.yaml"]}`
	for name, c := range map[string]struct{ host, src, want string }{
		"empty object": {"windsurf", "{}", "{\n  \"mcpServers\": {\n    \"new\": {…}\n  }\n}"},
		"no servers":   {"windsurf", "{\n  \"mcpServers\": {}\n}\n", "{\n  \"mcpServers\": {\n    \"new\": {…}\n  }\n}\n"},
		"null":         {"windsurf", "{\n  \"mcpServers\": null\n}\n", "{\n  \"mcpServers\": {\n    \"new\": {…}\n  }\n}\n"},
		"tabs":         {"windsurf", "{\n\t\"mcpServers\": {\n\t\t\"a\": {}\n\t}\n}", "{\n\t\"mcpServers\": {\n\t\t\"a\": {},\n\t\t\"new\": {…}\n\t}\n}"},
		"comment":      {"windsurf", "{ // top\n  \"mcpServers\": {\n    \"a\": {} // of a\n    /* end */\n  }\n}", "{ // top\n  \"mcpServers\": {\n    \"a\": {}, // of a\n    /* end */\n    \"new\": {…}\n  }\n}"},
		"comma":        {"windsurf", "{\n  \"mcpServers\": {\n    \"a\": {}, // ,\n  },\n}", "{\n  \"mcpServers\": {\n    \"a\": {}, // ,\n    \"new\": {…}\n  },\n}"},
		"crlf":         {"windsurf", "{\r\n  \"x\": 1\r\n}\r\n", "{\r\n  \"x\": 1,\r\n  \"mcpServers\": {\r\n    \"new\": {…}\r\n  }\r\n}\r\n"},
		"bom":          {"windsurf", "\uFEFF{\n  \"x\": 1\n}", "\uFEFF{\n  \"x\": 1,\n  \"mcpServers\": {\n    \"new\": {…}\n  }\n}"},
		"only a bom":   {"windsurf", "\uFEFF", "\uFEFF{\n  \"mcpServers\": {\n    \"new\": {…}\n  }\n}\n"},
		"one line":     {"windsurf", `{"x":1,"mcpServers":{"a":{}}}`, `{"x":1,"mcpServers":{"a":{}, "new":` + compact + `}}`},
		"one line, no servers": {
			"windsurf", `{"x":1}`, `{"x":1, "mcpServers":{"new":` + compact + `}}`,
		},
		"one line inside": {"windsurf", "{\n  \"mcpServers\": {\"a\": {}}\n}", "{\n  \"mcpServers\": {\"a\": {}, \"new\":" + compact + "}\n}"},
		"only a comment":  {"windsurf", "{\n  \"mcpServers\": {\n    // none yet\n  }\n}", "{\n  \"mcpServers\": {\n    // none yet\n    \"new\": {…}\n  }\n}"},
		"toml":            {"codex", "# mine\nmodel = \"x\" # y", "# mine\nmodel = \"x\" # y\n\n[mcp_servers.new]\ncommand = \"/opt/bin/toolgraph\"\nargs = [\"-g\", \"g.yaml\"]\n"},
		"toml crlf":       {"codex", "model = 'x'\r\n", "model = 'x'\r\n\r\n[mcp_servers.new]\r\ncommand = \"/opt/bin/toolgraph\"\r\nargs = [\"-g\", \"g.yaml\"]\r\n"},
		"toml bom":        {"codex", "\uFEFFmodel = 'x'\n", "\uFEFFmodel = 'x'\n\n[mcp_servers.new]\ncommand = \"/opt/bin/toolgraph\"\nargs = [\"-g\", \"g.yaml\"]\n"},
		"yaml":            {"goose", "# mine\nMODEL: x # y\n", "# mine\nMODEL: x # y\nextensions:\n  new:\n    enabled: true\n    type: stdio\n    name: new\n    description: Count files\n    cmd: /opt/bin/toolgraph\n    args: [\"-g\", g.yaml]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, action := put(t, c.host, c.src, short())
			indent := "  "
			if strings.Contains(c.want, "\t") {
				indent = "\t"
			}
			entry := "{⏎>>>\"command\": \"/opt/bin/toolgraph\",⏎>>>\"args\": [⏎>>>>\"-g\",⏎>>>>\"g.yaml\"⏎>>>]⏎>>}"
			newline := "\n"
			if strings.Contains(c.want, "\r\n") {
				newline = "\r\n"
			}
			want := strings.ReplaceAll(c.want, "{…}", strings.NewReplacer("⏎", newline, ">", indent).Replace(entry))
			if got != want || action != Added {
				t.Errorf("%s\n got %q\nwant %q", action, got, want)
			}
		})
	}
}

// An entry of toolgraph keeps what its user has added, and its comments; the rest is brought up to date.
func TestPutUpdates(t *testing.T) {
	for name, c := range map[string]struct{ host, src, want string }{
		"json": {
			"cursor",
			"{\"mcpServers\": {\n  \"count-files\": { // mine\n    \"command\": \"/old/toolgraph\",\n    \"env\": {\"API_TOKEN\": \"canary\"}, // filled in\n    \"args\": [\"serve\", \"-g\", \"/old.yaml\", \"--audit\", \"a.log\"],\n    \"disabled\": true,\n  },\n}}",
			"{\"mcpServers\": {\n  \"count-files\": { // mine\n    \"command\": \"/opt/bin/toolgraph\",\n    \"env\": {\"API_TOKEN\": \"canary\", \"TEAM\":\"${env:TEAM}\"}, // filled in\n" +
				"    \"args\": [\"serve\",\"-g\",\"/srv/graph.yaml\",\"--audit\",\"a.log\"],\n    \"disabled\": true,\n    \"type\": \"stdio\"\n  },\n}}",
		},
		"toml": {
			"codex",
			"[mcp_servers.count-files] # mine\ncommand = 'toolgraph' # ours\nargs = [\n  '-g', '/old.yaml', # old\n]\nenv_vars = [\"API_TOKEN\", { name = \"TEAM\" }]\nenabled = false\ntool_timeout_sec = 900.5\n\n[mcp_servers.count-files.env]\nLEVEL = 'x'\n\n[other]\nx = nan\n",
			"[mcp_servers.count-files] # mine\ncommand = \"/opt/bin/toolgraph\" # ours\nargs = [\"-g\", \"/srv/graph.yaml\"]\nenv_vars = [\"API_TOKEN\", { name = \"TEAM\" }]\nenabled = false\ntool_timeout_sec = 900.5\n\n[mcp_servers.count-files.env]\nLEVEL = 'x'\n\n[other]\nx = nan\n",
		},
		"toml, a new key": {
			"codex",
			"[mcp_servers.\"count-files\"]\ncommand = '/opt/bin/toolgraph'\nargs = ['-g', '/srv/graph.yaml'] # ours\n\n[other]\n",
			"[mcp_servers.\"count-files\"]\ncommand = '/opt/bin/toolgraph'\nargs = ['-g', '/srv/graph.yaml'] # ours\nenv_vars = [\"API_TOKEN\", \"TEAM\"]\ntool_timeout_sec = 300\n\n[other]\n",
		},
		"a list": {
			"opencode",
			`{"mcp": {"count-files": {"type": "local", "command": ["toolgraph", "-g", "/old.yaml", "-m", "/old.json", "--audit", "x"], "enabled": false}}}`,
			`{"mcp": {"count-files": {"type": "local", "command": ["/opt/bin/toolgraph","-g","/srv/graph.yaml","--audit","x"], "enabled": false, "environment":{"API_TOKEN":"{env:API_TOKEN}","TEAM":"{env:TEAM}"}}}}`,
		},
		"yaml": {
			"goose",
			"extensions:\n  count-files: # mine\n    type: stdio\n    cmd: toolgraph\n    args: [-g, /srv/graph.yaml]\n    enabled: false # for now\n    env_keys: [API_TOKEN, OTHER]\n    name: Files\n    timeout: 600\n    description: \"\"\n",
			"extensions:\n  count-files: # mine\n    type: stdio\n    cmd: /opt/bin/toolgraph\n    args: [-g, /srv/graph.yaml]\n    enabled: false # for now\n    env_keys: [API_TOKEN, OTHER, TEAM]\n    name: Files\n    timeout: 600\n    description: \"\"\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got, action := put(t, c.host, c.src, launch()); got != c.want || action != Updated {
				t.Errorf("%s\n got %s\nwant %s", action, got, c.want)
			}
		})
	}
}

// An entry changes between its two forms as a whole.
func TestPutOtherForm(t *testing.T) {
	for i := range hosts {
		h := &hosts[i]
		if h.NoHTTP() != "" {
			continue
		}
		local, remote := launch(), launch()
		remote.URL = "https://tools.example/mcp"
		start, err := h.Snippet(local)
		if err != nil {
			t.Fatal(err)
		}
		got, action := put(t, h.Name, start, remote)
		if want, _ := h.Snippet(remote); action != Updated || strings.Contains(got, "toolgraph") || !strings.Contains(got, remote.URL) {
			t.Errorf("%s: %s\n%s\nwant %s", h.Name, action, got, want)
		}
	}
}
