package server

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

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
