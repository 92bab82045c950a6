package mcpclient

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"toolgraph/config"
)

// rated is a bucket in the time of a synctest bubble.
func rated(calls int, per time.Duration) *bucket {
	return newBucket(&config.Rate{Calls: calls, Per: per}, systemClock())
}

// admitted waits for n calls that come at once, and returns when each was let through, since the
// first came, in order.
func admitted(t *testing.T, b *bucket, n int) []time.Duration {
	t.Helper()
	var mu sync.Mutex
	var at []time.Duration
	var all sync.WaitGroup
	begun := time.Now()
	for range n {
		all.Go(func() {
			if fail := b.wait(t.Context()); fail != nil {
				t.Error(fail)
			}
			mu.Lock()
			defer mu.Unlock()
			at = append(at, time.Since(begun))
		})
	}
	all.Wait()
	return at
}

func TestRateLetsAsManyThroughAsItSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := rated(10, time.Second)
		at := admitted(t, b, 35)
		for i, got := range at {
			if want := max(0, time.Duration(i-9)*100*time.Millisecond); got != want {
				t.Errorf("call %d after %s, want %s", i, got, want)
			}
		}
		time.Sleep(time.Hour) // it never holds more than 10
		if at := admitted(t, b, 12); at[9] != 0 || at[10] != 100*time.Millisecond || at[11] != 200*time.Millisecond {
			t.Errorf("after an hour: %v", at)
		}
		time.Sleep(350 * time.Millisecond)
		if at := admitted(t, b, 4); at[2] != 0 || at[3] != 50*time.Millisecond {
			t.Errorf("after 350 ms: %v", at)
		}
	})
}

func TestRateOfOneInALongTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if at := admitted(t, rated(1, 24*time.Hour), 3); at[0] != 0 || at[1] != 24*time.Hour || at[2] != 48*time.Hour {
			t.Errorf("%v", at)
		}
		if at := admitted(t, rated(100_000, time.Millisecond), 200_000); at[199_999] != time.Millisecond {
			t.Errorf("the last call after %s", at[199_999])
		}
		if at := admitted(t, newBucket(nil, systemClock()), 1000); at[999] != 0 {
			t.Errorf("without a rate: %s", at[999])
		}
	})
}

// Calls go in the order in which they came, and those that are cancelled give their turns to the
// calls behind them.
func TestRateKeepsTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := rated(1, 10*time.Second)
		var all sync.WaitGroup
		var mu sync.Mutex
		var order []int
		begun := time.Now()
		last := time.Duration(0)
		cancels := make([]context.CancelFunc, 512)
		for i := range cancels {
			ctx, cancel := context.WithCancel(t.Context())
			cancels[i] = cancel
			all.Go(func() {
				fail := b.wait(ctx)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case fail == nil:
					order, last = append(order, i), time.Since(begun)
				case fail.Code != CodeCancelled:
					t.Error(fail)
				}
			})
			synctest.Wait() // it is in line
		}
		time.Sleep(15 * time.Second) // 0 and 1 have gone
		for _, cancel := range cancels[2:510] {
			cancel()
		}
		all.Wait()
		if want := []int{0, 1, 510, 511}; !slices.Equal(order, want) || last != 30*time.Second {
			t.Errorf("%v, the last after %s; want %v, the last after 30s", order, last, want)
		}
		for _, cancel := range cancels {
			cancel()
		}
	})
}

// A call that is not sent takes nothing from the rate.
func TestRateCountsCallsThatAreSent(t *testing.T) {
	server := fake(t)
	server.Rate = &config.Rate{Calls: 2, Per: 24 * time.Hour}
	p := pool(t, server)
	for range 5 {
		mustFail(t, p, "no such tool", `{}`, CodeUnknownTool)
	}
	mustCall(t, p, "inc", `{"n":1}`, `2`)
	mustCall(t, p, "inc", `{"n":1}`, `2`)
	b := p.servers["fake"].rate
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := callWith(ctx, p, "inc", `{"n":1}`)
		done <- err
	}()
	waitFor(t, "the third call to be in line", func() bool { return len(b.line) == 1 })
	if _, err := p.ListTools(t.Context(), "fake"); err != nil { // which is no call
		t.Error(err)
	}
	stop()
	wantError(t, "", <-done, CodeCancelled)
}

// The time limit of a call begins when it is sent, not while it waits for its turn; and a server
// that died meanwhile is started again.
func TestRateIsNoPartOfTheTimeLimit(t *testing.T) {
	server := fake(t)
	server.Rate = &config.Rate{Calls: 1, Per: time.Hour}
	released := make(chan time.Time)
	var limits atomic.Int64 // time limits of requests that have begun
	p := pool(t, server, withClock(func(c *clock) {
		afterFunc := c.afterFunc
		c.afterFunc = func(d time.Duration, f func()) timer {
			limits.Add(1)
			return afterFunc(d, f)
		}
		after := c.after
		c.after = func(d time.Duration) <-chan time.Time {
			if d > 30*time.Minute {
				return released
			}
			return after(d)
		}
	}))
	mustCall(t, p, "inc", `{"n":1}`, `2`)
	u := p.servers["fake"]
	before := limits.Load()
	done := make(chan error, 1)
	go func() {
		_, err := callTool(p, "inc", `{"n":1}`)
		done <- err
	}()
	waitFor(t, "the second call to be in line", func() bool { return len(u.rate.line) == 1 })
	if limits.Load() != before {
		t.Error("the time limit of a call that waits for its turn has begun")
	}
	u.mu.Lock()
	s := u.current
	u.mu.Unlock()
	u.drop(s)
	waitFor(t, "the end of the connection", func() bool { return !s.alive() })
	u.rate.giveBack()
	close(released)
	if err := <-done; err != nil {
		t.Error(err)
	}
}
