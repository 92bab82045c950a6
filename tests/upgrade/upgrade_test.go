package upgrade

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"toolgraph/tests/pgtest"
	"toolgraph/tests/testbin"
)

func TestMain(m *testing.M) {
	code := testbin.Run(m)
	pgtest.Stop()
	os.Exit(code)
}

// old is a copy of what a program wrote, in the home directory of a user.
type old struct {
	*testing.T
	written string // what the program wrote, unchanged
	home    string
	state   string // the place of recorded runs
	work    string
	program string
}

// each does a test for each program whose files are there.
func each(t *testing.T, do func(o *old)) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the files have paths of Unix")
	}
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, e := range entries {
		written := filepath.Join("testdata", e.Name())
		if _, err := os.Stat(filepath.Join(written, "version.txt")); err != nil {
			continue
		}
		count++
		t.Run(e.Name(), func(t *testing.T) {
			home := t.TempDir()
			o := &old{T: t, written: written, home: home, state: filepath.Join(home, "state"), work: filepath.Join(home, "work"), program: testbin.Build(t, "toolgraph")}
			for from, to := range map[string]string{"work": o.work, "state": filepath.Join(home, "state"), "home": home} {
				if err := os.CopyFS(to, os.DirFS(filepath.Join(written, from))); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(filepath.Join(home, "state"), 0o700); err != nil {
				t.Fatal(err)
			}
			do(o)
		})
	}
	if count == 0 {
		t.Error("there are no files of an earlier program")
	}
}

