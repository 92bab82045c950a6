//go:build unix

package tests

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// soak is how hard a server is tried.
type soak struct {
	runs int
	each int // results between two kills of its upstream server
}

// Under an upstream server that is killed again and again every run is answered, with
// its own result or an error that says what happened, and nothing remains: no
// processes, no files, no goroutines, no memory. TOOLGRAPH_SOAK=1 makes ten thousand
// runs of it.
func TestSoakServerKilledOften(t *testing.T) {
	t.Parallel()
	long := os.Getenv("TOOLGRAPH_SOAK") != ""
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("no /proc on this system")
	}
	warm, work := soak{100, 40}, soak{300, 60}
	if long {
		warm, work = soak{2000, 150}, soak{10_000, 150}
	}
	graph := mirror + strings.SplitN(each("", "pid"), "tools:\n", 2)[1]
	s := start(t, graph, "GOTRACEBACK=all")
	pid := s.cmd.Process.Pid
	warm.run(t, s)
	s.settle()
	fds, mb := descriptors(t, pid), residentMB(t, pid)
	work.run(t, s)
	s.settle()
	if now := descriptors(t, pid); now > fds {
		t.Errorf("%d descriptors after, %d before", now, fds)
	}
	if now := residentMB(t, pid); now > 4*mb {
		t.Errorf("%d MB after, %d MB before", now, mb)
	}
	alive, _ := children(t, pid)
	fresh := start(t, graph, "GOTRACEBACK=all")
	fresh.settle()
	// One is allowed: the runtime starts some of its own when it needs them.
	if before, after := goroutines(t, fresh), goroutines(t, s); after > before+1 {
		t.Errorf("%d goroutines after, a fresh process has %d:\n%s", after, before, s.stderr)
	} else {
		t.Logf("%d goroutines, a fresh process has %d", after, before)
	}
	allGone(t, alive)
}

// run makes the runs, and kills the server after so many results. Each run takes long
// enough for a kill to meet some.
func (k soak) run(t *testing.T, s *session) {
	t.Helper()
	const workers = 16
	var results, failures, kills atomic.Int64
	var busy sync.WaitGroup
	for w := range workers {
		busy.Go(func() {
			for i := w; i < k.runs; i += workers {
				_, answer := s.sendCall("mirror", fmt.Sprintf(`{"id": %d, "ms": 10}`, i))
				switch result, ok := s.answered(answer); {
				case !ok:
					t.Errorf("run %d was not answered", i)
					return
				case result.IsError && strings.Contains(result.text(t), `server "up"`):
					failures.Add(1)
				case result.IsError || result.text(t) != fmt.Sprintf(`{"id":%[1]d,"entry":%[1]d}`, i):
					t.Errorf("run %d gave %s", i, result.text(t))
				case results.Add(1)%int64(k.each) == 0:
					pid, err := strconv.Atoi(s.call("pid", `{}`).text(t))
					if err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil {
						kills.Add(1)
					}
				}
			}
		})
	}
	busy.Wait()
	t.Logf("%d runs with %d kills: %d results, %d named errors", k.runs, kills.Load(), results.Load(), failures.Load())
	if results.Load()+failures.Load() != int64(k.runs) || kills.Load() == 0 {
		t.Errorf("%d results and %d named errors of %d runs, with %d kills", results.Load(), failures.Load(), k.runs, kills.Load())
	}
}

// answered is the result of a call; not ok when none came.
func (s *session) answered(answer <-chan reply) (result toolResult, ok bool) {
	select {
	case r := <-answer:
		return s.result(r), true
	case <-s.exited:
	case <-time.After(answerTimeout):
	}
	return result, false
}

// settle waits until the session's upstream server runs, with the supervisor beside it and nothing else, and that lasts:
// what follows the end of a server has pauses below a second. Looking at the history from time to time goes on.
func (s *session) settle() {
	s.t.Helper()
	pid := s.cmd.Process.Pid
	eventually(s.t, "the server runs", func() bool { return !s.call("pid", `{}`).IsError })
	eventually(s.t, "the server and the supervisor are all that is left, for a second", func() bool {
		first, zombies := children(s.t, pid)
		open := descriptors(s.t, pid)
		for range 50 {
			if len(first) != 2 || len(zombies) != 0 || descriptors(s.t, pid) != open {
				return false
			}
			time.Sleep(20 * time.Millisecond)
			var alive []int
			if alive, zombies = children(s.t, pid); !slices.Equal(alive, first) {
				return false
			}
		}
		return true
	})
}

var goroutineHead = regexp.MustCompile(`(?m)^goroutine [1-9][0-9]* `)

// goroutines ends a session by SIGQUIT and counts the goroutines that it then had, without the
// workers of garbage collections: a process that has had no collection has none.
func goroutines(t *testing.T, s *session) int {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	exitOf(t, s)
	return len(goroutineHead.FindAllString(s.stderr.String(), -1)) - strings.Count(s.stderr.String(), "[GC worker (")
}
