package server

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"time"
)

// How long a connection that ends waits: for calls that have been cancelled, and
// for a client that has stopped reading (counted from the last byte it took).
const (
	windDown   = 2 * time.Second
	lastWords  = 3 * time.Second
	outboxSize = 16 << 20
)

// ServeStdio serves one client, one message a line, until in ends or ctx does; both
// are regular ends and give nil. At the end of in, calls in flight go on for up to
// Options.Grace and are answered; when ctx ends they are cancelled, with its cause. The error is a
// failure to read or write, among them a client that has stopped reading.
//
// When ctx ends, a Read of in that is under way cannot be interrupted; its
// goroutine ends with it and handles nothing more.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	connCtx, cancelCause := context.WithCancelCause(ctx)
	cancel := func() { cancelCause(context.Cause(ctx)) }
	defer cancel()
	c := &conn{
		server: s, ctx: connCtx, in: newLineReader(in, s.opts.MaxLineBytes),
		out: newOutbox(out, outboxSize, s.opts.Stall), flights: map[string]*flight{},
		gone: make(chan struct{}),
	}
	s.add(c)
	defer s.remove(c)
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
	if err := c.out.close(min(lastWords, s.opts.Stall)); err != nil {
		return err
	}
	if readErr != nil && !errors.Is(readErr, io.ErrClosedPipe) {
		return readErr
	}
	return nil
}

// drain waits for the calls in flight: as long as the grace allows, and then a
// little for them to notice that they are cancelled.
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
		c.server.opts.Logger.Warn("calls are cancelled: the input has ended and they have not")
	}
	cancel()
	end := time.NewTimer(c.server.opts.WindDown)
	defer end.Stop()
	select {
	case <-idle:
	case <-end.C:
		c.server.opts.Logger.Warn("calls have not ended although they were cancelled")
	}
}

// errLineTooLong is a line beyond the limit; the reader has skipped to its end.
var errLineTooLong = errors.New("line too long")

// lineReader reads lines and holds at most limit bytes of one.
type lineReader struct {
	in    *bufio.Reader
	limit int
	long  []byte // a line that spans several reads
	first bool   // the first line has been read
}

func newLineReader(in io.Reader, limit int) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, 64<<10), limit: limit}
}

// next is the next line without its end, valid until the next call. The last line
// needs no newline. The error is errLineTooLong, or what ended the input, io.EOF.
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
		r.long = nil // one huge line must not stay in memory
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
			return r.within(r.long) // the next call tells err
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

// skip reads to the end of a line whose beginning is dropped.
func (r *lineReader) skip(err error) error {
	r.long = nil
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.in.ReadSlice('\n')
	}
	return errLineTooLong // an end of the input comes again at the next call
}
