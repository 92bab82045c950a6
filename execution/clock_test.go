package execution_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"
	"unsafe"

	"toolgraph/execution"
)

// set is t on a clock whose wall time was set forward by d, in whole seconds: what the
// monotonic clock says stays as it is. Package time has no way to make such a time, so
// this changes the seconds in it, and checks that it did.
func set(tb testing.TB, t time.Time, d time.Duration) time.Time {
	tb.Helper()
	const bit = 30 // where the seconds of a time with a monotonic reading begin
	out := t
	*(*int64)(unsafe.Pointer(&out)) += int64(d/time.Second) << bit
	if out.Sub(t) != 0 || out.Round(0).Sub(t.Round(0)) != d {
		tb.Fatal("time.Time is made differently now, and this test has to follow")
	}
	return out
}

// jumping is a clock that advances by step at each look, and whose wall time is set by jump
// before each.
func jumping(tb testing.TB, step, jump time.Duration) execution.Option {
	base, looks := time.Now(), 0
	return execution.WithClock(func() time.Time {
		looks++
		return set(tb, base.Add(time.Duration(looks)*step), time.Duration(looks)*jump)
	})
}

// Jumps of the wall clock change nothing: limits and durations follow the monotonic clock,
// also across the waits of a gate. A clock that truly advances ends the run.
func TestG17ClockJump(t *testing.T) {
	gate := execution.WithGate(gateFunc(func(context.Context, execution.Event) ([]execution.Edit, error) { return nil, nil }))
	for name, opts := range map[string][]execution.Option{"alone": nil, "held": {gate}} {
		for _, jump := range []time.Duration{time.Hour, -time.Hour} {
			t.Run(name+" "+jump.String(), func(t *testing.T) {
				engine := execution.New(echo, opts...)
				result, err := engine.Run(t.Context(), build(t, twoCalls), decode(t, `{"n": 3}`), jumping(t, time.Millisecond, jump))
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range result.History() {
					if d := r.Duration(); d < time.Millisecond || d > 4*time.Millisecond {
						t.Errorf("execution %d took %v", r.Index, d)
					}
				}
				_, err = engine.Run(t.Context(), build(t, sumLoop), decode(t, `{"n": 3}`), jumping(t, time.Minute, jump))
				var step *execution.StepError
				if !errors.As(err, &step) || step.Code() != execution.CodeLimit {
					t.Errorf("a run of many minutes: %v", err)
				}
			})
		}
	}
}

// What a run has used up when it is resumed is what its steps took, not how far the wall
// clock was set while they ran.
func TestG17ClockJumpBeforeResume(t *testing.T) {
	g := build(t, twoCalls)
	var kept []execution.Event
	keep := execution.WithObserver(execution.ObserverFunc(func(e execution.Event) { kept = append(kept, e) }))
	if _, err := execution.New(echo).Run(t.Context(), g, decode(t, `{}`), keep, jumping(t, time.Millisecond, time.Hour)); err != nil {
		t.Fatal(err)
	}
	cut := slices.IndexFunc(kept, func(e execution.Event) bool { return e.Kind == execution.RunFinished })
	src, err := json.Marshal(kept[:cut])
	if err != nil {
		t.Fatal(err)
	}
	var read []execution.Event
	if err := json.Unmarshal(src, &read); err != nil {
		t.Fatal(err)
	}
	for _, e := range read {
		if e.Record != nil && e.Record.Duration() > 4*time.Millisecond {
			t.Errorf("execution %d took %v", e.Record.Index, e.Record.Duration())
		}
	}
	if _, err := execution.New(echo).Resume(t.Context(), g, read); err != nil {
		t.Error(err)
	}
}
