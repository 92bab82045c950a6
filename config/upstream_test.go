package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestUpstreams(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "g.yaml")
	f, err := Parse(path, []byte(head+`mcpServers:
  files:
    command: npx
    args: [-y, server, 8080, "${DIR:-.}"]
    env: {PORT: 8080, DEBUG: true, TOKEN: "${TOKEN}"}
    cwd: ./data
    timeoutMs: 1500
    startTimeoutMs: 2500
    maxInFlight: 3
    rate: {calls: 4, perMs: 5000}
    protocol: legacy
  search: {type: streamableHttp, url: "https://example.com/mcp", headers: {Authorization: "Bearer ${KEY}"}, allowPrivate: true}
  old: {type: sse, url: "http://localhost:1/sse"}
  bare: {url: "http://localhost:1/mcp"}
  http: {type: http, url: "http://localhost:1/mcp", requestInit: {headers: {X-A: b}}}
  dashed: {type: streamable-http, url: "http://localhost:1/mcp"}
`), Options{LookupEnv: environment("TOKEN", "secret-token", "KEY", "secret-key")})
	if err != nil {
		t.Fatal(err)
	}
	files, search := f.Servers[0], f.Servers[1]
	if strings.Join(texts(files.Args), " ") != "-y server 8080 ." || files.Command.Value != "npx" || files.Dir != filepath.Join(dir, "data") {
		t.Errorf("files: %+v", files)
	}
	if got := strings.Join(settingTexts(files.Env), " "); got != "PORT 8080 DEBUG true TOKEN secret-token" {
		t.Errorf("env: %s", got)
	}
	if files.Timeout != 1500*time.Millisecond || files.StartTimeout != 2500*time.Millisecond || files.MaxInFlight != 3 || files.Protocol != ProtocolLegacy ||
		files.Rate == nil || files.Rate.Calls != 4 || files.Rate.Per != 5*time.Second || search.Rate != nil {
		t.Errorf("files: %+v", files)
	}
	if search.Headers[0].Value.Value != "Bearer secret-key" || !search.AllowPrivate || search.Timeout != time.Minute || search.Dir != "" || search.Protocol != ProtocolAuto || search.MaxInFlight != 1024 {
		t.Errorf("search: %+v", search)
	}
	for i, transport := range []Transport{Stdio, StreamableHTTP, SSE, StreamableHTTP, StreamableHTTP, StreamableHTTP} {
		if f.Servers[i].Transport != transport {
			t.Errorf("%s is %s", f.Servers[i].Name.Value, f.Servers[i].Transport)
		}
	}
	if h := f.Servers[4].Headers; len(h) != 1 || h[0].Value.Value != "b" {
		t.Errorf("requestInit: %v", h)
	}
	wantAll(t, f.Warnings, "only the headers of requestInit of server \"http\" have an effect")
	if got := f.Secrets.Redact("a secret-token and secret-key"); got != "a [redacted] and [redacted]" {
		t.Errorf("redacted: %s", got)
	}
}

func TestUpstreamMistakes(t *testing.T) {
	for src, expected := range map[string]string{
		"{}":                                                   `3:17: server "s" has no command`,
		"{type: sse}":                                          `server "s" has no url`,
		"{command: ''}":                                        `command of server "s" is empty`,
		"{command: [a]}":                                       `command of server "s" is a list, expected text`,
		"{type: http, url: files}":                             "is not the address of a server, expected http://… or https://…",
		"{type: http, url: 'ftp://x/y'}":                       "is not the address of a server",
		"{command: x, timeoutMs: 0}":                           "timeoutMs of server \"s\" is 0, expected at least 1",
		"{command: x, maxInFlight: 5000}":                      "expected at most 4096",
		"{command: x, rate: 10}":                               `rate of server "s" is the number 10, expected a mapping; its keys are calls, perMs`,
		"{command: x, rate: {calls: 10}}":                      `rate of server "s" has no perMs; add perMs: …`,
		"{url: 'http://x', rate: {calls: 0, perMs: 5}}":        `calls of rate of server "s" is 0, expected at least 1`,
		"{url: 'http://x', rate: {calls: 100001, perMs: 5}}":   `expected at most 100000`,
		"{url: 'http://x', rate: {calls: 1, perMs: 86400001}}": `expected at most 86400000`,
		"{command: x, protocol: modren}":                       `protocol of server "s" is "modren", expected auto, legacy or modern; did you mean "modern"?`,
		"{command: x, env: [a]}":                               `env of server "s" is a list, expected a mapping of names to texts`,
		"{command: x, env: {A: }}":                             `"A" in env of server "s" is empty, expected text`,
		"{command: x, url: 'http://x'}":                        `warning: "url" of server "s" has no effect: its type is stdio`,
		"{command: '${X}'}":                                    "warning: variables are not replaced in command",
		"{type: stdio, command: x, disabled: 1}":               `warning: "disabled" of server "s" has no effect here`,
		"text":                                                 `server "s" is text, expected a mapping`,
	} {
		if src == "{command: x, url: 'http://x'}" {
			src = "{type: stdio, command: x, url: 'http://x'}"
		}
		want(t, head+"mcpServers: {s: "+src+"}\n", expected)
	}
	want(t, head+"mcpServers: [a]\n", "mcpServers is a list, expected a mapping of names to servers")
	want(t, head+"mcpServers:\n")
}

