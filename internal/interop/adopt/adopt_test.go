package adopt_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"toolgraph/internal/base/files"
	"toolgraph/internal/interop/adopt"
	"toolgraph/internal/interop/hostconfig"
	"toolgraph/internal/project/registry"
)

const secret = "hunter2-hunter2"

// configured are the files of three hosts, one for each syntax, with two servers to adopt and one that stays.
var configured = map[string]string{
	"cursor": `{
  // mine
  "mcpServers": {
    "files": {"command": "/bin/files", "args": ["--root", "/srv"]},
    "off": {"command": "/bin/off", "disabled": true},
    "mail": {
      "command": "/bin/mail",
      "env": {"MAIL_TOKEN": "` + secret + `", "LEVEL": "high"} // here
    }
  },
  "other": [1, 2 ]
}
`,
	"codex": `# mine
model = "o"

[mcp_servers.files]
command = "/bin/files"
args = ["--root", "/srv"]

[mcp_servers.off]
command = "/bin/off"
enabled = false

[mcp_servers.mail]
command = "/bin/mail" # here
env = { MAIL_TOKEN = "` + secret + `", LEVEL = "high" }
`,
	"goose": `# mine
GOOSE_MODEL: o
extensions:
  files:
    type: stdio
    enabled: true
    cmd: /bin/files
    args: [--root, /srv]
  off:
    type: stdio
    enabled: false
    cmd: /bin/off
  # of mail
  mail:
    type: stdio
    enabled: true
    cmd: /bin/mail
    envs: {MAIL_TOKEN: ` + secret + `, LEVEL: high}
`,
}

// home is a home directory whose host has a file.
type home struct {
	t   testing.TB
	dir string
}

func newHome(t testing.TB, hosts ...string) *home {
	t.Helper()
	h := &home{t, t.TempDir()}
	h.use()
	for _, host := range hosts {
		path := h.file(host)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(configured[host]), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// use makes it the home of this process.
func (h *home) use() {
	if t, is := h.t.(*testing.T); is {
		for name, value := range map[string]string{"HOME": h.dir, "XDG_CONFIG_HOME": filepath.Join(h.dir, ".config"), "CODEX_HOME": filepath.Join(h.dir, ".codex"), "APPDATA": filepath.Join(h.dir, "AppData")} {
			t.Setenv(name, value)
		}
	}
}

func (h *home) file(host string) string {
	return hostconfig.Find(host).Target(hostconfig.UserScope, "")
}

func (h *home) read(path string) string {
	h.t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(src)
}

func read(host string, keep ...string) (*adopt.Adoption, error) {
	r, err := registry.OfUser()
	if err != nil {
		return nil, err
	}
	return adopt.Read(hostconfig.Find(host), adopt.Options{
		Registry: r, Keep: keep, Reader: hostconfig.Options{Home: "/srv/home", Lookup: os.LookupEnv, IsSelf: isSelf},
		Launch: func(graph string) (hostconfig.Launch, error) {
			return hostconfig.Launch{Name: "toolgraph", Description: "Finds and calls tools", Command: "/bin/toolgraph", Args: []string{"-g", graph, "--locked"}, IsSelf: isSelf}, nil
		},
	})
}

func isSelf(command string) bool { return command == "/bin/toolgraph" }

// locked stands for the lock.
var locked = []byte("lock\n")

func write(t testing.TB, host string, keep ...string) error {
	t.Helper()
	a, err := read(host, keep...)
	if err != nil {
		return err
	}
	_, err = a.Write(t.Context(), locked, files.LinksInside)
	return err
}

func undo(t testing.TB, host string) (*adopt.Undone, error) {
	t.Helper()
	r, err := registry.OfUser()
	if err != nil {
		return nil, err
	}
	u, err := adopt.Undo(hostconfig.Find(host), r)
	if err != nil {
		return nil, err
	}
	return u.Write(t.Context(), files.LinksInside)
}

// hasSecrets returns the files in which a secret stands, without those of the host and its backups.
func (h *home) hasSecrets(hosts ...string) (found []string) {
	var own []string
	for _, host := range hosts {
		own = append(own, h.file(host))
	}
	_ = filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || slices.ContainsFunc(own, func(file string) bool {
			return path == file || strings.HasPrefix(path, file+".") || strings.HasPrefix(filepath.Base(path), "."+filepath.Base(file)+".")
		}) {
			if info, err := os.Stat(path); err == nil && !d.IsDir() && info.Mode().Perm() != 0o600 {
				found = append(found, fmt.Sprintf("%s has mode %o", path, info.Mode().Perm()))
			}
			return nil
		}
		if src, err := os.ReadFile(path); err == nil && bytes.Contains(src, []byte(secret)) {
			found = append(found, path)
		}
		return nil
	})
	return found
}

// registered are the servers of the user's registry.
func registered(t testing.TB) (names []string) {
	t.Helper()
	r, err := registry.OfUser()
	if err != nil {
		t.Fatal(err)
	}
	entries, err := r.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	return names
}

