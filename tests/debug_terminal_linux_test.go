package tests

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"toolgraph/tests/testbin"
)

// atTerminal starts the command with all standard streams at a terminal of that width.
func atTerminal(t *testing.T, columns uint16, env []string, args ...string) (*screen, *exec.Cmd) {
	t.Helper()
	s, tty := newScreen(t)
	size := [4]uint16{24, columns}
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, tty.Fd(), syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size))); errno != 0 {
		t.Fatal(errno)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, testbin.Build(t, "toolgraph"), args...)
	cmd.Env = append(os.Environ(), append([]string{"TERM=xterm", "NO_COLOR=", "CLICOLOR_FORCE="}, env...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return s, cmd
}

// play types each text once the text before it has come.
func (s *screen) play(pairs ...string) {
	s.t.Helper()
	seen := 0
	for i := 0; i < len(pairs); i += 2 {
		eventually(s.t, pairs[i], func() bool { return strings.Contains(s.text()[seen:], pairs[i]) })
		if s.t.Failed() {
			s.t.Fatalf("%q", s.text())
		}
		seen = len(s.text())
		s.typed(pairs[i+1])
	}
}

// answer is play for texts that a prompt follows: keys that come before the prompt are not edited.
func (s *screen) answer(pairs ...string) {
	s.t.Helper()
	seen := 0
	for i := 0; i < len(pairs); i += 2 {
		if i > 0 {
			seen = len(s.text())
			s.typed(pairs[i-1])
		}
		eventually(s.t, pairs[i], func() bool {
			_, behind, found := strings.Cut(s.text()[seen:], pairs[i])
			return found && strings.Contains(behind, "> ")
		})
		if s.t.Failed() {
			s.t.Fatalf("%q", s.text())
		}
	}
	s.typed(pairs[len(pairs)-1])
}

// ends waits for the end of a command, and of what it has written, and checks its exit code.
func (s *screen) ends(cmd *exec.Cmd, code int) {
	s.t.Helper()
	err := cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != code {
		s.t.Errorf("%v: exit code %d, want %d\n%q", err, got, code, s.text())
	}
	const last = "<end of the command>" // behind all that it has written
	if _, err := s.tty.WriteString(last); err != nil {
		s.t.Fatal(err)
	}
	s.await(last)
}

const edited = `version: "1.0"
server: {name: s, version: 1.0.0}
mcpServers: {up: {command: up, env: {TOKEN: "${TOKEN}"}}}
tools:
- name: t
  description: d
  nodes:
  - {id: entry, type: entry, next: first}
  - {id: first, type: transform, transform: {expr: '{"漢字": 1, "hidden": "a\u202eb", "long": [1..90]}'}, next: exit}
  - {id: exit, type: exit}
`

// A line can be edited and completed, and lasts across sessions unless it holds a secret.
func TestDebugEditsLines(t *testing.T) {
	t.Parallel()
	f := newGraphFile(t, edited)
	state := t.TempDir()
	env := []string{"TOOLGRAPH_STATE=" + state, "TOKEN=hunter2-hunter2"}
	s, cmd := atTerminal(t, 100, env, "debug", f.path, "t")
	s.answer(
		"list the commands", "ste\t\r", // completed
		"before step 1, node \"first\"", "print 1\x1b[D2\r", // a digit before the 1
		"21\r\n", "print \"漢字x\"\x1b[D\x1b[D\x1b[D\x7f\x1b[Fz\r", // the first wide character goes
		"found", "print \"hunter2-hunter2\"\r",
		"[redacted]", "nex\r",
		"before step 2", "print $.first.hid\t\r", // a field
		"\"a\\u202eb\"", "print $.first.long\r", // and what a terminal acts on is escaped
		"truncated", "abc\x03", // clears the line
		"Ctrl-C again", "help where\r",
		"callers", "\x1b[A\x1b[A\x1b[A\r", // the command before the last two
		"\"a\\u202eb\"", "continue\r",
	)
	s.ends(cmd, 0)
	text := s.text()
	if strings.Contains(text, "\u202e") || strings.Contains(text, "\r\n  90\r\n") {
		t.Errorf("%q", text)
	}
	kept, err := os.ReadFile(filepath.Join(state, "debug_history"))
	info, _ := os.Stat(filepath.Join(state, "debug_history"))
	if err != nil || info.Mode().Perm() != 0o600 || strings.Contains(string(kept), "hunter2") || !strings.HasPrefix(string(kept), "step \nprint 21\n") {
		t.Errorf("%v %v\n%s", err, info, kept)
	}
	s, cmd = atTerminal(t, 100, env, "debug", f.path, "t")
	s.play("> ", "\x1b[A\r") // continue came last: the run ends
	s.ends(cmd, 0)
}

// Ctrl-C ends at the prompt when it comes twice, and Ctrl-D at once.
func TestDebugEndsAtThePrompt(t *testing.T) {
	t.Parallel()
	f := newGraphFile(t, strings.ReplaceAll(edited, ", env: {TOKEN: \"${TOKEN}\"}", ""))
	for _, c := range []struct {
		name string
		env  string
		keys []string
		code int
	}{
		{"ctrl-c twice", "", []string{"> ", "\x03", "Ctrl-C again, or Ctrl-D, stops the run\r\n", "\x03"}, 130},
		{"ctrl-c between commands", "", []string{"> ", "\x03", "Ctrl-C again", "breaks\r", "breaks\r\n> ", "\x03", "Ctrl-C again", "continue\r"}, 0},
		{"ctrl-d", "", []string{"> ", "\x04"}, 1},
		{"a terminal without an editor", "TERM=dumb", []string{"> ", "abc\x03", "Ctrl-C again, or Ctrl-D, stops the run\r\n> ", "\x03"}, 130},
		{"a line there", "TERM=dumb", []string{"> ", "\x03", "Ctrl-C again", "continue\n"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, cmd := atTerminal(t, 100, []string{c.env}, "debug", f.path, "t", "--no-history")
			s.play(c.keys...)
			s.ends(cmd, c.code)
			if c.env != "" && strings.Contains(s.text(), "\x1b") {
				t.Errorf("%q", s.text())
			}
		})
	}
}

// While the run runs, the first Ctrl-C pauses it after the call in flight, whose server goes on; the
// second stops it. A run without the debugger ends.
func TestDebugPausesByCtrlC(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, command string
		code          int
	}{{"pause", "debug", 0}, {"stop", "debug", 130}, {"run", "run", 130}} {
		t.Run(c.name, func(t *testing.T) {
			g := newGate(t)
			f := newGraphFile(t, `version: "1.0"
server: {name: s, version: 1.0.0}
mcpServers: {up: {command: $FAKE, args: [`+g.args()+`]}}
tools:
- name: t
  description: d
  nodes:
  - {id: entry, type: entry, next: wait}
  - {id: wait, type: mcp, server: up, tool: hold, args: {n: 1}, next: more}
  - {id: more, type: mcp, server: up, tool: count, next: exit}
  - {id: exit, type: exit}
`)
			s, cmd := atTerminal(t, 100, nil, c.command, f.path, "t", "--no-history")
			if c.command == "debug" {
				s.play("> ", "continue\r")
			}
			g.wait("in ", 1)
			s.typed("\x03")
			if c.command == "debug" {
				s.await("pausing after the call of up.hold; Ctrl-C again stops the run")
			}
			switch c.name {
			case "pause":
				g.open()
				s.play("[pause]\r\n> ", "continue\r")
			case "stop":
				s.typed("\x03")
			}
			s.ends(cmd, c.code)
			if c.name == "pause" != strings.Contains(s.text(), "\r\n2\r\n") { // the second call of one process
				t.Errorf("%q", s.text())
			}
			if c.name == "stop" && !strings.Contains(s.text(), "the run was cancelled") {
				t.Errorf("%q", s.text())
			}
		})
	}
}

