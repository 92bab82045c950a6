package server

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"toolgraph/expressions/value"
)

// How long a closing connection waits: for cancelled calls, and for a client that reads its
// answers (counted from the last byte that it read).
const (
	windDown   = 2 * time.Second
	lastWords  = 3 * time.Second
	outboxSize = 16 << 20
)

// looksAfterEnd is how much work an evaluation may still do after the end of the input: about 100 ms, so
// that what a client has asked for is answered, and what has no end holds nothing up.
const looksAfterEnd = 5_000

var errInputEnded = errors.New("the client has closed its input, and an expression of the call has taken long since then")

// ServeStdio serves one client, one message per line, until in or ctx ends; both return nil.
// At the end of in, calls in flight continue for up to Options.Grace and are answered, and their
// evaluations end soon (see looksAfterEnd); at the end of ctx they are cancelled with its cause. The error is a failure to read or write,
// or a client that has stopped reading.
//
// At the end of ctx, a pending Read of in is not interrupted; its goroutine ends when Read
// returns, and ignores the line.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	connCtx, cancelCause := context.WithCancelCause(ctx)
	gone := make(chan struct{})
	cancel := func() { cancelCause(context.Cause(ctx)) }
	defer cancel()
	c := &conn{
		server: s, ctx: value.WithEnding(connCtx, &value.Ending{From: gone, Cause: errInputEnded, Looks: looksAfterEnd}), in: newLineReader(in, s.opts.MaxLineBytes),
		out: newOutbox(out, outboxSize, s.opts.Stall), flights: map[string]*flight{},
		gone: gone,
	}
	s.add(c)
	defer s.remove(c)
	began := time.Now()
	ended := make(chan error, 1)
	go func() { ended <- c.read() }()
	var readErr error
	select {
	case readErr = <-ended:
	case <-ctx.Done():
	case <-c.out.dead:
	}
	c.shut()
	c.stopListening()
	c.drain(ctx, cancel)
	err := c.out.close(min(lastWords, s.opts.Stall))
	if err == nil && !errors.Is(readErr, io.ErrClosedPipe) {
		err = readErr
	}
	c.observed(time.Since(began), err)
	return err
}

// drain waits for the calls in flight for Options.Grace, cancels them, and then waits
// Options.WindDown for them to end.
func (c *conn) drain(ctx context.Context, cancel context.CancelFunc) {
	idle := make(chan struct{})
	go func() {
		c.calls.Wait()
		close(idle)
	}()
	grace := time.NewTimer(c.server.opts.Grace)
	defer grace.Stop()
	select {
	case <-idle:
		return
	case <-ctx.Done():
	case <-c.out.dead:
	case <-grace.C:
		c.server.opts.Logger.Warn("the grace period after the end of the input is over; cancelling the calls in flight")
	}
	cancel()
	end := time.NewTimer(c.server.opts.WindDown)
	defer end.Stop()
	select {
	case <-idle:
	case <-end.C:
		c.server.opts.Logger.Warn("cancelled calls have not ended")
	}
}

// errLineTooLong is a line above the limit; the reader has skipped it.
var errLineTooLong = errors.New("line too long")

// lineReader reads lines of at most limit bytes.
type lineReader struct {
	in    *bufio.Reader
	limit int
	long  []byte // a line that spans several reads
	first bool   // the first line has been read
}

func newLineReader(in io.Reader, limit int) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, 64<<10), limit: limit}
}

// next returns the next line without its newline, valid until the next call. The last line
// needs no newline. The error is errLineTooLong or the error that ended the input.
func (r *lineReader) next() ([]byte, error) {
	line, err := r.read()
	if !r.first {
		r.first = true
		line = bytes.TrimPrefix(line, []byte("\uFEFF"))
	}
	return bytes.TrimRight(line, "\r\n"), err
}

func (r *lineReader) read() ([]byte, error) {
	line, err := r.in.ReadSlice('\n')
	if err == nil {
		return r.within(line)
	}
	r.long = r.long[:0]
	if cap(r.long) > 1<<20 {
		r.long = nil // release the memory of a huge line
	}
	for {
		if len(r.long)+len(line) > r.limit+len("\r\n") {
			return nil, r.skip(err)
		}
		r.long = append(r.long, line...)
		switch {
		case err == nil:
			return r.within(r.long)
		case errors.Is(err, bufio.ErrBufferFull):
		case len(r.long) > 0:
			return r.within(r.long) // the next call returns err
		default:
			return nil, err
		}
		line, err = r.in.ReadSlice('\n')
	}
}

func (r *lineReader) within(line []byte) ([]byte, error) {
	if len(bytes.TrimRight(line, "\r\n")) > r.limit {
		return nil, errLineTooLong
	}
	return line, nil
}

// skip reads to the end of a line that is too long.
func (r *lineReader) skip(err error) error {
	r.long = nil
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.in.ReadSlice('\n')
	}
	return errLineTooLong // the next call returns the end of the input
}
