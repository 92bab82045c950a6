//go:build unix

package tests

import (
	"fmt"
	"os"
	"regexp"
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
	runs   int
	length time.Duration
	killed time.Duration // how often its upstream server is
}

// Under an upstream server that is killed again and again every run is answered, with
// its own result or an error that says what happened, and nothing is left behind: no
// processes, no files, no goroutines, no memory. TOOLGRAPH_SOAK=1 makes a minute of it.
func TestSoakServerKilledOften(t *testing.T) {
	t.Parallel()
	long := os.Getenv("TOOLGRAPH_SOAK") != ""
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("no /proc on this system")
	}
	warm, work := soak{100, time.Second / 2, time.Second / 5}, soak{300, time.Second, time.Second / 5}
	if long {
		warm, work = soak{2000, 10 * time.Second, time.Second}, soak{10_000, time.Minute, time.Second}
	}
	graph := mirror + strings.SplitN(each("", "pid"), "tools:\n", 2)[1]
	s := start(t, graph, "GOTRACEBACK=all")
	pid := s.cmd.Process.Pid
	warm.run(t, s)
	s.settle()
	fds, mb := descriptors(t, pid), residentMB(t, pid)
	work.run(t, s)
	s.settle()
	nowFDs, nowMB := descriptors(t, pid), residentMB(t, pid)
	t.Logf("descriptors %d → %d, resident %d → %d MB, peak %d MB", fds, nowFDs, mb, nowMB, peakMB(t, pid))
	if nowFDs > fds {
		t.Errorf("%d descriptors after, %d before", nowFDs, fds)
	}
	// The allowance beyond 10 % is the collector's own breathing.
	if nowMB > mb+mb/10+8 {
		t.Errorf("%d MB after, %d MB before", nowMB, mb)
	}
	alive, zombies := children(t, pid)
	if len(alive) != 2 || len(zombies) > 0 { // the server and the supervisor
		t.Errorf("processes %v live and %v are zombies, want two that live", alive, zombies)
	}
	fresh := start(t, graph, "GOTRACEBACK=all")
	fresh.settle()
	// One is allowed: the runtime starts its workers when it needs them.
	if before, after := goroutines(t, fresh), goroutines(t, s); after > before+1 {
		t.Errorf("%d goroutines after, a fresh process has %d:\n%s", after, before, s.stderr)
	} else {
		t.Logf("%d goroutines, a fresh process has %d", after, before)
	}
	allGone(t, alive, 1500*time.Millisecond)
}

// run makes the runs, spread over the time, while the server is killed. Each takes
// long enough for a kill to meet some.
func (k soak) run(t *testing.T, s *session) {
	t.Helper()
	const workers = 16
	var all sync.WaitGroup
	var results, failures, kills atomic.Int64
	ended := make(chan struct{})
	all.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(k.killed):
			}
			if pid, err := strconv.Atoi(s.call("pid", `{}`).text(t)); err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil {
				kills.Add(1)
			}
		}
	})
	var busy sync.WaitGroup
	begun := time.Now()
	for w := range workers {
		busy.Go(func() {
			for i := w; i < k.runs; i += workers {
				time.Sleep(time.Until(begun.Add(k.length * time.Duration(i) / time.Duration(k.runs))))
				_, answer := s.sendCall("mirror", fmt.Sprintf(`{"id": %d, "ms": 30}`, i))
				switch result, ok := s.answered(answer); {
				case !ok:
					t.Errorf("run %d was not answered", i)
					return
				case result.IsError && strings.Contains(result.text(t), `server "up"`):
					failures.Add(1)
				case result.IsError || result.text(t) != fmt.Sprintf(`{"id":%[1]d,"entry":%[1]d}`, i):
					t.Errorf("run %d gave %s", i, result.text(t))
				default:
					results.Add(1)
				}
			}
		})
	}
	busy.Wait()
	close(ended)
	all.Wait()
	t.Logf("%d runs in %v with %d kills: %d results, %d named errors",
		k.runs, time.Since(begun).Round(time.Millisecond), kills.Load(), results.Load(), failures.Load())
	if results.Load()+failures.Load() != int64(k.runs) || results.Load() == 0 || kills.Load() == 0 {
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

// settle waits until the session's upstream server runs and rests.
func (s *session) settle() {
	s.t.Helper()
	eventually(s.t, "the server runs", func() bool { return !s.call("pid", `{}`).IsError })
	time.Sleep(700 * time.Millisecond) // what the last kill left behind is swept by then
}

var goroutineHead = regexp.MustCompile(`(?m)^goroutine [1-9][0-9]* `)

// goroutines ends a session by SIGQUIT and counts the goroutines that it then had.
func goroutines(t *testing.T, s *session) int {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	exitWithin(t, s, 6*time.Second)
	return len(goroutineHead.FindAllString(s.stderr.String(), -1))
}
