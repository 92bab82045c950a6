package adopt_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"toolgraph/internal/base/files"
	"toolgraph/internal/interop/adopt"
	"toolgraph/internal/interop/hostconfig"
	"toolgraph/internal/project/registry"
)

// change replaces a text of the host's file.
func (h *home) change(path, from, to string) {
	h.t.Helper()
	src := h.read(path)
	if !strings.Contains(src, from) {
		h.t.Fatalf("%s has no %s", src, from)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(src, from, to, 1)), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// edits are what users do to a file after the adoption: another setting, and another server.
var edits = map[string][][2]string{
	"cursor": {{`"other": [1, 2 ]`, `"other": [3 ]`}, {`"off": {`, `"new": {"command": "/bin/new"}, "off": {`}},
	"codex":  {{`model = "o"`, `model = "p"`}, {"[mcp_servers.off]", "[mcp_servers.new]\ncommand = \"/bin/new\"\n\n[mcp_servers.off]"}},
	"goose":  {{"GOOSE_MODEL: o", "GOOSE_MODEL: p"}, {"  off:\n", "  new:\n    type: stdio\n    cmd: /bin/new\n  off:\n"}},
}

// W09: what others have changed since stays, and only the adopted entries are put back.
func TestW09UndoAfterEdits(t *testing.T) {
	for host, changes := range edits {
		t.Run(host, func(t *testing.T) {
			h := newHome(t, host)
			path := h.file(host)
			if err := write(t, host); err != nil {
				t.Fatal(err)
			}
			for _, change := range changes {
				h.change(path, change[0], change[1])
			}
			r, err := registry.OfUser()
			if err != nil {
				t.Fatal(err)
			}
			u, err := adopt.Undo(hostconfig.Find(host), r)
			if err != nil || u.IsExact() {
				t.Fatal(err, u.IsExact())
			}
			if _, err := u.Write(t.Context(), files.LinksInside); err != nil {
				t.Fatal(err)
			}
			src := []byte(h.read(path))
			names, err := hostconfig.Find(host).Names(path, src)
			if slices.Sort(names); err != nil || !slices.Equal(names, []string{"files", "mail", "new", "off"}) || !strings.Contains(string(src), changes[0][1]) {
				t.Errorf("%v %v\n%s", names, err, src)
			}
			if same, err := hostconfig.Find(host).SameEntries(path, src, []byte(configured[host]), []string{"files", "mail", "off"}); err != nil || !same {
				t.Errorf("%v\n%s", err, src)
			}
			// a server that came later is adopted with the others, and all come back
			if err := write(t, host); err != nil || !slices.Equal(registered(t), []string{"files", "mail", "new"}) {
				t.Errorf("%v %v", err, registered(t))
			}
			if _, err := undo(t, host); err != nil || h.read(path) != string(src) {
				t.Errorf("%v\n%s", err, h.read(path))
			}
		})
	}
}

// A server that is added after the adoption goes behind the one entry, too; the values of the others stay in it.
func TestAdoptAgainWithAnotherServer(t *testing.T) {
	for host, changes := range edits {
		t.Run(host, func(t *testing.T) {
			h := newHome(t, host)
			path := h.file(host)
			if err := write(t, host); err != nil {
				t.Fatal(err)
			}
			h.change(path, changes[1][0], changes[1][1])
			if err := write(t, host); err != nil {
				t.Fatal(err)
			}
			src := []byte(h.read(path))
			_, _, env, err := hostconfig.Find(host).Program(path, src, "toolgraph")
			if err != nil || !slices.Contains(env, hostconfig.Setting{Name: "MAIL_TOKEN", Value: secret}) || !slices.Equal(registered(t), []string{"files", "mail", "new"}) {
				t.Errorf("%v %v %v\n%s", env, err, registered(t), src)
			}
			if found := h.hasSecrets(host); found != nil {
				t.Errorf("%v", found)
			}
			if _, err := undo(t, host); err != nil {
				t.Fatal(err)
			}
			names, err := hostconfig.Find(host).Names(path, []byte(h.read(path)))
			if slices.Sort(names); err != nil || !slices.Equal(names, []string{"files", "mail", "new", "off"}) {
				t.Errorf("%v %v\n%s", names, err, h.read(path))
			}
		})
	}
}

// W09: the host's file changes while it is adopted: another setting is kept, and another server ends it.
func TestW09ChangesMeanwhile(t *testing.T) {
	for host, changes := range edits {
		for i, change := range changes {
			h := newHome(t, host)
			path := h.file(host)
			done := false
			end := files.OnChange(func(_, at string) {
				if strings.HasPrefix(at, path) && !done { // its backup is about to be written
					done = true
					h.change(path, change[0], change[1])
				}
			})
			err := write(t, host)
			end()
			now := h.read(path)
			if i == 0 && (err != nil || !strings.Contains(now, change[1]) || !strings.Contains(now, "/bin/toolgraph")) ||
				i == 1 && (!errors.Is(err, adopt.ErrChanged) || !strings.Contains(now, "/bin/new") || strings.Contains(now, "/bin/toolgraph")) {
				t.Errorf("%s, change %d: %v\n%s", host, i, err, now)
			}
			if _, err := undo(t, host); err != nil || registered(t) != nil {
				t.Errorf("%v %v", err, registered(t))
			}
			if now, want := h.read(path), strings.Replace(configured[host], change[0], change[1], 1); now != want {
				t.Errorf("%s, change %d:\n%s\nwant\n%s", host, i, now, want)
			}
		}
	}
}

// W09: two hosts share a server; each is taken back alone, in either order.
func TestW09TwoHosts(t *testing.T) {
	for _, order := range [][]string{{"cursor", "codex"}, {"codex", "cursor"}} {
		h := newHome(t, order...)
		for _, host := range []string{"cursor", "codex"} {
			if err := write(t, host); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := undo(t, order[0]); err != nil || !slices.Equal(registered(t), []string{"files", "mail"}) || h.read(h.file(order[0])) != configured[order[0]] {
			t.Errorf("%v %v", err, registered(t))
		}
		if _, err := undo(t, order[1]); err != nil || registered(t) != nil || h.read(h.file(order[1])) != configured[order[1]] {
			t.Errorf("%v %v", err, registered(t))
		}
		r, err := registry.OfUser()
		if err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(filepath.Dir(r.Path)); err != nil || len(left) > 0 {
			t.Errorf("%v are left, %v", left, err)
		}
	}
}

// W09: a file that is read-only, a link out of its directory, and one of another user are left alone, and so is all else.
func TestW09FilesThatAreNotReplaced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions and owners are those of Unix")
	}
	for name, prepare := range map[string]func(h *home, path string) error{
		"is read-only": func(_ *home, path string) error { return os.Chmod(path, 0o400) },
		"is a symbolic link": func(h *home, path string) error {
			target := filepath.Join(h.dir, "elsewhere.json")
			return errors.Join(os.Rename(path, target), os.Symlink(target, path))
		},
		"hard links": func(h *home, path string) error { return os.Link(path, filepath.Join(h.dir, "second.json")) },
		"belongs to another user": func(_ *home, path string) error {
			if os.Geteuid() != 0 {
				t.Skip("only root gives files away")
			}
			return os.Chown(path, 12345, 12345)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t, "cursor")
			path := h.file("cursor")
			if err := prepare(h, path); err != nil {
				t.Fatal(err)
			}
			if err := write(t, "cursor"); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%v", err)
			}
			if h.read(path) != configured["cursor"] || registered(t) != nil {
				t.Errorf("%v\n%s", registered(t), h.read(path))
			}
		})
	}
}

