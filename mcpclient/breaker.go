package mcpclient

import "time"

// How often a server that does not come up is tried.
const (
	firstDelay   = time.Second
	longestDelay = 30 * time.Second
	startsWindow = 5 * time.Minute
	startsMost   = 5 // failed starts in a window
	openLeast    = time.Minute
	retryMost    = 5 * time.Minute // of a Retry-After that is respected: a server that recovers sooner is not given up
)

// breaker spaces out the starts of a server that fails to start: 1, 2, 4 … 30
// seconds, and where there is a circuit no more than five in five minutes; a server that
// asks for more time by Retry-After gets it. A server
// that came up and died later is none of its business. Not safe for
// concurrent use.
type breaker struct {
	now      func() time.Time
	circuit  bool        // whether a window holds startsMost starts only; else just the delays
	failures []time.Time // the last ones, at most startsMost
	streak   int
	until    time.Time
	last     *Error
}

// wait is how long the next start has to wait, zero when it need not.
func (b *breaker) wait() time.Duration { return max(0, b.until.Sub(b.now())) }

// open reports whether the circuit is open, not just the next start put off.
func (b *breaker) open() bool { return b.circuit && b.until.Sub(b.now()) > longestDelay }

func (b *breaker) failed(why *Error) {
	now := b.now()
	b.last = why
	b.streak++
	delay := longestDelay
	if shift := b.streak - 1; shift < 5 {
		delay = min(firstDelay<<shift, longestDelay)
	}
	b.until = now.Add(max(delay, min(why.RetryAfter, retryMost)))
	b.failures = append(b.failures, now)
	if len(b.failures) > startsMost {
		b.failures = b.failures[1:]
	}
	if !b.circuit || len(b.failures) < startsMost {
		return
	}
	if reopen := b.failures[0].Add(startsWindow); reopen.After(now) {
		b.until = reopen
		if least := now.Add(openLeast); least.After(reopen) {
			b.until = least
		}
	}
}

func (b *breaker) succeeded() {
	b.failures, b.streak, b.until, b.last = nil, 0, time.Time{}, nil
}
