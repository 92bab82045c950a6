package server

import (
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