// W09: one entry takes the place of the servers, with the values that the host's file has for them and that stand nowhere else;
// a second time nothing changes; then all is as it was, byte for byte.
func TestW09AdoptAndUndo(t *testing.T) {
	for host := range configured {
		t.Run(host, func(t *testing.T) {
			h := newHome(t, host)
			path := h.file(host)
			if err := write(t, host); err != nil {
				t.Fatal(err)
			}
			after := h.read(path)
			names, err := hostconfig.Find(host).Names(path, []byte(after))
			if slices.Sort(names); err != nil || !slices.Equal(names, []string{"off", "toolgraph"}) {
				t.Errorf("%v %v\n%s", names, err, after)
			}
			_, args, env, err := hostconfig.Find(host).Program(path, []byte(after), "toolgraph")
			if err != nil || !slices.Contains(args, "--locked") || !slices.Contains(env, hostconfig.Setting{Name: "MAIL_TOKEN", Value: secret}) || !slices.Contains(env, hostconfig.Setting{Name: "MAIL_LEVEL", Value: "high"}) {
				t.Errorf("%v %v %v\n%s", args, env, err, after)
			}
			if got := registered(t); !slices.Equal(got, []string{"files", "mail"}) {
				t.Errorf("the registry has %v", got)
			}
			if found := h.hasSecrets(host); found != nil {
				t.Errorf("%v", found)
			}
			if err := write(t, host); err != nil || h.read(path) != after {
				t.Errorf("the second time: %v\n%s", err, h.read(path))
			}
			done, err := undo(t, host)
			if err != nil || h.read(path) != configured[host] || len(done.Left) > 0 {
				t.Errorf("%v %+v\n%s", err, done, h.read(path))
			}
			if got := registered(t); got != nil {
				t.Errorf("the registry has %v", got)
			}
			if _, err := undo(t, host); !errors.Is(err, adopt.ErrNothing) {
				t.Errorf("undone twice: %v", err)
			}
		})
	}
}

// TestMain does one step and ends at a change of the disk, when a test has started the process for that.
func TestMain(m *testing.M) {
	if at := os.Getenv("ADOPT_ENDS_AT"); at != "" {
		end, err := strconv.Atoi(at)
		if err != nil {
			os.Exit(3)
		}
		changes := 0
		files.OnChange(func(string, string) {
			if changes++; changes == end {
				os.Exit(9)
			}
		})
	}
	os.Exit(m.Run())
}

// TestStep is what TestMain lets end.
func TestStep(t *testing.T) {
	words := strings.Fields(os.Getenv("ADOPT_STEP"))
	if len(words) == 0 {
		t.Skip("it is run by other tests")
	}
	var err error
	if words[0] == "undo" {
		_, err = undo(t, words[1])
	} else {
		err = write(t, words[1], words[2:]...)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// endsAt runs a step in a process that ends before its nth change of the disk; it reports whether the step was done before.
func endsAt(t *testing.T, n int, step string) (done bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestStep$")
	cmd.Env = append(os.Environ(), "ADOPT_ENDS_AT="+strconv.Itoa(n), "ADOPT_STEP="+step)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 9) {
		t.Fatalf("%v: %s", err, out)
	}
	return err == nil
}

// W09: the process is killed at each change of the disk, in both directions: the host's file is the old one or the new one,
// and the same command finishes it.
func TestW09KilledAtEachChange(t *testing.T) {
	for host, before := range configured {
		t.Run(host, func(t *testing.T) {
			changes := 0
			for done := false; !done; changes++ {
				h := newHome(t, host)
				path := h.file(host)
				done = endsAt(t, changes+1, "adopt "+host)
				now := h.read(path)
				if now != before && !strings.Contains(now, "/bin/toolgraph") {
					t.Errorf("killed at change %d:\n%s", changes+1, now)
				}
				if found := h.hasSecrets(host); found != nil {
					t.Errorf("killed at change %d: %v", changes+1, found)
				}
				if err := write(t, host); err != nil {
					t.Errorf("killed at change %d: %v", changes+1, err)
				}
				if names, err := hostconfig.Find(host).Names(path, []byte(h.read(path))); err != nil || len(names) != 2 || !slices.Equal(registered(t), []string{"files", "mail"}) {
					t.Errorf("killed at change %d: %v %v %v", changes+1, names, err, registered(t))
				}
				if _, err := undo(t, host); err != nil || h.read(path) != before || registered(t) != nil {
					t.Errorf("killed at change %d, then undone: %v, registry %v\n%s", changes+1, err, registered(t), h.read(path))
				}
			}
			if changes < 15 {
				t.Errorf("only %d changes were tried", changes)
			}
			for done, n := false, 1; !done; n++ {
				h := newHome(t, host)
				path := h.file(host)
				if err := write(t, host); err != nil {
					t.Fatal(err)
				}
				done = endsAt(t, n, "undo "+host)
				if now := h.read(path); now != before && !strings.Contains(now, "/bin/toolgraph") {
					t.Errorf("undo killed at change %d:\n%s", n, now)
				}
				if _, err := undo(t, host); err != nil && !errors.Is(err, adopt.ErrNothing) || h.read(path) != before || registered(t) != nil {
					t.Errorf("undo killed at change %d: %v, registry %v\n%s", n, err, registered(t), h.read(path))
				}
			}
		})
	}
}
