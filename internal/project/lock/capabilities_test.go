package lock

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/internal/base/files"
)

const capable = `version: "1.0"
server: {name: g, version: 1.0.0}
mcpServers:
  files: {command: run, args: ["${DIR}"], env: {TOKEN: "${TOKEN}"}}
allow: {confirm: [destroy]}
tools:
- name: tidy
  description: d
  nodes:
  - {id: entry, type: entry, next: list}
  - {id: list, type: mcp, server: files, tool: list, next: sure}
  - {id: sure, type: ask, message: Sure, next: remove}
  - {id: remove, type: mcp, server: files, tool: remove, next: exit}
  - {id: exit, type: exit}
- name: note
  description: d
  nodes:
  - {id: entry, type: entry, next: list}
  - {id: list, type: mcp, server: files, tool: list, next: exit}
  - {id: exit, type: exit}
- name: hidden
  description: d
  hidden: true
  nodes:
  - {id: entry, type: entry, next: list}
  - {id: list, type: mcp, server: files, tool: list, next: exit}
  - {id: exit, type: exit}
`

// lockedCapabilities is how the lock of the file has what its tools can do.
const lockedCapabilities = `version: 3
capabilities:
  tools:
    note:
      calls:
        files.list: read
    tidy:
      asks: true
      calls:
        files.list: read
        files.remove: unknown if confirmed
  variables:
    files: [DIR, TOKEN]
servers:
`

func built(t *testing.T, src string) (*config.File, []*graph.Graph) {
	t.Helper()
	file, err := config.Parse("g.yaml", []byte(src), config.Options{AssumeEnv: true})
	if err != nil {
		t.Fatal(err)
	}
	graphs, found, err := graph.Build(t.Context(), file)
	if err != nil || found.Err() != nil {
		t.Fatal(found, err)
	}
	return file, graphs
}

// capableLock is the lock of the file, and where it is.
func capableLock(t *testing.T) (*Lock, string) {
	t.Helper()
	file, graphs := built(t, capable)
	remove := Pin(file.Servers[0], tool(t, `{"name":"remove"}`), nil)
	l := Of("g.lock.yaml", Pin(file.Servers[0], tool(t, listing), nil), remove)
	l.Capabilities = l.Derive(file, graphs)
	path := filepath.Join(t.TempDir(), "g.lock.yaml")
	if err := l.Write(path, files.NoLinks); err != nil {
		t.Fatal(err)
	}
	return l, path
}

// A lock has what the listed tools can do, one line for each call, and is read back.
func TestLockHasCapabilities(t *testing.T) {
	l, path := capableLock(t)
	if !strings.Contains(string(l.Encode()), lockedCapabilities) {
		t.Errorf("got\n%s", l.Encode())
	}
	again, err := Load(path)
	if err != nil || string(again.Encode()) != string(l.Encode()) || len(l.Capabilities.Beyond(again.Capabilities)) > 0 {
		t.Errorf("%v\n%s", err, again.Encode())
	}
	for name, other := range map[string]*Lock{"recalled": l.Recall(again), "learned": l.Learn(func(func(Answer) bool) {})} {
		if string(other.Encode()) != string(l.Encode()) {
			t.Errorf("%s:\n%s", name, other.Encode())
		}
	}
	if file, graphs := built(t, capable); again.Check(file, graphs) != nil {
		t.Errorf("found %v", again.Check(file, graphs))
	}
	nothing := &Lock{Name: "g.lock.yaml"}
	nothing.Capabilities = nothing.Derive(built(t, "version: '1.0'\nserver: {name: g, version: 1.0.0}\ntools: []\n"))
	if got := string(nothing.Encode()); !strings.HasSuffix(got, "version: 3\ncapabilities: {}\nservers: {}\n") {
		t.Errorf("of tools that can do nothing: %s", got)
	}
}