// Colours and lines that fit are for terminals, unless NO_COLOR or TERM say otherwise; what is
// piped stays as it is.
func TestColoursAndWidth(t *testing.T) {
	t.Parallel()
	f := newGraphFile(t, strings.ReplaceAll(edited, ", env: {TOKEN: \"${TOKEN}\"}", ""))
	broken := newGraphFile(t, "server: {name: s, version: 1.0.0}\ntools:\n- {name: t, description: d, nodes: [{id: entry, type: entry, next: '漢字'}, {id: exit, type: exit}]}\n")
	for _, c := range []struct {
		name, env       string
		colours, fitted bool
	}{{"terminal", "", true, true}, {"NO_COLOR", "NO_COLOR=1", false, true}, {"empty NO_COLOR", "NO_COLOR=", true, true}, {"dumb", "TERM=dumb", false, false}} {
		t.Run(c.name, func(t *testing.T) {
			s, cmd := atTerminal(t, 60, []string{c.env}, "run", f.path, "t", "--trace", "--no-history")
			s.ends(cmd, 0)
			if got := strings.Contains(s.text(), "\x1b[2m"); got != c.colours {
				t.Errorf("colours: %v\n%q", got, s.text())
			}
			row := ""
			for line := range strings.Lines(s.text()) {
				if strings.Contains(line, "first  transform") || strings.Contains(line, "first  \x1b[2mtransform") {
					row = strings.NewReplacer("\x1b[2m", "", "\x1b[0m", "").Replace(strings.TrimSpace(line))
					row = row[strings.LastIndex(row, "\x1b[2K")+1:] // the line of progress before it is cleared
					row = strings.TrimPrefix(row, "[2K")
				}
			}
			// Two of the characters take two columns.
			if got := len([]rune(row)) + 2; row == "" || c.fitted && got > 60 || !c.fitted && got <= 60 {
				t.Errorf("a row of %d columns: %q\n%q", got, row, s.text())
			}
			s, cmd = atTerminal(t, 60, []string{c.env}, "check", broken.path)
			s.ends(cmd, 3)
			if got := strings.Contains(s.text(), "\x1b[31m"); got != c.colours || !strings.Contains(s.text(), "漢字") {
				t.Errorf("colours: %v\n%q", got, s.text())
			}
		})
	}
}
