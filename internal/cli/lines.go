package cli

import (
	"bufio"
	"context"
	"io"

	"toolgraph/internal/program"
)

// lineReader reads standard input by lines, one when it is wanted, for one caller at a time. A
// read that blocks cannot be interrupted: the line of a caller that gave up goes to the next one,
// and the goroutine of the last one stays until the process ends.
type lineReader struct {
	scanner *bufio.Scanner
	turn    chan struct{} // has one element while a line is wanted
	pending chan string   // of the line that is being read; nil: none is
	ended   bool          // nothing is being read any more
}

func newLineReader(in io.Reader) *lineReader {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, program.MaxArguments)
	return &lineReader{scanner: scanner, turn: make(chan struct{}, 1)}
}

// line returns the next line; the error is io.EOF at the end of the input, or the cause of ctx.
func (l *lineReader) line(ctx context.Context) (string, error) {
	if err := l.begin(ctx); err != nil {
		return "", err
	}
	defer l.end()
	if l.pending == nil {
		pending := make(chan string, 1)
		l.pending = pending
		go func() {
			defer close(pending)
			if l.scanner.Scan() {
				pending <- l.scanner.Text()
			}
		}()
	}
	select {
	case line, open := <-l.pending:
		if !open {
			l.ended = true
			return "", io.EOF
		}
		l.pending = nil
		return line, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// edited returns a line that edit reads from the same input. It is false when a line is being
// read already: both would get parts of what is typed.
func (l *lineReader) edited(ctx context.Context, edit func() (string, error)) (line string, err error, can bool) {
	if err := l.begin(ctx); err != nil {
		return "", err, true
	}
	if l.pending != nil && !l.ended {
		l.end()
		return "", nil, false
	}
	type result struct {
		line string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		defer l.end()
		line, err := edit()
		done <- result{line, err}
	}()
	select {
	case r := <-done:
		return r.line, r.err, true
	case <-ctx.Done():
		return "", context.Cause(ctx), true
	}
}

func (l *lineReader) begin(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (l *lineReader) end() { <-l.turn }
