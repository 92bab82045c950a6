package tests

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"toolgraph/tests/testbin"
)

// screen is a terminal: what is written to it can be waited for, and typed at.
type screen struct {
	t    *testing.T
	keys *os.File
	tty  *os.File // the end of the command

	mu   sync.Mutex // guards said
	said bytes.Buffer
}

// newScreen opens a pseudo-terminal; tty is the end of the command.
func newScreen(t *testing.T) (s *screen, tty *os.File) {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here:", err)
	}
	var unlocked, number int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlocked, syscall.TIOCGPTN: &number} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, keys.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Skip("no pseudo-terminals here:", errno)
		}
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here:", err)
	}
	s = &screen{t: t, keys: keys, tty: tty}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buffer := make([]byte, 4096)
		for {
			n, err := keys.Read(buffer)
			s.mu.Lock()
			s.said.Write(buffer[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = tty.Close()
		_ = keys.Close()
		<-done
	})
	return s, tty
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.String()
}

// await waits for a text on the screen.
func (s *screen) await(text string) {
	s.t.Helper()
	eventually(s.t, text, func() bool { return strings.Contains(s.text(), text) })
}

func (s *screen) typed(line string) {
	s.t.Helper()
	if _, err := s.keys.WriteString(line); err != nil {
		s.t.Fatal(err)
	}
}

// onScreen starts the command with the screen as its controlling terminal, all but its
// standard output.
func onScreen(t *testing.T, args ...string) (s *screen, cmd *exec.Cmd, out *bytes.Buffer) {
	t.Helper()
	s, tty := newScreen(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	cmd = exec.CommandContext(ctx, testbin.Build(t, "toolgraph"), args...)
	out = &bytes.Buffer{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, out, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return s, cmd, out
}

// A server that may ask reaches the user of each command that makes runs, at the terminal;
// nothing of it is on standard output.
func TestServersAskAtTheTerminal(t *testing.T) {
	t.Parallel()
	f := newGraphFile(t, askingGraph(t, ", allow: [elicitation]"))
	for _, c := range []struct {
		name string
		args []string
		keys []string // each typed once the text before it has come: text, keys, …
		want string
		code int
	}{
		{"run", []string{"run", f.path, "go"}, []string{"yes or no: ", "yes\n"}, "\"deleted\"\n", 0},
		{"declined", []string{"run", f.path, "go"}, []string{"yes or no: ", "no\n"}, "\"kept\"\n", 0},
		{"end of input", []string{"run", f.path, "go"}, []string{"yes or no: ", "\x04"}, "\"kept\"\n", 0},
		{"ctrl-c", []string{"run", f.path, "go"}, []string{"yes or no: ", "\x03"}, "", 130},
		{"mcp call", []string{"mcp", "call", "up.delete", "-g", f.path}, []string{"yes or no: ", "yes\n"}, "\"deleted\"\n", 0},
		{"mcp call, ctrl-c", []string{"mcp", "call", "up.delete", "-g", f.path}, []string{"yes or no: ", "\x03"}, "", 130},
		{"debug", []string{"debug", f.path, "go"}, []string{"> ", "continue\n", "yes or no: ", "yes\n"}, "\"deleted\"\n", 0},
		{"inspect", []string{"inspect", "-g", f.path, "--allow-run", "run_tool", "tool=go"}, []string{"yes or no: ", "yes\n"}, "deleted", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, cmd, out := onScreen(t, c.args...)
			for i := 0; i < len(c.keys); i += 2 {
				s.await(c.keys[i])
				s.typed(c.keys[i+1])
			}
			err := cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != c.code {
				t.Errorf("%v: exit code %d, want %d\n%s", err, code, c.code, s.text())
			}
			if got := out.String(); got != c.want && (c.name != "inspect" || !strings.Contains(got, c.want)) || strings.Contains(got, "asks") {
				t.Errorf("got %q, want %q\n%s", got, c.want, s.text())
			}
			if !strings.Contains(s.text(), "The server \"up\" asks:\r\n  | Delete it?") {
				t.Errorf("the screen: %q", s.text())
			}
		})
	}
}

// Without a terminal the question is cancelled, and standard error says so.
func TestServersAskWithoutATerminal(t *testing.T) {
	t.Parallel()
	f := newGraphFile(t, askingGraph(t, ", allow: [elicitation]"))
	cmd := exec.CommandContext(t.Context(), testbin.Build(t, "toolgraph"), "run", f.path, "go", "--no-history")
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("yes\n"), &out, &said
	if err := cmd.Run(); err != nil || out.String() != "\"kept\"\n" || !strings.Contains(said.String(), `server "up" asks its user a question, which is cancelled because standard input or standard error is not a terminal; run the command in a terminal to answer: Delete it?`) {
		t.Errorf("%v: %q\n%s", err, out.String(), said.String())
	}
}
