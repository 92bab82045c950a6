package execution

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"sync"
	"time"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// attempts makes the call of an mcp node, and repeats it as its retry says.
func (l *live) attempts(s *site, n *graph.MCP, start time.Time, args value.Value) (outcome, error) {
	c := l.newCall(s, args)
	c.Server, c.Tool, c.Timeout = n.Server, n.Tool, n.Timeout
	at := c.At()
	done, wait := l.past.attempted(at)
	unsafe := !l.hooks.mayRepeat(n)
	key := keyAfter(done)
	countAttempt(c, len(done)+1, key)
	if failed := l.resolve(s, c); failed != nil {
		return ended(failed)
	}
	agreed, failed, err := l.agreed(s, n, args)
	switch {
	case err != nil:
		return outcome{}, err
	case failed != nil && (suspended(l.base, failed) || failed.interrupted()):
		return ended(s.located(failed))
	case failed != nil:
		rec := s.frame.record(s, start, nil, withHelp(n.Help, failed))
		return recorded(rec, unsafe)
	}
	if failed := l.pause(s, wait); failed != nil {
		return ended(failed)
	}
	for {
		number := len(done) + 1
		began := l.clock.now()
		if number == 1 {
			start = began
		}
		output, cached, err := l.obtain(s, n, c, unsafe)
		if err == nil {
			output, err = s.polled(n, output)
		}
		again, why := false, ""
		var failed *Failure
		if err != nil {
			failed = withAttempts(failureOf(s.ctx, n, err), number)
			if isTaskLost(c, failed) {
				if failed := l.lostTask(s, n, c, failed); failed != nil {
					return ended(failed)
				}
				continue
			}
			l.tally.answered(n.Server, failed.answered())
			if again, why, err = s.retries(n, failed, number, unsafe); err != nil {
				failed, again = withAttempts(failureOf(s.ctx, n, err), number), false
			}
		}
		if !again {
			rec := s.frame.finish(s, n, start, output, failed, done, why)
			rec.Confirmed = agreed
			switch {
			case failed != nil:
			case cached:
				rec.setCached(c)
			default:
				l.tally.answered(n.Server, rec.Bytes)
			}
			return recorded(rec, unsafe)
		}
		attempt := Attempt{Start: began, End: l.clock.now(), Error: failed}
		wait := waitBefore(n.Retry, l.id, at, number)
		if err := l.failAttempt(s, number, attempt, wait, unsafe); err != nil {
			return outcome{}, err
		}
		done, c.Task = append(done, attempt), ""
		key = nextKey(key, number, failed)
		countAttempt(c, number+1, key)
		if failed := l.pause(s, wait); failed != nil {
			return ended(failed)
		}
	}
}

// countAttempt makes the call that of an attempt.
func countAttempt(c *Call, number, key int) {
	if number > 1 {
		c.Attempt = number
	}
	c.Meta = map[string]any{idempotencyMeta: idempotencyKey(c.Run, c.At(), key)}
}

// keyAfter returns the number in the idempotency key after failed attempts.
func keyAfter(done []Attempt) int {
	key := 1
	for i := range done {
		key = nextKey(key, i+1, done[i].Error)
	}
	return key
}

// nextKey returns the number in the idempotency key after a failed attempt. It stays the same
// when it is unknown whether the call was made.
func nextKey(key, attempt int, failed *Failure) int {
	switch failed.Kind() {
	case config.FailTimeout, config.FailTransport, config.FailServerExited, config.FailServerStart:
		return key
	}
	return attempt + 1
}

// polled returns the failure of an attempt whose value retry.until does not accept yet.
func (s *site) polled(n *graph.MCP, output value.Value) (value.Value, error) {
	if n.Retry == nil || n.Retry.Until == nil {
		return output, nil
	}
	holds, err := n.Retry.Until.Holds(s.ctx, s.with(map[string]value.Value{"result": output}))
	if err != nil {
		return nil, err
	}
	if holds {
		return output, nil
	}
	failed := failureAt(CodeTool, n, nil, "retry.until does not hold")
	failed.Detail = string(config.FailNotYet)
	failed.setResult(output)
	return nil, failed
}

