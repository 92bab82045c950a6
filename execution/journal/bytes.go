package journal

import "encoding/binary"

// ByteReader reads what chunks and packs are made of, one part after the other. After the first part that is broken it returns
// zeros.
type ByteReader struct {
	rest   []byte
	broken bool // a part ends too early, or has a number that is too large
}

// NewByteReader returns a reader of the bytes.
func NewByteReader(all []byte) ByteReader { return ByteReader{rest: all} }

// Len returns how many bytes are left.
func (r *ByteReader) Len() int { return len(r.rest) }

// IsBroken reports whether a part was broken.
func (r *ByteReader) IsBroken() bool { return r.broken }

// AppendBytes appends a text as ByteReader.Bytes reads it.
func AppendBytes[T ~string | []byte](dst []byte, b T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

func (r *ByteReader) byte() byte {
	if len(r.rest) == 0 {
		r.broken = true
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

// Number returns an unsigned varint.
func (r *ByteReader) Number() int {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > mostNumber {
		r.broken = true
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

// Bytes returns a text with its length before it.
func (r *ByteReader) Bytes() []byte { return r.Take(r.Number()) }

// Take returns the next n bytes, which point into those that are read.
func (r *ByteReader) Take(n int) []byte {
	if n > len(r.rest) {
		r.broken = true
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}