// What a file can do more than its lock has is a finding at the place that makes it possible, and
// what it can do less is none. A lock without capabilities has nothing to be compared with.
func TestCheckFindsCapabilitiesBeyondTheLock(t *testing.T) {
	l, _ := capableLock(t)
	without := *l
	without.Capabilities = nil
	for name, c := range map[string]struct{ was, is, want string }{
		"a call": {
			"  - {id: list, type: mcp, server: files, tool: list, next: exit}\n  - {id: exit, type: exit}\n- name: hidden",
			"  - {id: list, type: mcp, server: files, tool: remove, next: exit}\n  - {id: exit, type: exit}\n- name: hidden",
			`g.yaml:19:48: warning: tool "note": files.remove: unknown if confirmed, and g.lock.yaml does not have this; review it, then run: toolgraph lock g.yaml [exceeds-lock]`,
		},
		"without confirmation": {"tool: remove, next", "tool: remove, confirm: false, next", `g.yaml:13:50: warning: tool "tidy": files.remove: unknown, and g.lock.yaml has unknown if confirmed`},
		"a variable":           {`${TOKEN}`, `${TOKEN}${OTHER}`, `g.yaml:4:3: warning: server "files": reads the environment variable OTHER`},
		"a question":           {"- {id: list, type: mcp, server: files, tool: list, next: exit}", "- {id: list, type: ask, message: Hm, next: exit}", `g.yaml:19:5: warning: tool "note": asks the user`},
		"less":                 {"tool: remove, next", "tool: remove, effect: read, confirm: true, next", ""},
		"not locked":           {"tool: remove, next", "tool: other, next", `g.yaml:13:50: warning: the tool "other" of server "files" is not in g.lock.yaml`},
	} {
		if !strings.Contains(capable, c.was) {
			t.Fatalf("%s: not in the file", name)
		}
		file, graphs := built(t, strings.Replace(capable, c.was, c.is, 1))
		found := l.Check(file, graphs)
		if got := found.Error(); !strings.HasPrefix(got, c.want) || len(found) > 1 || c.want == "" && len(found) > 0 {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
		for _, d := range without.Check(file, graphs) {
			if d.Code == "exceeds-lock" {
				t.Errorf("%s: a lock without capabilities: %s", name, d)
			}
		}
	}
}

// Capabilities that toolgraph lock did not write are refused.
func TestLoadCapabilityErrors(t *testing.T) {
	l, path := capableLock(t)
	good := string(l.Encode())
	for name, c := range map[string]struct{ was, is, want string }{
		"removed":    {good[strings.Index(good, "capabilities:"):strings.Index(good, "servers:")], "", "the lock has no capabilities"},
		"null":       {good[strings.Index(good, "capabilities:"):strings.Index(good, "servers:")], "capabilities:\n", "capabilities is not a mapping"},
		"key":        {"variables:", "variable:", `capabilities has the unknown key "variable"`},
		"tool":       {"asks: true\n", "ask: true\n", `tool "tidy" of capabilities has the unknown key "ask"`},
		"asks":       {"asks: true", "asks: 1", `asks of tool "tidy" of capabilities is not true`},
		"effect":     {"unknown if confirmed", "harmless", `tool "tidy" of capabilities cannot call "files.remove" with effects "harmless"`},
		"call":       {"files.remove:", "remove:", `tool "tidy" of capabilities cannot call "remove"`},
		"number":     {"unknown if confirmed", "5", `cannot call "files.remove" with effects ""`},
		"calls":      {"calls:\n        files.list: read\n    tidy", "calls: 5\n    tidy", `calls of tool "note" of capabilities is not a mapping`},
		"variables":  {"[DIR, TOKEN]", "TOKEN", `variables of server "files" of capabilities are not a list of names`},
		"a variable": {"[DIR, TOKEN]", "[5]", `variables of server "files" of capabilities are not a list of names`},
	} {
		if !strings.Contains(good, c.was) {
			t.Fatalf("%s: %q is not in\n%s", name, c.was, good)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(good, c.was, c.is, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		var found config.Diagnostics
		if _, err := Load(path); !errors.As(err, &found) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}
