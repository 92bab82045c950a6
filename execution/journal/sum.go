package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"sync"
)

// Checksums find values that the disk, or another program, has changed. They are CRC-32C: they
// find errors, not forgeries. Each frame has one, over all frames of its chunk up to it and the
// place of the chunk; a value with a row of its own has one, and so have the constant columns of
// the row of a run. Rows of the first versions have none. The table is made at first use: it
// takes 0.2 ms.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

const sumSize = 4 // bytes

// errSum is the error of data that does not match its checksum.
var errSum = errors.New("it does not match its checksum")

// texts have the memory for texts that are only summed.
var texts = sync.Pool{New: func() any { return new([]byte) }}

// checksum returns the checksum of a text.
func checksum(appendTo func([]byte) []byte) uint32 {
	text := texts.Get().(*[]byte)
	defer texts.Put(text)
	*text = appendTo((*text)[:0])
	return crc32.Checksum(*text, castagnoli())
}

// chunkSum returns the checksum before the first frame of a chunk.
func chunkSum(run string, first, before int) uint32 {
	return checksum(func(text []byte) []byte {
		text = strconv.AppendInt(text, int64(first), 10)
		text = strconv.AppendInt(append(text, ' '), int64(before), 10)
		return append(append(text, ' '), run...)
	})
}

// rowPart adds what the row of a run has instead of the frame of its beginning to a checksum.
func rowPart(sum uint32, tool, graph string) uint32 {
	text := texts.Get().(*[]byte)
	defer texts.Put(text)
	*text = append(append((*text)[:0], tool...), graph...)
	return crc32.Update(sum, castagnoli(), *text)
}

// appendSum appends the checksum of a frame to those of the frames before it.
func appendSum(sums []byte, start uint32, frame []byte) []byte {
	if n := len(sums); n > 0 {
		start = binary.BigEndian.Uint32(sums[n-sumSize:])
	}
	return binary.BigEndian.AppendUint32(sums, crc32.Update(start, castagnoli(), frame))
}

// sumOf returns the checksum of a frame that is a chunk of its own.
func sumOf(run string, first, before int, frame []byte) []byte {
	return appendSum(nil, chunkSum(run, first, before), frame)
}

// spillSum returns the checksum of a value with a row of its own.
func spillSum(run string, id int, packed []byte) int64 {
	return int64(crc32.Update(crc32.Checksum(fmt.Appendf(nil, "%d %s", id, run), castagnoli()), castagnoli(), packed))
}

// rowSum returns the checksum of the constant columns in the row of a run.
func rowSum(id, tool, file, server, graph, args string, started int64, durable bool) int64 {
	return int64(checksum(func(text []byte) []byte {
		for _, column := range [...]string{id, tool, file, server, graph, args} {
			text = append(appendQuoted(text, column), ' ')
		}
		text = strconv.AppendInt(text, started, 10)
		return strconv.AppendBool(append(text, ' '), durable)
	}))
}

// appendQuoted is strconv.AppendQuote, which is slow for texts that need no escapes.
func appendQuoted(dst []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return strconv.AppendQuote(dst, text)
		}
	}
	return append(append(append(dst, '"'), text...), '"')
}

// Checksum returns the checksum of the constant columns of a row.
func (r *Row) Checksum() int64 {
	return rowSum(r.ID, r.Tool, r.File, r.Server, r.Graph, r.Args, r.Started, r.Durable)
}

// sums checks frames as they are read.
type sums struct {
	rest []byte
	last uint32
}

// next checks the next frame.
func (s *sums) next(frame []byte) error {
	s.last = crc32.Update(s.last, castagnoli(), frame)
	if len(s.rest) < sumSize || binary.BigEndian.Uint32(s.rest) != s.last {
		return errSum
	}
	s.rest = s.rest[sumSize:]
	return nil
}
