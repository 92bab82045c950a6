package registry

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/mcpclient"
)

// here is the registry of a new project.
func here(t *testing.T) Registry {
	t.Helper()
	r := OfProject(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	return r
}

// write puts content into a registry as its owner would.
func write(t *testing.T, r Registry, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.Path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(r.Path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAddKeepsTheRest(t *testing.T) {
	r := here(t)
	write(t, r, `{"note": {"big": 12345678901234567890.10, "text": "\u00e9\/"}, "mcpServers": {"a": {"command": "x", "disabled": false, "mine": 1e3}}}`)
	if err := r.Put(t.Context(), "browser", Definition{Command: "npx", Args: []string{"-y", "<s>"}, Env: map[string]string{"TOKEN": "${TOKEN}"}}, false); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(r.Path)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
  "note": {
    "big": 12345678901234567890.10,
    "text": "\u00e9\/"
  },
  "mcpServers": {
    "a": {
      "command": "x",
      "disabled": false,
      "mine": 1e3
    },
    "browser": {
      "command": "npx",
      "args": [
        "-y",
        "<s>"
      ],
      "env": {
        "TOKEN": "${TOKEN}"
      }
    }
  }
}
`
	if string(got) != want {
		t.Errorf("got\n%s", got)
	}
	if err := r.Put(t.Context(), "browser", Definition{Command: "other"}, false); !errors.Is(err, ErrExists) {
		t.Errorf("a second browser: %v", err)
	}
	if err := r.Put(t.Context(), "a", Definition{URL: "https://example.com/mcp"}, true); err != nil {
		t.Error(err)
	}
	if err := r.Remove(t.Context(), "brwser"); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), `did you mean "browser"?`) {
		t.Errorf("remove: %v", err)
	}
	if err := r.Remove(t.Context(), "browser"); err != nil {
		t.Error(err)
	}
	entries, err := r.List()
	if err != nil || len(entries) != 1 || entries[0].Name != "a" || entries[0].Server.Identity != "https://example.com/mcp" {
		t.Errorf("left: %+v, %v", entries, err)
	}
}

// A fresh registry can be read by its user alone, whatever the umask is, and is not refused later.
func TestAddMakesTheFile(t *testing.T) {
	r := here(t)
	for _, name := range []string{"a", "b"} {
		if err := r.Put(t.Context(), name, Definition{Command: "x"}, false); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(r.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(r.Path)); err != nil || len(left) != 1 {
		t.Errorf("the directory has %v", left)
	}
}

func TestAddRefuses(t *testing.T) {
	const secret = "hunter2-hunter2"
	r := here(t)
	for name, c := range map[string]struct {
		name string
		def  Definition
		want string
	}{
		"a dot":          {"a.b", Definition{Command: "x"}, "is no name for a server"},
		"a flag":         {"-a", Definition{Command: "x"}, "is no name for a server"},
		"nothing":        {"a", Definition{}, `server "a" has no command`},
		"an address":     {"a", Definition{URL: "example.com"}, "expected http://"},
		"a type":         {"a", Definition{Type: "tcp", Command: "x"}, `type of server "a" is "tcp"`},
		"env":            {"a", Definition{Command: "x", Env: map[string]string{"API_KEY": secret}}, `write ${API_KEY}`},
		"a default":      {"a", Definition{Command: "x", Env: map[string]string{"API_KEY": "${K:-" + secret + "}"}}, `looks like a secret`},
		"a header":       {"a", Definition{URL: "https://e.com", Headers: map[string]string{"Authorization": "Bearer " + secret}}, `the header "Authorization"`},
		"an argument":    {"a", Definition{Command: "x", Args: []string{"-v", "--token=" + secret}}, "argument 2"},
		"two arguments":  {"a", Definition{Command: "x", Args: []string{"--api-key", secret}}, "argument 2"},
		"header of arg":  {"a", Definition{Command: "x", Args: []string{"--header", "Authorization: Bearer " + secret}}, "argument 2"},
		"docker":         {"a", Definition{Command: "docker", Args: []string{"run", "-e", "GITHUB_TOKEN=" + secret}}, "argument 3"},
		"url":            {"a", Definition{URL: "https://e.com/mcp?access_token=" + secret}, "a part of the url"},
		"user":           {"a", Definition{URL: "https://me:" + secret + "@e.com/mcp"}, "a part of the url"},
		"bad variable":   {"a", Definition{Command: "x", Args: []string{"${"}}, "found ${ without }"},
		"hidden in text": {"a", Definition{Command: "x", Args: []string{"a\u202eb"}}, "invisible character"},
	} {
		err := r.Put(t.Context(), c.name, c.def, false)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(r.Path); err == nil {
		t.Error("a refused entry was written")
	}
	for name, def := range map[string]Definition{
		"variables": {URL: "https://me:${PW}@e.com/?token=${T}", Headers: map[string]string{"Authorization": "Bearer ${T}"}},
		"arguments": {Command: "x", Args: []string{"--token=${T}", "--api-key", "${K}", "--header", "Authorization: Bearer ${T}", "-e", "TOKEN", "--author=somebody"}},
		"short":     {Command: "x", Env: map[string]string{"MAX_TOKENS": "4096", "KEYBOARD": "english-us"}},
	} {
		if err := r.Put(t.Context(), "ok", def, true); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The tools of a server are those of its entry as it is written: another command has none.
func TestToolsPerEntry(t *testing.T) {
	r := here(t)
	load := func(def Definition) *config.Upstream {
		t.Helper()
		if err := r.Put(t.Context(), "a", def, true); err != nil {
			t.Fatal(err)
		}
		file, err := Entry{Registry: r, Name: "a"}.Load()
		if err != nil {
			t.Fatal(err)
		}
		return file.Servers[0]
	}
	t.Setenv("LEVEL", "one")
	u := load(Definition{Command: "x", Env: map[string]string{"LEVEL": "${LEVEL}"}})
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if s, err := StoredTools(u); s != nil || err != nil {
		t.Errorf("before: %v, %v", s, err)
	}
	tools := []mcpclient.Tool{{Name: "read", Description: "with long-secret inside", InputSchema: []byte(`{"type":"object"}`)}}
	if err := StoreTools(u, tools, at, config.NewSecrets("long-secret")); err != nil {
		t.Fatal(err)
	}
	s, err := StoredTools(u)
	if err != nil || !s.At.Equal(at) || len(s.Tools) != 1 || s.Tools[0].Description != "with [redacted] inside" || s.Server != "x" {
		t.Errorf("%+v, %v", s, err)
	}
	t.Setenv("LEVEL", "two")
	if s, err := StoredTools(load(Definition{Command: "x", Env: map[string]string{"LEVEL": "${LEVEL}"}})); s == nil || err != nil {
		t.Errorf("with another value of a variable: %v, %v", s, err)
	}
	if s, err := StoredTools(load(Definition{Command: "x", Env: map[string]string{"LEVEL": "three"}})); s != nil || err != nil {
		t.Errorf("with other settings: %v, %v", s, err)
	}
}
