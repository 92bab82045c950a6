package mcpclient

import (
	"bufio"
	"bytes"
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
	// courtesy bounds messages for which no caller waits.
	courtesy = 5 * time.Second
)

// write sends one line. The rest of a line that the pipe does not take at once is written
// in the background, so that the line stays whole when the caller's context ends. A server
// that reads nothing for writeStall loses its connection.
func (c *conn) write(ctx context.Context, line []byte) error {
	select {
	case c.slot <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-c.dead():
		return fmt.Errorf("%w: %w", errUnsent, c.failure())
	}
	n, err := 0, c.proc.stdin.SetWriteDeadline(time.Now().Add(writePatience))
	if err == nil {
		n, err = c.proc.stdin.Write(line)
	}
	switch {
	case err == nil:
		<-c.slot
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, os.ErrNoDeadline):
		if !c.background(func() {
			c.writeRest(line[n:])
			<-c.slot
		}) {
			return c.failure() // the token stays in slot: half a line is written
		}
		return nil
	}
	<-c.slot
	// The reader learns why: wait for it a moment rather than guess here.
	select {
	case <-c.dead():
	case <-ctx.Done():
	case <-c.proc.clock.after(drainGrace):
		c.fail(&Error{Code: CodeTransport, Message: "the server closed its input"})
	}
	failed := c.failure()
	switch {
	case failed == nil:
		return ctx.Err()
	case n > 0:
		return failed
	}
	return fmt.Errorf("%w: %w", errUnsent, failed)
}

func (c *conn) writeRest(rest []byte) {
	for len(rest) > 0 {
		n, err := c.writePart(rest)
		rest = rest[n:]
		if err == nil || n > 0 && errors.Is(err, os.ErrDeadlineExceeded) {
			continue // it reads, even if slowly
		}
		select {
		case <-c.dead():
		case <-c.proc.clock.after(drainGrace): // the reader, if it knows why, reports it better
			c.stalled()
		}
		return
	}
}

// writePart writes as much as the server reads within writeStall.
func (c *conn) writePart(rest []byte) (int, error) {
	if c.proc.stdin.SetWriteDeadline(time.Now().Add(writeStall)) == nil {
		return c.proc.stdin.Write(rest)
	}
	// The pipes of Windows have no deadlines: the end of the server ends the write.
	defer time.AfterFunc(writeStall, c.stalled).Stop()
	return c.proc.stdin.Write(rest[:min(len(rest), readBuffer)])
}

func (c *conn) stalled() {
	c.fail(&Error{Code: CodeTransport, Message: fmt.Sprintf("the server has not read its input for %s", writeStall)})
}

const readBuffer = 64 << 10

var errLineTooLong = errors.New("line too long")

// longLine is the length in bytes from which a line is long.
const longLine = 1 << 20

// readLine returns the next line without its newline, in memory of its own; the last line
// need not have one. Of a line of more than limit bytes it holds no more, and fails with
// errLineTooLong. usual is the length of the last long line: a server that has sent one often sends
// another of that length, which is then read without being copied.
func readLine(in *bufio.Reader, limit int, usual *int) ([]byte, error) {
	var line []byte
	var before [][]byte // the parts of a long line before it
	length := 0
	for {
		part, err := in.ReadSlice('\n')
		if length += len(part); length > limit+1 {
			return nil, errLineTooLong
		}
		if len(line)+len(part) > cap(line) && line != nil {
			switch {
			case length <= longLine:
				line = slices.Grow(line, length) // doubles: append grows long slices by a quarter only
			case before == nil && length < *usual && *usual/8 < length && cap(line) <= longLine*2:
				makeRoom(*usual)
				line = append(make([]byte, 0, min(*usual+*usual/16, limit+1)), line...)
			default: // doubling would take three times the length of the line
				before = append(before, line)
				line = make([]byte, 0, longLine)
			}
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return endLine(line[:len(line)-1], before, usual), nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case len(line) > 0 && errors.Is(err, io.EOF):
			return endLine(line, before, usual), nil
		}
		return nil, err
	}
}

// endLine returns a line that was read in parts.
func endLine(line []byte, before [][]byte, usual *int) []byte {
	if before != nil {
		line = slices.Concat(append(before, line)...)
	}
	if len(line) > longLine {
		if *usual = len(line); cap(line) > 2*len(line) {
			return bytes.Clone(line) // the one before was longer
		}
	}
	return line
}
