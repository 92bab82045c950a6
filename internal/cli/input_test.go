package cli

import (
	"context"
	"io"
	"strings"
	"testing"

	"toolgraph/internal/program"
)

// Waiting for input ends with the context; what is there is read up to the bound.
func TestReadInput(t *testing.T) {
	if src, err := program.ReadInput(t.Context(), strings.NewReader("12345"), 3); err != nil || string(src) != "123" {
		t.Errorf("got %q, %v", src, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	defer out.Close() // ends the read that was left
	cancel()
	if _, err := program.ReadInput(ctx, in, 3); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("got %v", err)
	}
}
