package value

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"testing"

	"toolgraph/internal/base/cost"
)

// The digests of recorded runs stay what they are: those of this text.
func TestDigest(t *testing.T) {
	long := strings.Repeat("é\n", 300_000)
	many := make([]any, 50_000)
	for i := range many {
		many[i] = NewObject([]string{"k"}, []Value{[]any{}})
	}
	for want, v := range map[string]Value{
		`{2 "a" null "b"[2 1 "x\n"`: NewObject([]string{"b", "a"}, []Value{[]any{1.0, "x\n"}, Null}),
		`{1 "k" 2`:                  map[string]any{"k": 2.0},
		`[1 "` + strings.ReplaceAll(long, "\n", `\n`) + `"`:      []any{long},
		`[50000` + strings.Repeat(`{1 "k"[0`, 50_000):            many,
		`{1 "` + strings.ReplaceAll(long, "\n", `\n`) + `" true`: NewObject([]string{long}, []Value{true}),
	} {
		got, err := Digest(nil, v)
		metered, err2 := Digest(Until(t.Context()), v)
		if err != nil || err2 != nil || got != sha256.Sum256([]byte(want)) || metered != got {
			t.Errorf("%.50s: %x, %v, %v", want, got, err, err2)
		}
	}
	longer := strings.Repeat(long, 10)
	cost.Below(t, 4<<20, func() {
		if _, err := Digest(nil, []any{longer, many, longer}); err != nil {
			t.Error(err)
		}
	})
	args := NewObject([]string{"b", "a"}, []Value{1.0, "x"})
	if n := testing.AllocsPerRun(100, func() { _, _ = Digest(Until(t.Context()), args) }); n > 2 { // the sorted keys, and what is hashed
		t.Errorf("%v allocations for a small value", n)
	}
}

// endedAt is a context that ends when it is asked for the most-th time.
type endedAt struct {
	context.Context

	asks, most int
}

func (c *endedAt) Err() error {
	if c.asks++; c.asks >= c.most {
		return context.Canceled
	}
	return nil
}

// X01: the walks of a large value, even of one text, look at the context each 256 KB at least, and end
// with it.
func TestX01WalksEndWithTheContext(t *testing.T) {
	text := strings.Repeat("text ", 4<<20)
	rows := make([]any, 200_000)
	for i := range rows {
		rows[i] = NewObject([]string{"name", "n"}, []Value{"the name of a row", float64(i)})
	}
	other := append([]any{}, rows...)
	for name, v := range map[string]Value{"text": text, "texts": []any{"a", text + "é"}, "rows": rows} {
		for walk, do := range map[string]func(m *Meter) error{
			"encode": func(m *Meter) error { _, err := AppendMost(m, nil, v, MaxBytes); return err },
			"digest": func(m *Meter) error { _, err := Digest(m, v); return err },
			"size":   func(m *Meter) error { SizeWithin(m, v, MaxBytes); return m.Cause() },
			"plain":  func(m *Meter) error { _, err := PlainOf(m, []any{v, other}); return err },
			"equal":  func(m *Meter) error { _, err := Equal(m, v, strings.Clone(text)); return err },
		} {
			if walk == "equal" && name != "text" || walk == "plain" && name != "rows" {
				continue
			}
			ctx := &endedAt{Context: t.Context(), most: 1 << 30}
			if err := do(Until(ctx)); err != nil || ctx.asks < 20<<20/(pieceBytes+1) && walk != "equal" {
				t.Errorf("%s of %s: %d looks, %v", walk, name, ctx.asks, err)
			}
			ctx = &endedAt{Context: t.Context(), most: 3}
			if walk == "equal" {
				ctx.most = 1
			}
			if err := do(Until(ctx)); !errors.Is(err, context.Canceled) || ctx.asks > ctx.most {
				t.Errorf("%s of %s: %v after %d looks", walk, name, err, ctx.asks)
			}
		}
	}
}