// retries reports whether a failed call is repeated. why says for people why a default did not
// allow it. The error is that of retry.when.
func (s *site) retries(n *graph.MCP, failed *Failure, number int, unsafe bool) (again bool, why string, err error) {
	r := n.Retry
	code := failed.Kind()
	switch {
	case r == nil || !code.Catchable() || code == config.FailExpression || code == config.FailRaised || number >= r.Attempts:
		return false, "", nil
	case code == config.FailNotYet:
		return true, "", nil
	case r.Codes != nil && !slices.Contains(r.Codes, code):
		return false, "", nil
	case r.Codes == nil && r.When == nil && code != config.FailServerStart:
		switch code {
		case config.FailTimeout, config.FailTransport, config.FailServerExited, config.FailToolError, config.FailRPCError:
		default:
			return false, "", nil
		}
		if unsafe {
			return false, fmt.Sprintf("not repeated, because %s may have been done: say effect: read, or name %s in retry.codes", n.Tool, code), nil
		}
	}
	if r.When == nil {
		return true, "", nil
	}
	again, err = r.When.Holds(s.ctx, s.withFailure(failed, number))
	return again, "", err
}

// waitBefore returns the wait after a failed attempt: between half and the whole of its length,
// evenly, so that many runs do not come back at once. It follows from the run and the address,
// so that it is the same again.
func waitBefore(r *graph.Retry, run string, at Address, attempt int) time.Duration {
	length := float64(r.Delay) * math.Pow(r.Backoff, float64(attempt-1))
	length = min(length, float64(r.MaxDelay))
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%s/%s#%d", run, at, attempt) // a hash never fails to write
	part := float64(mixed(h.Sum64())>>11) / (1 << 53)
	return time.Duration(length * (1 + part) / 2).Round(time.Millisecond)
}

// mixed spreads the bits of a hash whose last bytes differ: the finalizer of MurmurHash3.
func mixed(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// failAttempt records a failed attempt that another one follows.
func (l *live) failAttempt(s *site, number int, a Attempt, wait time.Duration, sync bool) error {
	e := Event{
		Kind: AttemptFailed, Run: l.id, Time: a.End, Step: s.visit(), Sync: sync,
		Retry: &Retry{Attempt: a, WaitMs: wait.Milliseconds()},
	}
	if number > 1 {
		e.Step.Attempt = number
	}
	return l.emit(s.ctx, &e)
}

// pause waits before the next attempt. The failure is that of a run that ends meanwhile.
func (l *live) pause(s *site, delay time.Duration) *Failure {
	if delay <= 0 {
		return nil
	}
	defer l.away()()
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	until := l.clock.now().Add(delay)
	ctx, back := l.waits(ctx, wait{at: s.address(), due: until, until: until})
	defer back()
	if l.hooks.stop != nil {
		var watch sync.WaitGroup
		defer watch.Wait()
		defer cancel(nil)
		watch.Go(func() {
			select {
			case <-l.hooks.stop:
				cancel(ErrSuspended)
			case <-ctx.Done():
			}
		})
	}
	if err := l.hooks.sleep(ctx, delay); err != nil || ctx.Err() != nil {
		failed := endOf(ctx, s.node, "while it waited for its next attempt", err)
		failed.unrecorded = true
		return s.located(failed)
	}
	return nil
}

// sleep waits for a time.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// WithSleep sets the function that waits between attempts; its error is the cause of ctx's end.
func WithSleep(sleep func(ctx context.Context, d time.Duration) error) Option {
	return func(h *hooks) { h.sleep = sleep }
}

// withAttempts returns the failure with the number of attempts that were made.
func withAttempts(failed *Failure, attempts int) *Failure {
	out := *failed
	out.Attempts = attempts
	return &out
}

// finish makes the record of a call.
func (f *frame) finish(s *site, n *graph.MCP, start time.Time, output value.Value, failed *Failure, done []Attempt, why string) *Record {
	if failed == nil {
		rec := f.record(s, start, output, nil)
		rec.Attempts = done
		return rec
	}
	failed = withAttempts(failed, len(done)+1)
	if len(done) > 0 {
		took := f.live.clock.now().Sub(start)
		precision := 100 * time.Millisecond
		if took < time.Second {
			precision = time.Millisecond
		}
		failed = failed.with(fmt.Sprintf("%d attempts in %s", len(done)+1, took.Round(precision)))
	}
	if why != "" {
		failed = failed.with(why)
	}
	rec := f.record(s, start, nil, withHelp(n.Help, failed))
	rec.Attempts = done
	return rec
}
