package config

import (
	"context"
	"errors"
	"strings"
	"testing"

	"toolgraph/internal/base/cost"
)

// asked is a context that ends when it is asked for the most-th time.
type asked struct {
	context.Context

	times, most int
}

func (a *asked) Err() error {
	if a.times++; a.times >= a.most {
		return context.Canceled
	}
	return nil
}

// X01: redaction looks at the context each 256 KB and ends with it; a text without secrets is not copied.
func TestX01RedactionEndsWithTheContext(t *testing.T) {
	s := NewSecrets("a-secret-text")
	s.Redact("makes the finder")
	raw := []byte(`["` + strings.Repeat(`text with \n %20 `, 1<<20) + `"]`)
	ctx := &asked{Context: t.Context(), most: 1 << 30}
	cost.Below(t, 64<<10, func() {
		if got, err := s.RedactJSONWithin(ctx, raw); err != nil || &got[0] != &raw[0] {
			t.Errorf("a text without secrets: %v", err)
		}
	})
	if views := 4; ctx.times < views*(len(raw)/lookEvery-1) {
		t.Errorf("%d looks for %d bytes", ctx.times, len(raw))
	}
	ctx = &asked{Context: t.Context(), most: 3}
	if _, err := s.RedactJSONWithin(ctx, raw); !errors.Is(err, context.Canceled) || ctx.times > 3 {
		t.Errorf("%v after %d looks", err, ctx.times)
	}
	hidden, err := s.RedactJSONWithin(t.Context(), []byte(`["a-secret-text"]`))
	if err != nil || string(hidden) != `["[redacted]"]` {
		t.Errorf("%s, %v", hidden, err)
	}
}
