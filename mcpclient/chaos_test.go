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
	"time"
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
				got, err := call(p, "inc", fmt.Sprintf(`{"n":%d}`, n))
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
	for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		got, err := call(p, "pid", `{}`)
		if pid, perr := strconv.Atoi(got); err == nil && perr == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL) // gone already: somebody else's turn
		}
	}
	ended.Store(true)
	all.Wait()
	t.Logf("%d of %d calls had a result", results.Load(), calls.Load())
	if results.Load() == 0 {
		t.Error("no call had a result")
	}
}
