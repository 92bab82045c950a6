package mcpclient

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
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

const readBuffer = 64 << 10

var errLineTooLong = errors.New("line too long")

// lineReader reads lines of at most max bytes.
type lineReader struct {
	in  *bufio.Reader
	max int
}

func newLineReader(in io.Reader, limit int) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, readBuffer), max: limit}
}

// next is the next line without its newline, in memory of its own; the last line
// need not have one. It keeps no more than max bytes of a longer line and fails with
// errLineTooLong.
func (r *lineReader) next() ([]byte, error) {
	var line []byte
	for {
		part, err := r.in.ReadSlice('\n')
		if len(line)+len(part) > r.max+1 {
			return nil, errLineTooLong
		}
		if need := len(line) + len(part); need > cap(line) && line != nil {
			line = slices.Grow(line, need) // doubles: append grows long slices by a quarter only
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line[:len(line)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case len(line) > 0 && errors.Is(err, io.EOF):
			return line, nil
		}
		return nil, err
	}
}
