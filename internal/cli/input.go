package cli

import (
	"context"
	"fmt"
	"io"
)

// maxArguments bounds what is read of standard input, in bytes: as much as a client may send.
const maxArguments = 16 << 20

// readInput is all of a stream, up to a number of bytes, or an error once ctx ends: Ctrl-C
// ends the waiting for input, too. A read that blocks cannot be taken back: the goroutine
// then stays with it until the process ends.
func readInput(ctx context.Context, in io.Reader, most int64) ([]byte, error) {
	type input struct {
		src []byte
		err error
	}
	done := make(chan input, 1)
	go func() {
		src, err := io.ReadAll(io.LimitReader(in, most))
		done <- input{src, err}
	}()
	select {
	case read := <-done:
		return read.src, read.err
	case <-ctx.Done():
		return nil, fmt.Errorf("interrupted while waiting for standard input: %w", context.Cause(ctx))
	}
}
