//go:build unix

package tests

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"toolgraph/tests/testbin"
)

// pane is a terminal of tmux that shows what a command prints.
type pane struct {
	t       *testing.T
	env     []string
	columns int
}

// needsPanes skips a test where there is no tmux, before it starts anything.
func needsPanes(t *testing.T) {
	t.Helper()
	if os.Getenv("TOOLGRAPH_CLIENTS") != "1" {
		t.Skip("takes several seconds; set TOOLGRAPH_CLIENTS=1")
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("no tmux here")
	}
}

// newPane starts a command line of a shell in a terminal. The test has called needsPanes.
func newPane(t *testing.T, dir string, columns int, env []string, command string) *pane {
	t.Helper()
	socket, err := os.MkdirTemp("", "tg") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	p := &pane{t: t, columns: columns, env: append(os.Environ(), append(env, "TMUX_TMPDIR="+socket, "LC_ALL=C.UTF-8", "CLICOLOR_FORCE=")...)}
	t.Cleanup(func() {
		p.tmux("kill-server")
		_ = os.RemoveAll(socket)
	})
	p.tmux("-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(columns), "-y", "30", "-c", dir, command+"; echo exit code $?; cat")
	return p
}

func (p *pane) tmux(args ...string) string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-u"}, args...)...)
	cmd.Env = p.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// text is what the terminal shows, without colours.
func (p *pane) text() string { return p.tmux("capture-pane", "-p", "-S", "-100") }

// await waits until the terminal shows what matches.
func (p *pane) await(pattern string) {
	p.t.Helper()
	re, shown := regexp.MustCompile(pattern), ""
	eventually(p.t, pattern, func() bool { shown = p.text(); return re.MatchString(shown) })
	if p.t.Failed() {
		p.t.Fatalf("shown:\n%s", shown)
	}
}

// Times, and where they move the end of a long line.
var (
	frameTimes  = regexp.MustCompile(`[0-9.]+(m[0-9.]+)?( ?m?s)\b`)
	frameEnds   = regexp.MustCompile(`(reading a page).*…`)
	frameColumn = regexp.MustCompile(` +[0-9]+\.[0-9]{2}  `)
	frameIDs    = regexp.MustCompile(`runs explain [A-Z0-9]{26}`)
)

// frame is what the terminal shows, with colours, as it is compared.
func (p *pane) frame() string {
	p.t.Helper()
	for line := range strings.Lines(p.text()) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > p.columns {
			p.t.Errorf("%d columns: %s", n, line)
		}
	}
	text := frameTimes.ReplaceAllString(p.tmux("capture-pane", "-p", "-e", "-S", "-100"), "T$2")
	text = frameColumn.ReplaceAllString(text, "      T  ")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "T ms", "T s"), "Ts", "T s") // a slow machine
	text = frameEnds.ReplaceAllString(text, "$1 …")
	text = frameIDs.ReplaceAllString(text, "runs explain RUN")
	return strings.ReplaceAll(strings.TrimRight(text, "\n")+"\n", "\x1b", "␛")
}

// checkFrames compares frames with a file. UPDATE_GOLDEN=1 writes it.
func checkFrames(t *testing.T, name string, frames ...string) {
	t.Helper()
	path, got := filepath.Join("testdata", "terminal", name+".txt"), strings.Join(frames, "----\n")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
	}
}

// shownGraph has a call that is quick, one that fails and is handled, and twelve at once that report and wait at the gate.
func shownGraph(g *gate) string {
	return `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers: {up: {command: $FAKE, args: [` + g.args() + `]}}
plan: {calls: [up.echo, up.report], tools: []}
tools:
- name: collect
  description: waits at the gate
  nodes:
  - {id: entry, type: entry, next: first}
  - {id: first, type: mcp, server: up, tool: echo, args: {text: hi}, effect: read, next: second}
  - {id: second, type: mcp, server: up, tool: fail, args: {message: no such page}, onError: {value: none}, next: pages}
  - {id: pages, type: mcp, server: up, tool: report, effect: read, forEach: {items: '[1..12]', maxParallel: 12}, next: exit,
     args: {n: 3, message: "reading a page with a long name: 漢字漢字漢字漢字漢字漢字 and so on"}}
  - {id: exit, type: exit}
- name: quick
  description: fails
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: fail, args: {message: it is closed}, next: exit}
  - {id: exit, type: exit}
- name: asks
  description: asks while another call waits
  nodes:
  - {id: entry, type: entry, next: first}
  - {id: first, type: mcp, server: up, tool: echo, args: {text: hi}, effect: read, next: both}
  - id: both
    type: parallel
    next: exit
    branches:
      held: {type: mcp, server: up, tool: hold, args: {n: 1}, effect: read}
      sure: {type: mcp, server: up, tool: echo, args: {n: 1}, confirm: true}
  - {id: exit, type: exit}
`
}

// held is what is shown while the twelve calls wait: five of them, and how many more there are.
const held = `(?s)(12 parts done.*(reading a page.*){5}… and 7 more|reading a page.*reading a page)`

