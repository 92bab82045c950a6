package audit

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
)

// fragment is the beginning of a line that could not be written to its end.
type fragment struct {
	hash.Hash
	bytes int64
}

func (f *fragment) Write(p []byte) (int, error) {
	f.bytes += int64(len(p))
	return f.Hash.Write(p)
}

func newFragment(src []byte) *fragment {
	f := &fragment{Hash: sha256.New()}
	_, _ = f.Write(src) // a hash never fails to write
	return f
}

// asCut returns the fragment as a line has it; nil for none.
func (f *fragment) asCut() *Cut {
	if f == nil {
		return nil
	}
	return &Cut{Bytes: f.bytes, Digest: hex.EncodeToString(f.Sum(nil))}
}

// chain follows the lines of a log, one piece between line breaks after the other.
type chain struct {
	last  mark
	begun bool // last is known: the next line must follow it

	pending *fragment // what came after last and is no line; nil: nothing
	ended   bool      // a line break came after it
	broken  bool      // a line break is part of it
	why     error     // the first piece of it is no line
}

// next reads a piece; ended reports whether a line break follows it. Without a line and an error
// the piece is the beginning of a line that was not written to its end, if a later line says so.
// The error says what was found and what was expected.
func (c *chain) next(src []byte, ended bool) (*Line, error) {
	l, err := parse(src)
	if err != nil {
		c.add(src, ended, err)
		return nil, nil //nolint:nilnil // the next line decides
	}
	cut := c.pending.asCut()
	switch {
	case c.begun && (l.N != c.last.N+1 || l.Prev != c.last.Hash):
		if cut != nil {
			return nil, c.why
		}
		return nil, c.misplaced(l)
	case cut != nil && (l.Cut == nil || *l.Cut != *cut || c.changed() != nil):
		return nil, c.why
	case cut == nil && l.Cut != nil && c.begun:
		return nil, fmt.Errorf("found no incomplete line before this one, expected one of %d bytes: it was removed", l.Cut.Bytes)
	}
	c.last, c.begun, c.pending, c.broken = l.mark(), true, nil, false
	return l, nil
}

// misplaced returns the error of a line that does not follow the last one.
func (c *chain) misplaced(l *Line) error {
	what := "a line was inserted, moved or repeated"
	switch {
	case l.N == c.last.N+1:
		what = "this line or the one before it was replaced"
	case l.N > c.last.N+1:
		what = removed(l.N - c.last.N - 1)
	}
	return fmt.Errorf("found line %d of the log, which follows %s; expected line %d, which follows %s: %s",
		l.N, c.short(l.Prev), c.last.N+1, c.short(c.last.Hash), what)
}

func removed(lines int64) string {
	if lines == 1 {
		return "1 line was removed"
	}
	return fmt.Sprintf("%d lines were removed", lines)
}

// short returns the beginning of the hash of the line before.
func (c *chain) short(hash string) string {
	if hash == "" {
		return "no line"
	}
	return fmt.Sprintf("%.16s…", printable(hash))
}

func (c *chain) add(src []byte, ended bool, why error) {
	if c.pending == nil {
		c.pending, c.why = newFragment(src), why
	} else {
		if c.ended {
			c.broken = true
			_, _ = c.pending.Write([]byte{'\n'}) // a hash never fails to write
		}
		_, _ = c.pending.Write(src)
	}
	c.ended = ended
}

// changed returns why what comes after the last line cannot be the beginning of a line; nil when it
// can.
func (c *chain) changed() error {
	if c.pending == nil || errors.Is(c.why, errIncomplete) {
		return nil
	}
	return c.why
}

// foreign returns why the end of a file was not left by a process that died while it wrote a line;
// nil when it was, or when the file ends with a line. A line is written with the line break at its
// end, so what a process leaves of it has none.
func (c *chain) foreign() error {
	if c.pending != nil && (c.ended || c.broken) {
		return c.why
	}
	return c.changed()
}

// pieces calls each for every piece of a file between line breaks; number counts line breaks from
// 1. A piece that is too long for a line comes in several, of which the last may have a line break.
func pieces(r io.Reader, each func(number int, src []byte, ended bool) error) error {
	in := bufio.NewReaderSize(r, maxLine)
	for number := 1; ; {
		src, err := in.ReadSlice('\n')
		switch {
		case err == nil:
			src = src[:len(src)-1]
		case errors.Is(err, io.EOF) && len(src) == 0:
			return nil
		case !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
		if err := each(number, src, err == nil); err != nil {
			return err
		}
		if err == nil {
			number++
		}
	}
}
