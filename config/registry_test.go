package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// registries are a project's and a user's registry with this content; "" for none.
func registries(t *testing.T, project, user string) []string {
	t.Helper()
	paths := []string{filepath.Join(t.TempDir(), "project.json"), filepath.Join(t.TempDir(), "user.json")}
	for i, content := range []string{project, user} {
		if content == "" {
			continue
		}
		if err := os.WriteFile(paths[i], []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Dir(paths[i]), 0o700); err != nil { // whatever the umask is
			t.Fatal(err)
		}
	}
	return paths
}

const taking = head + "mcpServers: {github: {registry: true, timeoutMs: 5000}}\n"

func TestServerFromRegistry(t *testing.T) {
	mine := `{"mcpServers": {"github": {"command": "mine", "args": ["${DIR}"], "cwd": "sub", "timeoutMs": 7, "maxInFlight": 3, "env": {"TOKEN": "${TOKEN}"}}, "other": {"command": "never"}}}`
	theirs := `{"mcpServers": {"github": {"url": "https://example.com/mcp"}, "bad": 5}}`
	servers := filepath.Join(t.TempDir(), "servers.json")
	if err := os.WriteFile(servers, []byte(`{"servers": {"github": {"command": "given"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		servers, project, user, want string
	}{
		"project":      {"", mine, theirs, "mine ${DIR}"},
		"user":         {"", "", theirs, "https://example.com/mcp"},
		"another name": {"", `{"mcpServers": {"GitHub": {"command": "no"}}}`, mine, "mine ${DIR}"},
		"file of -m":   {servers, mine, theirs, "given"},
	} {
		paths := registries(t, c.project, c.user)
		f, err := Parse("g.yaml", []byte(taking), Options{ServersFile: c.servers, Registries: paths, LookupEnv: environment("DIR", "d", "TOKEN", "secret-token")})
		if err != nil || len(f.Servers) != 1 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		u := f.Servers[0]
		if u.Identity != c.want || u.Timeout != 5*time.Second || !u.Registry || u.Name.Pos.File != "g.yaml" {
			t.Errorf("%s: %+v", name, u)
		}
		if name == "project" && (u.MaxInFlight != 3 || u.Dir != filepath.Join(filepath.Dir(paths[0]), "sub") ||
			strings.Join(u.Variables, " ") != "DIR TOKEN" || f.Secrets.Redact("a secret-token") != "a [redacted]") {
			t.Errorf("%+v", u)
		}
	}
}

func TestRegistryMistakes(t *testing.T) {
	good := `{"mcpServers": {"github": {"command": "x"}, "gitlab": {"command": "y"}}}`
	for name, c := range map[string]struct{ entry, project, user, want string }{
		"unknown":       {"githup: {registry: true}", "", good, `g.yaml:3:33: server "githup" is in no registry; looked in PROJECT (which does not exist), USER; did you mean "github"? [unknown-registry-server]`},
		"far":           {"search: {registry: true}", good, "{}", `looked in PROJECT, USER; add it: toolgraph mcp add search -- COMMAND [unknown-registry-server]`},
		"command":       {"github: {registry: true, command: x}", good, "", `command of server "github" with registry: true; the registry says where the server is; remove command, or registry and define the server here [registry-conflict]`},
		"type":          {"github: {registry: true, type: sse}", good, "", "[registry-conflict]"},
		"env":           {"github: {registry: true, env: {A: b}}", good, "", "[registry-conflict]"},
		"misspelt":      {"github: {registry: true, timeoutMS: 5}", good, "", `did you mean "timeoutMs"? [unknown-key]`},
		"text":          {"github: {registry: yes please}", good, "", `registry of server "github" is text, expected true or false [wrong-type]`},
		"false":         {"github: {registry: false}", good, "", `server "github" has no command`},
		"not JSON":      {"github: {registry: true}", `{"mcpServers": {`, "", "PROJECT:1:"},
		"an error":      {"github: {registry: true}", `{"mcpServers": {"github": {"command": "x", "args": "no list"}}}`, "", `PROJECT:1:`},
		"itself":        {"github: {registry: true}", `{"mcpServers": {"github": {"registry": true}}}`, "", `PROJECT:1:28: registry of server "github" is a key of graph files alone`},
		"not a mapping": {"github: {registry: true}", `{"mcpServers": {"github": 5}}`, "", `server "github" is the number 5, expected a mapping`},
		"variable":      {"github: {registry: true}", `{"mcpServers": {"github": {"command": "x", "args": ["${NONE}"]}}}`, "", `environment variable NONE is not set (used by args of server "github")`},
	} {
		paths := registries(t, c.project, c.user)
		_, err := Parse("g.yaml", []byte(head+"mcpServers: {"+c.entry+"}\n"), Options{Registries: paths, LookupEnv: environment()})
		got := ""
		if err != nil {
			got = strings.NewReplacer(paths[0], "PROJECT", paths[1], "USER").Replace(err.Error())
		}
		if !strings.Contains(got, c.want) || strings.Count(got, "\n") > 0 {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

// Away from where a file runs its servers may not be registered.
func TestAnyEnvWarnsOfUnknownRegistryServers(t *testing.T) {
	f, err := Parse("g.yaml", []byte(taking), Options{Registries: registries(t, "", ""), AssumeEnv: true})
	if err != nil || len(f.Warnings) != 1 || f.Warnings[0].Code != "unknown-registry-server" {
		t.Errorf("%v, %v", f, err)
	}
}

// A registry that other users may write is not used, and the next one is not used in its place.
func TestF29UnsafeRegistryIsRefused(t *testing.T) {
	const content = `{"mcpServers": {"github": {"command": "x"}}}`
	for name, spoil := range map[string]func(path string) error{
		"file for the group":   func(path string) error { return os.Chmod(path, 0o620) },
		"file for all":         func(path string) error { return os.Chmod(path, 0o602) },
		"directory for all":    func(path string) error { return os.Chmod(filepath.Dir(path), 0o777) },
		"link to such a file":  func(path string) error { return linked(path, 0o666, 0o700) },
		"link to such a place": func(path string) error { return linked(path, 0o600, 0o770) },
	} {
		paths := registries(t, content, content)
		if err := spoil(paths[0]); err != nil {
			t.Fatal(err)
		}
		_, err := Parse("g.yaml", []byte(taking), Options{Registries: paths})
		var found Diagnostics
		if !errors.As(err, &found) || len(found) != 1 || found[0].Code != "unsafe-registry" || !strings.Contains(found[0].Message, "chmod go-w ") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := LoadRegistry(paths[0], Options{}); !errors.As(err, &found) || found[0].Code != "unsafe-registry" {
			t.Errorf("%s: read alone: %v", name, err)
		}
	}
}

// A registry that exists and is broken is an error: the server of the next registry, which may be
// another one, is not used in its place.
func TestF29BrokenRegistryIsNotSkipped(t *testing.T) {
	const good = `{"mcpServers": {"github": {"command": "x"}}}`
	for name, content := range map[string]string{"list": "[]", "null": "null", "text": `"text"`, "not JSON": "root:x:0:0:root:/root:/bin/bash\nbin:x:1\n", "list of servers": `{"mcpServers": []}`} {
		for _, assume := range []bool{false, true} {
			_, err := Parse("g.yaml", []byte(taking), Options{Registries: registries(t, content, good), AssumeEnv: assume})
			var found Diagnostics
			if !errors.As(err, &found) || len(found) != 1 || filepath.Base(found[0].Pos.File) != "project.json" {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	paths := registries(t, "", good)
	if err := os.Symlink(filepath.Join(t.TempDir(), "gone"), paths[0]); err != nil {
		t.Skip(err)
	}
	_, err := Parse("g.yaml", []byte(taking), Options{Registries: paths, AssumeEnv: true})
	var found Diagnostics
	if !errors.As(err, &found) || len(found) != 1 || found[0].Code != "unreadable-registry" || !strings.Contains(found[0].Message, "links to nothing") {
		t.Errorf("a link to nothing: %v", err)
	}
}

// linked puts a link to the file in its place, into a directory beside it.
func linked(path string, file, dir fs.FileMode) error {
	place := filepath.Join(filepath.Dir(path), "elsewhere")
	real := filepath.Join(place, "servers.json")
	return errors.Join(os.Mkdir(place, 0o700), os.Rename(path, real), os.Symlink(real, path), os.Chmod(real, file), os.Chmod(place, dir))
}

// A file that takes no server from a registry reads none, not even to find out that it is unsafe.
func TestF29FileThatNamesNoEntryReadsNoRegistry(t *testing.T) {
	paths := registries(t, "{{{ not JSON", `{"mcpServers": {"s": {"command": "hostile"}, "more": {"command": "hostile"}}}`)
	paths = append(paths, t.TempDir(), "/dev/zero")
	if err := os.Chmod(paths[0], 0o666); err != nil {
		t.Fatal(err)
	}
	for _, entry := range []string{"{s: {command: x}}", "{s: {registry: false, command: x}}", "{}"} {
		f, err := Parse("g.yaml", []byte(head+"mcpServers: "+entry+"\n"), Options{Registries: paths})
		if err != nil || len(f.Warnings) > 0 || len(f.Servers) > 1 {
			t.Errorf("%s: %v %v", entry, err, f)
		}
		for _, u := range f.Servers {
			if u.Command.Value != "x" {
				t.Errorf("%+v", u)
			}
		}
	}
}

// A server that is taken brings no other server of the registry with it.
func TestF29OnlyNamedEntriesAreTaken(t *testing.T) {
	user := `{"mcpServers": {"github": {"command": "x"}, "more": {"command": "y", "args": ["${UNSET}"]}, "bad": 5}}`
	f, err := Parse("g.yaml", []byte(taking), Options{Registries: registries(t, "", user), LookupEnv: environment()})
	if err != nil || len(f.Servers) != 1 || len(f.Warnings) > 0 {
		t.Errorf("%v, %v", f, err)
	}
}
