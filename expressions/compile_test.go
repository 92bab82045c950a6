package expressions

import (
	"context"
	"errors"
	"testing"
)

// Nothing is compiled once the context has ended, and the error is the reason.
func TestV20EndedCompile(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := errors.New("it has ended")
	cancel(ended)
	if e, err := CompileJSONata(ctx, "1"); e != nil || !errors.Is(err, ended) {
		t.Errorf("an expression: %v, %v", e, err)
	}
	for _, rule := range []any{true, map[string]any{"var": "a.b"}} {
		if r, err := CompileRule(ctx, rule); r != nil || !errors.Is(err, ended) {
			t.Errorf("%v: %v, %v", rule, r, err)
		}
	}
}
