package runtime

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"
)

// hand is a clock that a test moves: waits end when it says so.
type hand struct {
	mu    sync.Mutex
	waits map[time.Duration][]chan time.Time
	all   []time.Duration // but askLeast
}

func (h *hand) after(d time.Duration) <-chan time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := make(chan time.Time)
	if d == askLeast {
		close(c)
		return c
	}
	if h.waits == nil {
		h.waits = map[time.Duration][]chan time.Time{}
	}
	h.waits[d], h.all = append(h.waits[d], c), append(h.all, d)
	return c
}

// end ends the waits of a duration, as soon as there is one.
func (h *hand) end(t *testing.T, d time.Duration) {
	t.Helper()
	for hang := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		h.mu.Lock()
		waits := h.waits[d]
		delete(h.waits, d)
		h.mu.Unlock()
		for _, c := range waits {
			close(c)
		}
		if len(waits) > 0 {
			return
		}
		if time.Now().After(hang) {
			t.Fatalf("nothing waits for %s", d)
		}
	}
}

// A server that hangs delays a start by firstAnswers, whatever the others do: all are asked at once.
func TestW10AHangingServerDelaysAStartLittle(t *testing.T) {
	t.Parallel()
	clock := &hand{}
	asked := make(chan string, 3)
	a := &asking{after: clock.after, changes: func(string) (<-chan struct{}, func()) { return nil, func() {} }}
	a.ask = func(ctx context.Context, server string) error {
		asked <- server
		<-ctx.Done()
		return ctx.Err()
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	begun := make(chan struct{})
	go func() {
		a.begin(ctx, []string{"a", "b", "c"}, &running)
		close(begun)
	}()
	all := []string{<-asked, <-asked, <-asked} // before any of them has answered
	clock.end(t, firstAnswers)
	<-begun
	slices.Sort(all)
	if !slices.Equal(all, []string{"a", "b", "c"}) {
		t.Error(all)
	}
	cancel()
	running.Wait()
}

// A server that fails is asked again after 5 s, 10 s … 5 min; one that answers when it says that its lists change.
func TestW10ServersAreAskedAgain(t *testing.T) {
	t.Parallel()
	clock := &hand{}
	changed := make(chan struct{})
	asked := make(chan int)
	n := 0
	a := &asking{after: clock.after, changes: func(string) (<-chan struct{}, func()) { return changed, func() {} }}
	a.ask = func(context.Context, string) error {
		n++
		asked <- n
		if n <= 9 {
			return errors.New("it does not start")
		}
		return nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { a.follow(ctx, "up", func() {}) })
	var want []time.Duration
	for pause, i := askAgain, 1; i <= 9; i++ {
		<-asked
		want = append(want, pause)
		clock.end(t, pause)
		pause = min(2*pause, askAgainMost)
	}
	<-asked
	for range 3 {
		changed <- struct{}{}
		<-asked
	}
	cancel()
	running.Wait()
	if !slices.Equal(clock.all, want) {
		t.Errorf("the pauses are %v, want %v", clock.all, want)
	}
}
