//go:build unix

package mcpclient

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"toolgraph/execution/call"
)

func pidsIn(t *testing.T, file string) (pids []int) {
	t.Helper()
	waitFor(t, "the program to fork", func() bool {
		raw, err := os.ReadFile(file)
		for _, pid := range strings.Fields(string(raw)) {
			n, _ := strconv.Atoi(pid)
			pids = append(pids, n)
		}
		return err == nil
	})
	return pids
}

// When the call returns, SIGKILL is on its way to what is left of the group.
func TestF28IgnoresSIGTERMAndForks(t *testing.T) {
	for code, end := range map[string]func(p *Pool, stop, timeIsOver func()){
		CodeTimeout:   func(_ *Pool, _, timeIsOver func()) { timeIsOver() },
		CodeCancelled: func(_ *Pool, stop, _ func()) { stop() },
		CodeClosed:    func(p *Pool, _, _ func()) { go p.Close() },
	} {
		t.Run(code, func(t *testing.T) {
			u, _ := fakePrograms(t)
			var graces atomic.Int64
			limits := make(chan func(), 10)
			p := pool(t, u, WithPrograms(), withClock(func(c *clock) {
				c.after = func(d time.Duration) <-chan time.Time {
					if d == termGrace {
						graces.Add(1)
					}
					over := make(chan time.Time)
					close(over)
					return over
				}
				afterFunc := c.afterFunc
				c.afterFunc = func(d time.Duration, f func()) timer {
					limits <- f
					return afterFunc(d, f)
				}
			}))
			file := filepath.Join(t.TempDir(), "pids")
			ended := make(chan error, 1)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			go func() {
				_, err := p.CallTool(ctx, call.Call{Server: "fake", Tool: "stubborn", Args: map[string]any{"args": []any{file}}})
				ended <- err
			}()
			pids := pidsIn(t, file)
			end(p, stop, func() {
				for len(limits) > 0 {
					(<-limits)()
				}
			})
			wantError(t, "", receive(t, ended, "the end of the call"), code)
			for _, pid := range pids {
				waitFor(t, "a process of the group to end", func() bool { return !lives(pid) })
			}
			if n := graces.Load(); len(pids) != 2 || n != 1 {
				t.Errorf("processes %v, %d graces after SIGTERM", pids, n)
			}
		})
	}
	if termGrace+2*sweepGrace+drainGrace > 5*time.Second {
		t.Error("the graces are longer than 5 s together")
	}
}

func TestProgramLeavesAProcess(t *testing.T) {
	u, _ := fakePrograms(t)
	file := filepath.Join(t.TempDir(), "pids")
	p := pool(t, u, WithPrograms())
	mustCall(t, p, "leave", `{"args":["`+file+`"]}`, `"left"`)
	pid := pidsIn(t, file)[0]
	waitFor(t, "the process that was left to end", func() bool { return !lives(pid) })
}
