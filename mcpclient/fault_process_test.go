//go:build unix

package mcpclient

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/tests/testbin"
)

func TestP01KilledWithoutAWord(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, victimCommand, testbin.Build(t, "toolgraph/tests/fakeserver"))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	server, children, _ := strings.Cut(line, " ")
	pid, err := strconv.Atoi(server)
	if err != nil {
		t.Fatal(err)
	}
	pids := append(pidList(t, children), pid)
	t.Cleanup(func() {
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL) // gone already when all is well
		}
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed, as wanted
	for _, pid := range pids {
		waitFor(t, "an orphan to end", func() bool { return !lives(pid) })
	}
}

// The rungs of the ladder, each when the one before did not help.

func TestP04ChildIgnoresEOFAndSIGTERM(t *testing.T) {
	type rung struct {
		grace time.Duration
		over  chan time.Time
	}
	ladder := make(chan rung)
	diary := filepath.Join(t.TempDir(), "diary")
	p := pool(t, fake(t, "ignoreterm", "diary="+diary), withClock(func(c *clock) {
		after := c.after
		c.after = func(d time.Duration) <-chan time.Time {
			if d != stdinGrace && d != termGrace {
				return after(d)
			}
			r := rung{d, make(chan time.Time)}
			ladder <- r
			return r.over
		}
	}))
	pid := pidOf(t, p)
	closed := make(chan error, 1)
	go func() { closed <- p.Close() }()
	for i, want := range []struct {
		grace time.Duration
		diary string
	}{{stdinGrace, "eof"}, {termGrace, "term"}} {
		r := receive(t, ladder, "the next rung")
		if r.grace != want.grace {
			t.Errorf("rung %d has %s, want %s", i, r.grace, want.grace)
		}
		waitForLine(t, diary, want.diary)
		if !lives(pid) {
			t.Errorf("the server was ended before rung %d was over", i)
		}
		close(r.over)
	}
	if err := receive(t, closed, "the pool's end"); err != nil {
		t.Fatal(err)
	}
	if lives(pid) {
		t.Error("the server lives")
	}
}

func TestP05ChildDiesDuringACall(t *testing.T) {
	p := pool(t, fake(t))
	first := pidOf(t, p)
	e := mustFail(t, p, "die", `{"code":3,"message":"out of memory in module x"}`, CodeServerExited)
	if e.ExitCode == nil || *e.ExitCode != 3 {
		t.Errorf("exit code: %v", e.ExitCode)
	}
	for _, want := range []string{"exited with status 3", "out of memory in module x", `tool "die"`} {
		if !strings.Contains(e.Error(), want) {
			t.Errorf("%q is missing in %q", want, e)
		}
	}
	if second := pidOf(t, p); second == first {
		t.Error("it was not started again")
	}
	if err := syscall.Kill(pidOf(t, p), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	// Its death between two calls fails no call, unless the call meets it.
	if _, err := callTool(p, "inc", `{"n":1}`); err != nil {
		if e := wantError(t, "", err, CodeServerExited); *e.ExitCode != 137 || !strings.Contains(e.Error(), "killed") {
			t.Errorf("got %v", e)
		}
	}
	mustCall(t, p, "inc", `{"n":1}`, `2`)
}

func TestP11CommandThatCannotBeStarted(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain.txt")
	if err := os.WriteFile(plain, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	fake := testbin.Build(t, "toolgraph/tests/fakeserver")
	if err := os.Link(fake, filepath.Join(dir, "here")); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct{ name, command, dir, path, want string }{
		{"not found", "no-such-program-at-all", dir, "", "not found in PATH"},
		{"absolute not found", "/no/such/program", dir, "", "not found"},
		{"not executable", plain, dir, "", "is not executable"},
		{"directory", dir, dir, "", "is a directory"},
		{"relative entries of PATH", "here", dir, ".:", "not found in PATH"},
		{"directory of the server", fake, filepath.Join(dir, "none"), "", "does not exist"},
		{"empty", "", dir, "", "no command"},
		{"zero byte", "a\x00b", dir, "", "zero byte"},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := &config.Upstream{Name: text("fake"), Command: text(c.command), Dir: c.dir}
			if c.path != "" {
				u.Env = []config.Setting{{Name: text("PATH"), Value: text(c.path)}}
			}
			e := mustFail(t, pool(t, u), "echo", `{}`, CodeServerStart)
			if !strings.Contains(e.Error(), c.want) {
				t.Errorf("%q is missing in %q", c.want, e)
			}
		})
	}
	mustCall(t, pool(t, &config.Upstream{Name: text("fake"), Command: text("./here"), Dir: dir}), "inc", `{"n":1}`, `2`)
	u := &config.Upstream{Name: text("fake"), Command: text("here"), Dir: "/", Env: []config.Setting{{Name: text("PATH"), Value: text(dir)}}}
	mustCall(t, pool(t, u), "inc", `{"n":1}`, `2`)
	self := pool(t, &config.Upstream{Name: text("fake"), Command: text("graphtool")}, WithSelf("graphtool", fake))
	mustCall(t, self, "inc", `{"n":1}`, `2`)
}

func TestP15OneProcessForAll(t *testing.T) {
	starts := filepath.Join(t.TempDir(), "starts")
	p := pool(t, fake(t, "countfile="+starts, "slowinit=100ms"))
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if got, err := callTool(p, "inc", `{"n":1}`); err != nil || got != "2" {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
	all.Wait()
	if n := countLines(t, starts); n != 1 {
		t.Errorf("%d processes were started", n)
	}
}

func TestP17ForkingChild(t *testing.T) {
	p := pool(t, fake(t))
	pids := append(fork(t, p, 50), pidOf(t, p))
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		waitFor(t, "a descendant to end", func() bool { return !lives(pid) })
	}
	// The same when the leader dies by itself.
	p = pool(t, fake(t))
	pids = fork(t, p, 5)
	mustFail(t, p, "die", `{"code":1}`, CodeServerExited)
	for _, pid := range pids {
		waitFor(t, "a descendant to end", func() bool { return !lives(pid) })
	}
}

func TestP18StartAndStopOften(t *testing.T) {
	once := func() {
		p := NewPool([]*config.Upstream{fake(t)})
		mustCall(t, p, "inc", `{"n":1}`, `2`)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	once()
	files, routines := openFiles(t), runtime.NumGoroutine()
	cycles := 200
	if testing.Short() {
		cycles = 20
	}
	for range cycles {
		once()
	}
	if n := zombies(t); n != 0 {
		t.Errorf("%d zombies", n)
	}
	if now := openFiles(t); now > files {
		t.Errorf("%d open files, %d before", now, files)
	}
	waitFor(t, "no more goroutines than before", func() bool { return runtime.NumGoroutine() <= routines })
}

func TestP20NoFilesLeft(t *testing.T) {
	p := pool(t, fake(t))
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	small := limit
	small.Cur = uint64(openFiles(t))
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &small); err != nil {
		t.Fatal(err)
	}
	got, err := callTool(p, "inc", `{"n":1}`)
	if rerr := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); rerr != nil {
		t.Fatal(rerr)
	}
	if e := wantError(t, got, err, CodeServerStart); !strings.Contains(e.Error(), "too many files are open") {
		t.Errorf("got %q", e)
	}
	mustCall(t, p, "inc", `{"n":1}`, `2`) // and the next call works
}
