package value_test

import (
	"context"
	"errors"
	"testing"

	"toolgraph/expressions/value"
)

// Work ends after the looks that it may still take, with the cause; its context does not.
func TestX01WorkEndsBeforeItsContext(t *testing.T) {
	ended, cause := make(chan struct{}), errors.New("ended")
	ctx := value.WithEnding(t.Context(), &value.Ending{From: ended, Cause: cause, Looks: 3})
	work := value.Working(ctx)
	for range 10 {
		if err := work.Err(); err != nil {
			t.Fatal(err)
		}
	}
	close(ended)
	meter, steps := value.Until(work), 0
	for meter.Spend(1) == nil {
		if steps++; steps > 100_000 {
			t.Fatal("the work does not end")
		}
	}
	if steps < 3*256 || steps > 4*258 {
		t.Errorf("%d steps after that, want those until the fourth look", steps)
	}
	if err := meter.Cancelled(); !errors.Is(err, cause) || !errors.Is(err, context.Canceled) {
		t.Errorf("the cause is %v", err)
	}
	if ctx.Err() != nil {
		t.Error("the context of calls ends as well")
	}
	if value.Working(t.Context()) != t.Context() || (*value.Ending)(nil).Working(ctx) != ctx {
		t.Error("a context without an Ending is another one")
	}
}

// The end of the context comes first, with its cause.
func TestWorkEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	work := value.Working(value.WithEnding(ctx, &value.Ending{From: make(chan struct{})}))
	gone := errors.New("gone")
	cancel(gone)
	if !errors.Is(work.Err(), context.Canceled) || !errors.Is(context.Cause(work), gone) {
		t.Errorf("%v, %v", work.Err(), context.Cause(work))
	}
}
