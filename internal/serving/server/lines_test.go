package server

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

var block = bytes.Repeat([]byte("x"), 64<<10)

// endless is a line without end that has n bytes.
type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), e.left)], block)
	e.left -= n
	return n, nil
}

func TestM04LineLimit(t *testing.T) {
	const limit = 200 << 10 // beyond the reader's own buffer
	for _, size := range []int{0, 1, limit - 1, limit, limit + 1, limit + 2, 3 * limit} {
		for _, end := range []string{"\n", "\r\n"} {
			r := newLineReader(strings.NewReader(strings.Repeat("x", size)+end+"next\nlast"), limit)
			line, err := r.next()
			if tooLong := size > limit; tooLong != errors.Is(err, errLineTooLong) || !tooLong && len(line) != size {
				t.Errorf("%d bytes and %q: got %d bytes, %v", size, end, len(line), err)
			}
			for _, want := range []string{"next", "last"} {
				if line, err := r.next(); err != nil || string(line) != want {
					t.Errorf("after %d bytes: got %q, %v", size, line, err)
				}
			}
			if _, err := r.next(); !errors.Is(err, io.EOF) {
				t.Errorf("at the end: %v", err)
			}
		}
	}
}

func TestM04EndlessLine(t *testing.T) {
	const limit = 1 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := newLineReader(&endless{1 << 30}, limit)
	if _, err := r.next(); !errors.Is(err, errLineTooLong) {
		t.Fatalf("got %v", err)
	}
	if _, err := r.next(); !errors.Is(err, io.EOF) {
		t.Fatalf("then %v", err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 16*limit {
		t.Errorf("a line of 1 GiB allocated %d bytes with a limit of %d", grown, limit)
	}
}

func TestM04OverTheWire(t *testing.T) {
	b := newBench(t, func(o *Options) { o.MaxLineBytes = 1000 })
	h := connect(t, b.server).handshake()
	h.send(`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 2000) + `"}`)
	h.want(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the line is longer than 1000 bytes"}}`)
	h.send(ping)
	h.want(pong)
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
}

func TestLinesInPieces(t *testing.T) {
	r := newLineReader(iotest.OneByteReader(strings.NewReader("a\n\nbc\r\nd")), 10)
	for _, want := range []string{"a", "", "bc", "d"} {
		if line, err := r.next(); err != nil || string(line) != want {
			t.Errorf("got %q, %v, want %q", line, err, want)
		}
	}
}