func TestServersFile(t *testing.T) {
	dir := t.TempDir()
	hostDir := filepath.Join(dir, "host")
	if err := os.Mkdir(hostDir, 0o700); err != nil {
		t.Fatal(err)
	}
	graph, host := filepath.Join(dir, "g.yaml"), filepath.Join(hostDir, "mcp.json")
	load := func(hostText string) (*File, error) {
		for path, text := range map[string]string{graph: head + "mcpServers: {files: {command: ours}}\ntools: [{name: t, nodes: [{id: x, type: mcp, server: a}, {id: y, type: mcp, server: b}]}]\n", host: hostText} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return Load(graph, Options{ServersFile: host, LookupEnv: environment("TOKEN", "secret-token")})
	}
	f, err := load("{\n\t\"globalShortcut\": \"x\",\n\t\"mcpServers\": {\n\t\t\"files\": {\"command\": \"theirs\"},\n\t\t\"git\": {\"command\": \"git-server\", \"args\": [\"\\u00e4\\/b\\ud83d\\ude00\\\\/\"], \"env\": {\"TOKEN\": \"${TOKEN}\"}, \"cwd\": \"sub\", \"disabled\": false, \"autoApprove\": [], \"comand\": 1, \"x\": {}},\n\t\t\"web\": {\"type\": \"http\", \"url\": \"http://localhost/mcp\"}\n\t}\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Servers) != 3 || f.Servers[0].Command.Value != "ours" || f.Servers[1].Command.Value != "git-server" || f.Servers[2].Transport != StreamableHTTP {
		t.Fatalf("servers %+v", f.Servers)
	}
	git := f.Servers[1]
	if git.Dir != filepath.Join(hostDir, "sub") || git.Env[0].Value.Value != "secret-token" || git.Args[0].Value != "ä/b😀\\/" || git.Pos.File != host || git.Name.Pos.Line != 5 {
		t.Errorf("git %+v", git)
	}
	if f.Secrets.Redact("secret-token") != redacted {
		t.Error("a secret of the servers file is shown")
	}
	if f, err = load(`{"servers": {"a": {"type": "stdio", "command": "x"}}, "inputs": []}`); err != nil || len(f.Servers) != 2 {
		t.Errorf("the other form: %v %v", f, err)
	}
	if f, err = load("{}"); err != nil || len(f.Warnings) != 1 || f.Warnings[0].Code != "not-a-servers-file" {
		t.Errorf("without servers: %v %v", f, err)
	}
	for text, expected := range map[string]string{
		`{"servers": {"a": {"command": "x", "env": {"K": "${input:key}"}}}, "inputs": [{"id": "key"}]}`: "inputs are a feature of editors; use an environment variable: ${NAME}",
		`{"mcpServers": {"a": {"command": "${X}"}, "b": {"env": {"A": "${NONE}"}}}}`:                    `server "b" has no command`,
		`{"mcpServers": {"a": }}`: "", `[]`: "the servers file is a list", "": "the file is empty", `{"mcpServers": {"a": {"command": "x", "args": ["${NONE}"]}}}`: "environment variable NONE is not set (used by args of server \"a\")",
		`{"mcpServers": {"a": {"command": "x"}, "A": {"command": "x"}}}`: "has the same name as",
	} {
		if _, err := load(text); err == nil || !strings.Contains(err.Error(), expected) || !strings.Contains(err.Error(), host) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if f, err = load(`{"mcpServers": {"unused": {"command": "x", "env": {"A": "${input:token}"}}, "b": {"command": "y"}}}`); err != nil || len(f.Servers) != 2 || len(f.Warnings) != 1 {
		t.Errorf("a server that nobody calls: %v %v", f, err)
	}
	if _, err := Load(graph, Options{ServersFile: filepath.Join(dir, "none")}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("missing: %v", err)
	}
}

func TestAssumeEnv(t *testing.T) {
	src := head + "servers: {a: {type: http, url: '${BASE}/mcp', headers: {Authorization: 'Bearer ${KEY}'}}, b: {command: x, args: ['${A:?needed}', '${B:-c}']}}\n"
	f, err := Parse("g.yaml", []byte(src), Options{LookupEnv: environment("KEY", "<KEY>"), AssumeEnv: true})
	if err != nil {
		t.Fatal(err)
	}
	if f.Servers[0].URL.Value != "value/mcp" || f.Servers[0].Headers[0].Value.Value != "Bearer <KEY>" || f.Secrets.Len() != 0 || len(f.Warnings) != 1 {
		t.Errorf("servers %+v, warnings %v", f.Servers[0], f.Warnings)
	}
	if _, _, err := Upgrade("g.yaml", []byte(src)); err != nil {
		t.Errorf("upgrade: %v", err)
	}
	want(t, strings.Replace(src, "servers", "mcpServers", 1), "BASE", "KEY", "needed")
}

func texts(list []Text) []string {
	var values []string
	for _, t := range list {
		values = append(values, t.Value)
	}
	return values
}

func settingTexts(settings []Setting) []string {
	var values []string
	for _, s := range settings {
		values = append(values, s.Name.Value, s.Value.Value)
	}
	return values
}