// What a terminal shows of commands while calls are in flight, and at their end.
func TestTerminalFrames(t *testing.T) {
	t.Parallel()
	needsPanes(t)
	for _, c := range []struct {
		name    string
		columns int
		env     []string
		args    string // of the command line
		held    string // what is shown while calls wait
		code    int
	}{
		{"run-80-colour", 80, nil, "run graph.yaml collect --no-history", held, 0},
		{"run-80", 80, []string{"NO_COLOR=1"}, "run graph.yaml collect --no-history", held, 0},
		{"run-120", 120, []string{"NO_COLOR=1"}, "run graph.yaml collect --no-history", held, 0},
		{"run-dumb", 80, []string{"NO_COLOR=1"}, "run graph.yaml collect --no-history", "", 0},
		{"trace-80", 80, []string{"NO_COLOR=1"}, "run graph.yaml collect --no-history --trace", held, 0},
		{"failure-80", 80, []string{"NO_COLOR=1"}, "run graph.yaml quick --state state", "", 1},
		{"plan-80", 80, []string{"NO_COLOR=1"}, "plan graph.yaml plan.json --no-history --yes", `3 of 4, reading`, 0},
		{"test-80", 80, []string{"NO_COLOR=1"}, "test --live graph.test.yaml", `1 of 2 tests done.*\n.*slow one`, 1},
		{"check-80", 80, []string{"NO_COLOR=1"}, "check --live two.yaml", `1 of 2 servers done.*\n.*slow`, 0},
		{"resume-80", 80, []string{"NO_COLOR=1"}, "resume last --state state --repeat-all", held, 0},
		{"help-80", 80, []string{"NO_COLOR=1"}, "help runs explain", "", 0},
		{"help-120", 120, []string{"NO_COLOR=1"}, "help runs explain", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGate(t)
			f := newGraphFile(t, shownGraph(g))
			dir := filepath.Dir(f.path)
			shownFiles(t, f, g, dir)
			program := testbin.Build(t, "toolgraph")
			if c.name == "resume-80" {
				interruptedRun(t, g, program, dir)
			}
			command := program + " " + c.args
			if c.name == "run-dumb" {
				command = "TERM=dumb " + command
			}
			p := newPane(t, dir, c.columns, c.env, command)
			var frames []string
			if c.held != "" {
				p.await(c.held)
				frames = append(frames, p.frame())
			}
			g.open()
			p.await(fmt.Sprintf(`(?m)^exit code %d$`, c.code))
			if c.name != "trace-80" { // items end in any order
				frames = append(frames, p.frame())
			}
			checkFrames(t, c.name, frames...)
		})
	}
}

// shownFiles writes a plan, tests, and a graph file with a server that starts when the gate opens.
func shownFiles(t *testing.T, f *graphFile, g *gate, dir string) {
	t.Helper()
	for name, text := range map[string]string{
		"plan.json":       `{"steps": [{"id": "first", "call": "up.echo", "args": {"text": "hi"}}, {"id": "page", "call": "up.report", "args": {"n": 3, "message": "reading a page"}}]}`,
		"graph.test.yaml": "graph: graph.yaml\ntests:\n- {name: quick one, tool: quick, expect: {isError: true, contains: closed}}\n- {name: slow one, tool: collect, expect: {value: []}}\n",
		"two.yaml": strings.NewReplacer("$FAKE", f.fake).Replace(`version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers:
  quick: {command: $FAKE}
  slow: {command: sh, args: [-c, "while ! [ -e '` + g.file + `' ]; do sleep 0.02; done; exec $FAKE"]}
tools:
- name: both
  description: d
  nodes:
  - {id: entry, type: entry, next: one}
  - {id: one, type: mcp, server: quick, tool: echo, args: {}, next: two}
  - {id: two, type: mcp, server: slow, tool: echo, args: {}, next: exit}
  - {id: exit, type: exit}
`),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// interruptedRun leaves a run of collect whose calls were in flight.
func interruptedRun(t *testing.T, g *gate, program, dir string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, "run", "graph.yaml", "collect", "--state", "state", "--durable")
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	g.wait("reported", 12)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// The view goes away for a question, comes back after the answer, and is drawn anew in a terminal that gets another width.
func TestTerminalQuestion(t *testing.T) {
	t.Parallel()
	needsPanes(t)
	g := newGate(t)
	f := newGraphFile(t, shownGraph(g))
	p := newPane(t, filepath.Dir(f.path), 80, []string{"NO_COLOR=1"}, testbin.Build(t, "toolgraph")+" run graph.yaml asks --no-history")
	g.wait("in 1", 1)
	p.await(`yes or no:`)
	asked := p.frame()
	p.tmux("send-keys", "yes", "Enter")
	p.await(`1 of 2 parts done`)
	answered := p.frame()
	p.tmux("resize-window", "-x", "30")
	p.await(`both  1 of 2 pa`)
	since := regexp.MustCompile(`(?m)^asks .*`)
	before := since.FindString(p.text())
	eventually(t, "another frame", func() bool { return since.FindString(p.text()) != before })
	p.tmux("resize-window", "-x", "80")
	p.await(`held  up\.hold  [0-9]`)
	g.open()
	p.await(`(?m)^exit code 0$`)
	checkFrames(t, "question-80", asked, answered, p.frame())
}

// A command whose streams are no terminal writes its result and nothing else.
func TestPipedRunShowsNothing(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	g.open()
	f := newGraphFile(t, shownGraph(g))
	for _, env := range []string{"TERM=xterm", "TERM=dumb", "NO_COLOR=1"} {
		var out, problems strings.Builder
		cmd := exec.CommandContext(t.Context(), testbin.Build(t, "toolgraph"), "run", f.path, "collect", "--no-history")
		cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), env), &out, &problems
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		if want := "[\n  " + strings.Repeat("\"done\",\n  ", 11) + "\"done\"\n]\n"; out.String() != want || problems.String() != "" {
			t.Errorf("%s: standard output\n%s\nstandard error\n%s", env, out.String(), problems.String())
		}
	}
}