// run runs the program as the user, and returns its standard output and its exit code.
func (o *old) run(args ...string) (string, int) {
	o.Helper()
	cmd := exec.CommandContext(o.Context(), o.program, args...)
	cmd.Dir = o.work
	cmd.Env = []string{
		"HOME=" + o.home, "XDG_CONFIG_HOME=" + filepath.Join(o.home, ".config"), "TOOLGRAPH_STATE=" + o.state,
		"PATH=" + filepath.Dir(o.program) + string(os.PathListSeparator) + os.Getenv("PATH"),
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		o.Fatal(err)
	}
	if cmd.ProcessState.ExitCode() != 0 {
		o.Logf("%v: %s%s", args, out.String(), errs.String())
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// ok runs a command that has to succeed.
func (o *old) ok(args ...string) string {
	o.Helper()
	out, code := o.run(args...)
	if code != 0 {
		o.Errorf("%v ends with %d", args, code)
	}
	return out
}

func (o *old) read(name string) string {
	o.Helper()
	text, err := os.ReadFile(filepath.Join(o.written, name))
	if err != nil {
		o.Fatal(err)
	}
	return string(text)
}

// Graph files are valid, their lock pins the tools, and their tests pass with the answers that were recorded.
func TestGraphFilesLocksAndCassettes(t *testing.T) {
	each(t, func(o *old) {
		o.ok("check", "shop.yaml", "--strict")
		o.ok("check", "started.yaml")
		o.ok("lock", "shop.yaml", "--check")
		o.ok("test", "shop.yaml")
		if out := o.ok("run", "shop.yaml", "steps", "directory=.", "--locked", "--allow-exec", "--no-history"); !strings.Contains(out, "count") {
			o.Errorf("a locked run prints %s", out)
		}
	})
}

// recorded is a run as runs list prints it.
type recorded struct {
	ID, Tool, Status, Graph, Args string
	Steps                         int
	Failure                       struct{ Code, Detail, NodeID string }
	Question                      struct{ Message, Digest string }
}

func (o *old) runs(text string) map[string]recorded {
	o.Helper()
	var list struct{ Runs []recorded }
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		o.Fatalf("%v\n%s", err, text)
	}
	byTool := map[string]recorded{}
	for _, r := range list.Runs {
		byTool[r.Tool+" "+r.Status] = r
	}
	return byTool
}

// The store lists the same runs. One whose process died during a call is resumed with the resolution of that call, one that
// waited for its user with the user's answer, and the one that failed is explained.
func TestStore(t *testing.T) {
	each(t, func(o *old) {
		o.store(o.runs(o.read("runs.json")))
	})
}

// So does the store in Postgres, from a dump of it.
func TestPostgresStore(t *testing.T) {
	each(t, func(o *old) {
		dump := o.read("postgres.sql")
		o.state = pgtest.Database(o)
		pgtest.Load(o, o.state, dump)
		o.store(o.runs(o.read("postgres-runs.json")))
	})
}

// store checks the runs of a store, and resumes those that can be.
func (o *old) store(was map[string]recorded) {
	o.Helper()
	is := o.runs(o.ok("runs", "list", "--json"))
	for name, r := range was {
		if is[name] != r {
			o.Errorf("the run is %+v, it was %+v", is[name], r)
		}
	}
	o.unknownUsage(len(was))
	if len(was) < 4 || len(was) != len(is) {
		o.Errorf("there are %d runs, there were %d", len(is), len(was))
	}
	if out := o.ok("runs", "show", was["files finished"].ID); !strings.Contains(out, "list") || !strings.Contains(out, "pick") {
		o.Errorf("runs show prints %s", out)
	}
	if out := o.ok("runs", "explain", was["files error"].ID); !strings.Contains(out, "gone does not exist") {
		o.Errorf("runs explain prints %s", out)
	}
	if out := o.ok("resume", was["order interrupted"].ID, "shop.yaml", "--allow-exec", "--answer", `"sent"`); !strings.Contains(out, `"receipt": "sent"`) && !strings.Contains(out, `"receipt":"sent"`) {
		o.Errorf("the run with a call in doubt is resumed with %s", out)
	}
	if out := o.ok("resume", was["agree interrupted"].ID, "shop.yaml", "--allow-exec", "--yes"); !strings.Contains(out, "tea") {
		o.Errorf("the run with a question is resumed with %s", out)
	}
	if out := o.ok("stats", "--json"); !strings.Contains(out, `"runs": 4`) || !strings.Contains(out, `"unknown": 2`) {
		o.Errorf("stats with runs of both versions prints %s", out)
	}
	for name, r := range o.runs(o.ok("runs", "list", "--json")) {
		if r.Status == "interrupted" {
			o.Errorf("the run %s is still interrupted", name)
		}
	}
}

// unknownUsage checks that nothing is said of what the runs have used that an earlier version has recorded, and that a run of
// this one has its usage beside them.
func (o *old) unknownUsage(runs int) {
	o.Helper()
	for _, line := range strings.Split(strings.TrimSpace(o.ok("runs", "list")), "\n")[1:] {
		if !regexp.MustCompile(` [0-9]+ +- +- +- +- `).MatchString(line) {
			o.Errorf("runs list has the line %q", line)
		}
	}
	if out := o.ok("runs", "list", "--json"); strings.Contains(out, `"usage"`) {
		o.Errorf("there is a usage in %s", out)
	}
	if out := o.ok("runs", "show", "last"); !regexp.MustCompile(`(?m)^usage +-$`).MatchString(out) {
		o.Errorf("runs show prints %s", out)
	}
	if out := o.ok("stats", "--json"); !strings.Contains(out, `"runs": 2`) || !strings.Contains(out, `"failures": 1`) || !strings.Contains(out, `"unknown": 2`) || !strings.Contains(out, `"calls": 0`) {
		o.Errorf("stats of %d runs prints %s", runs, out)
	}
}

// An exported run is imported into a fresh store, and exported as it was.
func TestExportedRun(t *testing.T) {
	each(t, func(o *old) {
		exported, err := filepath.Abs(filepath.Join(o.written, "exported.json"))
		if err != nil {
			o.Fatal(err)
		}
		fresh := filepath.Join(o.home, "fresh")
		o.ok("runs", "import", exported, "--state", fresh)
		var was, is struct {
			ToolgraphRun int
			Events       []any
		}
		if err := errors.Join(json.Unmarshal([]byte(o.read("exported.json")), &was), json.Unmarshal([]byte(o.ok("runs", "export", "last", "--state", fresh)), &is)); err != nil {
			o.Fatal(err)
		}
		before, _ := json.Marshal(was)
		after, _ := json.Marshal(is)
		if !bytes.Equal(before, after) {
			o.Errorf("the run is\n%s\nit was\n%s", after, before)
		}
	})
}

// The chain of the audit log holds, and the registry has its server.
func TestAuditLogAndRegistry(t *testing.T) {
	each(t, func(o *old) {
		o.ok("audit", "audit.jsonl")
		place := filepath.Join(o.home, ".config", "toolgraph")
		if err := os.MkdirAll(place, 0o700); err != nil {
			o.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(place, "servers.json"), []byte(o.read("servers.json")), 0o600); err != nil {
			o.Fatal(err)
		}
		if out := o.ok("mcp", "list", "--json"); !strings.Contains(out, `"files"`) || !strings.Contains(out, "toolgraph demo-server .") {
			o.Errorf("the registry lists %s", out)
		}
	})
}

// The entries in the files of hosts are found as those of this program: nothing changes.
func TestHostEntries(t *testing.T) {
	each(t, func(o *old) {
		places := map[string]string{
			"claude-desktop": ".config/Claude/claude_desktop_config.json", "claude-code": ".claude.json", "cursor": ".cursor/mcp.json",
			"vscode": ".config/Code/User/mcp.json", "codex": ".codex/config.toml", "gemini": ".gemini/settings.json", "zed": ".config/zed/settings.json",
			"opencode": ".config/opencode/opencode.json", "windsurf": ".codeium/windsurf/mcp_config.json", "goose": ".config/goose/config.yaml",
		}
		for host, place := range places {
			file := filepath.Join(o.home, place)
			text, err := os.ReadFile(file)
			if err != nil {
				o.Error(err)
				continue
			}
			text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("HOME/"), []byte(o.home+"/")), []byte("PROGRAMS/"), []byte(filepath.Dir(o.program)+"/"))
			if err := os.WriteFile(file, text, 0o600); err != nil {
				o.Fatal(err)
			}
			if out := o.ok("config", host, "started.yaml", "--write"); !strings.Contains(out, "nothing changes") {
				o.Errorf("%s: %s", host, out)
			}
			if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, text) {
				o.Errorf("%s was changed to\n%s\n%v", place, after, err)
			}
		}
	})
}
