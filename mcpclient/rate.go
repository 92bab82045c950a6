package mcpclient

import (
	"context"
	"sync"
	"time"

	"toolgraph/config"
)

// bucket is the rate of a server's calls. It is full at first, each call takes one from it, and it
// fills evenly. Nil holds up no call. Safe for concurrent use.
type bucket struct {
	clock clock
	each  time.Duration // in which one call more becomes possible
	size  time.Duration // each × calls
	line  chan struct{} // has a token while a call is first in line; the others wait in their order

	mu   sync.Mutex
	full time.Time // when it is full again, if nothing is taken until then; guarded by mu
}

func newBucket(r *config.Rate, c clock) *bucket {
	if r == nil {
		return nil
	}
	each := r.Per / time.Duration(r.Calls)
	return &bucket{clock: c, each: each, size: each * time.Duration(r.Calls), line: make(chan struct{}, 1)}
}

// wait waits until the next call may be sent, in the order in which calls came. A call whose
// context ends leaves the line and takes nothing.
func (b *bucket) wait(ctx context.Context) *Error {
	if b == nil {
		return nil
	}
	gone := func() *Error { return cancelled(ctx, "waiting for its turn, which rate gives it") }
	select {
	case b.line <- struct{}{}:
	case <-ctx.Done():
		return gone()
	}
	defer func() { <-b.line }()
	for ctx.Err() == nil {
		wait := b.take()
		if wait <= 0 {
			return nil
		}
		select {
		case <-b.clock.after(wait):
		case <-ctx.Done():
		}
	}
	return gone()
}

// take takes one call from the bucket, or returns how long there is none in it.
func (b *bucket) take() (wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock.now()
	if wait = b.full.Add(b.each - b.size).Sub(now); wait > 0 {
		return wait
	}
	if b.full.Before(now) {
		b.full = now
	}
	b.full = b.full.Add(b.each)
	return 0
}

// giveBack puts back a call that was not sent.
func (b *bucket) giveBack() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.full = b.full.Add(-b.each)
}
