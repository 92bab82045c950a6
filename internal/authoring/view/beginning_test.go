package view

import (
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/cost"
)

// X02: the beginning of a value takes no more work than what is shown, and a secret that lies across the
// end is not shown, wherever it is and however it is written.
func TestX02BeginningOfAValue(t *testing.T) {
	const secret, most = "pa\"ss\tword-ü-1234567890", 100
	secrets := config.NewSecrets(secret)
	written := string(value.AppendString(nil, secret))
	written = written[1 : len(written)-1]
	rest := []any{strings.Repeat("é", 300)}
	for at := range most + len(secret) {
		v := []any{strings.Repeat("x", at), secret + strings.Repeat("y", 20), rest}
		got := Beginning(t.Context(), v, most, secrets)
		raw, _ := value.Encode(v)
		whole := strings.ReplaceAll(string(raw), written, "[redacted]")
		if got == "" || len(got) > most || !strings.HasPrefix(whole, got) || len(got) < 60 {
			t.Errorf("at %d: %q", at, got)
		}
	}
	var shared value.Value = rest
	for range 60 {
		shared = []any{shared, shared}
	}
	for name, v := range map[string]value.Value{"shared parts": shared, "text": strings.Repeat("text ", 10<<20)} {
		cost.Below(t, 64<<10, func() {
			if got := Beginning(t.Context(), v, 2048, secrets); len(got) < 2047 {
				t.Errorf("%s: %d bytes", name, len(got))
			}
		})
	}
}
