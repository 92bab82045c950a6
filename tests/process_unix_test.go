//go:build unix

package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// When the program is killed, no process remains: neither a server that ignores all
// signals that it can, nor the processes that it has started.
func TestP01KilledWithoutAWord(t *testing.T) {
	t.Parallel()
	s := start(t, each(", args: [ignoreterm]", "forkchildren", "pid", "hang"))
	pids := family(t, s, 2)
	s.sendCall("hang", `{}`)
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	allGone(t, pids)
}

// A signal ends the runs in flight, SIGINT at once and any other when the grace is over,
// and the servers with all that they have started, and is a regular end: the code is 0.
func TestP02SignalDuringACall(t *testing.T) {
	for _, c := range []struct {
		signal syscall.Signal
		server string
		answer string
		diary  []string // what the server sees of its end
	}{
		{syscall.SIGTERM, "", "the run is suspended", []string{"eof"}},
		{syscall.SIGINT, "", "the run was cancelled", []string{"eof"}},
		{syscall.SIGHUP, "", "the run is suspended", []string{"eof"}},
		{syscall.SIGTERM, "ignoreterm, ", "the run is suspended", []string{"eof", "term"}}, // and SIGKILL
	} {
		t.Run(c.signal.String()+" "+c.server, func(t *testing.T) {
			t.Parallel()
			g := newGate(t)
			s := start(t, each(", args: ["+c.server+g.args()+"]", "forkchildren", "pid", "hang"))
			pids := family(t, s, 1)
			_, answer := s.sendCall("hang", `{}`)
			g.wait("hang", 1)
			if err := s.cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			if r := s.result(s.await(answer)); !r.IsError || !strings.Contains(r.text(t), c.answer) {
				t.Errorf("the call's answer is %+v", r)
			}
			if code := exitOf(t, s); code != 0 {
				t.Errorf("the exit code is %d, want 0", code)
			}
			allGone(t, pids)
			got := slices.DeleteFunc(g.lines(""), func(line string) bool { return line == "hang" || strings.HasPrefix(line, "done ") })
			if !slices.Equal(got, c.diary) {
				t.Errorf("the server saw %q, want %q", got, c.diary)
			}
		})
	}
}

// The end of the input is the client's good-bye: what it has asked for it still gets,
// for half a minute, and a signal ends that at once.
func TestP03EndOfInputDuringACall(t *testing.T) {
	t.Parallel()
	t.Run("that ends", func(t *testing.T) {
		g := newGate(t)
		s := start(t, g.holding(""))
		_, answer := s.sendCall("hold", `{"id":7}`)
		g.wait("in ", 1)
		_ = s.in.Close()
		g.open()
		ownResult(s, answer, 7)
		if code := exitOf(t, s); code != 0 {
			t.Errorf("the exit code is %d, want 0", code)
		}
	})
	t.Run("that hangs", func(t *testing.T) {
		s := start(t, each("", "forkchildren", "pid", "hang"))
		pids := family(t, s, 1)
		s.sendCall("hang", `{}`)
		s.request("ping", `{}`) // the call has been read
		_ = s.in.Close()
		if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if code := exitOf(t, s); code != 0 {
			t.Errorf("the exit code is %d, want 0", code)
		}
		allGone(t, pids)
	})
}

// A server that dies in a call fails that call, and by name; the next starts it again.
func TestP05ServerDiesDuringACall(t *testing.T) {
	t.Parallel()
	s := start(t, each("", "die", "pid"))
	before := s.call("pid", `{}`).text(t)
	r := s.call("die", `{"code":3,"message":"disk is full"}`)
	text := r.text(t)
	for _, want := range []string{`server "up", tool "die"`, "exited with status 3", "stderr: disk is full", "path: entry → call"} {
		if !r.IsError || !strings.Contains(text, want) {
			t.Errorf("the error lacks %q: %s", want, text)
		}
	}
	if after := s.call("pid", `{}`); after.IsError || after.text(t) == before {
		t.Errorf("the next call gave %+v", after)
	}
}

// However many runs want a server that does not run yet, it is started once.
func TestP15OneProcessForAll(t *testing.T) {
	t.Parallel()
	starts := filepath.Join(t.TempDir(), "starts")
	s := start(t, each(", args: [slowinit=100ms, 'countfile="+starts+"']", "pid"))
	var answers []<-chan reply
	for range 8 {
		_, answer := s.sendCall("pid", `{}`)
		answers = append(answers, answer)
	}
	pids := map[string]bool{}
	for _, answer := range answers {
		pids[s.result(s.await(answer)).text(t)] = true
	}
	src, err := os.ReadFile(starts)
	if err != nil || strings.Count(string(src), "\n") != 1 || len(pids) != 1 {
		t.Errorf("processes %v answered, and these were started: %q, %v", pids, src, err)
	}
}

// A server that has multiplied ends with all of it.
func TestP17ForkingServer(t *testing.T) {
	t.Parallel()
	s := start(t, each("", "forkchildren", "pid"))
	pids := family(t, s, 50)
	if code := s.end(); code != 0 {
		t.Errorf("the exit code is %d, want 0", code)
	}
	allGone(t, pids)
}

// A server that is started over and over leaves no zombies and no open files.
func TestP18StartAndStopOften(t *testing.T) {
	t.Parallel()
	s := start(t, each("", "dieafter"))
	pid := s.cmd.Process.Pid
	if _, err := os.Stat(fmt.Sprintf("/proc/%d/fd", pid)); err != nil {
		t.Skip("no /proc on this system")
	}
	cycles := func(n int) {
		for n > 0 {
			switch text := s.call("dieafter", `{"code":0}`).text(t); {
			case text == `"bye"`:
				n--
			case !strings.Contains(text, "exited with status 0"): // as this call was on its way
				t.Fatalf("got %s", text)
			}
		}
	}
	cycles(5)
	before := 0
	eventually(t, "the servers are gone and reaped", func() bool {
		alive, zombies := children(t, pid)
		before = descriptors(t, pid)
		return len(alive) == 1 && len(zombies) == 0 // the supervisor
	})
	cycles(40)
	eventually(t, "no more processes and files than before", func() bool {
		alive, zombies := children(t, pid)
		return len(alive) == 1 && len(zombies) == 0 && descriptors(t, pid) <= before
	})
}
