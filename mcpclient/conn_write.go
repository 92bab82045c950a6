package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

const (
	// writePatience is how long a caller itself waits for the pipe to take a message.
	writePatience = 20 * time.Millisecond
	// writeStall is how long a server may leave its input unread altogether.
	writeStall = 30 * time.Second
	// courtesy bounds messages for which nobody waits.
	courtesy = 5 * time.Second
)

// write sends one line. What the pipe does not take at once is written behind the
// caller's back, so that the caller can heed its context while the line stays whole;
// a server that reads nothing for writeStall loses its connection.
func (c *conn) write(ctx context.Context, line []byte) error {
	select {
	case c.slot <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-c.done:
		return fmt.Errorf("%w: %w", errUnsent, c.failure())
	}
	_ = c.proc.stdin.SetWriteDeadline(time.Now().Add(writePatience)) // pipes have deadlines
	n, err := c.proc.stdin.Write(line)
	switch {
	case err == nil:
		<-c.slot
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		if !c.behind(func() {
			c.writeRest(line[n:])
			<-c.slot
		}) {
			return c.failure() // keeps the slot: nobody may write after half a line
		}
		return nil
	}
	<-c.slot
	// The reader learns why: wait for it a moment rather than guess here.
	select {
	case <-c.done:
	case <-ctx.Done():
	case <-c.proc.clock.after(drainGrace):
		c.fail(&Error{Code: CodeTransport, Message: "the server closed its input"}, true)
	}
	if n > 0 || c.failure() == nil {
		return c.orCause(ctx)
	}
	return fmt.Errorf("%w: %w", errUnsent, c.failure())
}

func (c *conn) orCause(ctx context.Context) error {
	if failed := c.failure(); failed != nil {
		return failed
	}
	return ctx.Err()
}

func (c *conn) writeRest(rest []byte) {
	for len(rest) > 0 {
		_ = c.proc.stdin.SetWriteDeadline(time.Now().Add(writeStall))
		n, err := c.proc.stdin.Write(rest)
		rest = rest[n:]
		if err == nil {
			continue
		}
		if errors.Is(err, os.ErrDeadlineExceeded) && n > 0 {
			continue // slow, yet it reads
		}
		select {
		case <-c.done:
		case <-c.proc.clock.after(drainGrace): // the reader, if it knows why, says it better
			c.fail(&Error{
				Code:    CodeTransport,
				Message: fmt.Sprintf("the server has not read its input for %s", writeStall),
			}, true)
		}
		return
	}
}
