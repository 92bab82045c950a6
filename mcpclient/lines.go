package mcpclient

import (
	"bufio"
	"errors"
	"io"
	"slices"
)

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
