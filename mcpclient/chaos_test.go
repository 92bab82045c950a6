//go:build unix

package mcpclient

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// Under a server that is killed all the time, every call is answered: with its own
// result or with an error that says so.
func TestServerKilledOften(t *testing.T) {
	p := pool(t, fake(t))
	var ended atomic.Bool
	var calls, results atomic.Int64
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for i := 0; !ended.Load(); i++ {
				n := w*1_000_000 + i
				got, err := callTool(p, "inc", fmt.Sprintf(`{"n":%d}`, n))
				calls.Add(1)
				var e *Error
				switch {
				case err == nil && got == strconv.Itoa(n+1):
					results.Add(1)
				case err == nil:
					t.Errorf("%d became %s", n, got)
				case !errors.As(err, &e) || e.Code != CodeServerExited && e.Code != CodeServerStart && e.Code != CodeTransport:
					t.Errorf("got %v", err)
				}
			}
		})
	}
	for range 50 {
		before := results.Load()
		waitFor(t, "a result between two kills", func() bool { return results.Load() > before || t.Failed() })
		got, err := callTool(p, "pid", `{}`)
		if pid, perr := strconv.Atoi(got); err == nil && perr == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have gone already
		}
	}
	ended.Store(true)
	all.Wait()
	t.Logf("%d of %d calls had a result", results.Load(), calls.Load())
}