// What stays, and why.
func TestServersThatStay(t *testing.T) {
	h := newHome(t, "cursor")
	path := h.file("cursor")
	const servers = `{"mcpServers": {
		"off": {"command": "/bin/a", "disabled": true}, "here": {"command": "/bin/a", "args": ["${workspaceFolder}"]},
		"limited": {"command": "/bin/a", "disabledTools": ["x"]}, "some": {"command": "/bin/a", "includeTools": ["x", "y*"]},
		"known": {"command": "/bin/a"}, "kept": {"command": "/bin/a"}, "own": {"command": "/bin/toolgraph"}, "nothing": {},
		"asks": {"command": "/bin/a", "env": {"K": "${input:k}"}}, "with a name": {"command": "/bin/a"}
	}}`
	if err := os.WriteFile(path, []byte(servers), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := registry.OfUser()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Put(t.Context(), "known", registry.Definition{Command: "/bin/b"}, false); err != nil {
		t.Fatal(err)
	}
	a, err := read("cursor", "kept")
	if err != nil {
		t.Fatal(err)
	}
	a.Lookup(func(string) (string, bool) { return "", false })
	for _, s := range a.Servers {
		want := map[string]string{
			"off": "it is disabled in Cursor", "here": "has a value only in Cursor", "limited": "its disabledTools excludes tools", "some": "",
			"known": "has another server of its name", "kept": "--keep", "own": "it is toolgraph itself", "nothing": "neither a command nor a url",
			"asks": "is known to Cursor only", "with a name": "",
		}[s.Name]
		if (want == "") != (s.Stays == "") || !strings.Contains(s.Stays, want) {
			t.Errorf("%s stays: %q, want %q", s.Name, s.Stays, want)
		}
	}
	if graph := string(a.Graph()); !strings.Contains(graph, `calls: [some.x, "some.y*", "with-a-name.*"]`) {
		t.Error(graph)
	}
	if _, err := read("cursor", "kep"); err == nil || !strings.Contains(err.Error(), `did you mean "kept"?`) {
		t.Error(err)
	}
}
