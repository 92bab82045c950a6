package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// What is stored has checksums, so that a value which the disk, or anything else, has
// changed is not taken for the value that a run had. They are CRC-32C: they find mistakes,
// not forgeries. Each frame has one, over all frames of its chunk up to it and the place of
// the chunk; a value that has a row of its own has one, and so has what does not change
// in the row of a run. Rows of the first versions have none.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const sumSize = 4 // bytes

// errSum is something that is not as it was stored.
var errSum = errors.New("it does not match its checksum")

// DamagedError is a run that is not in the store as it was recorded.
type DamagedError struct {
	Run   string
	Place string // "event 3", "its row"
	Err   error
}

// Error names the place and the remedy.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("run %s is damaged: %s; nothing of it can be relied on: delete it with toolgraph runs rm %s", e.Run, e.why(), e.Run)
}

func (e *DamagedError) why() string {
	if e.Place == "" {
		return e.Err.Error()
	}
	return e.Place + ": " + e.Err.Error()
}

func (e *DamagedError) Unwrap() error { return e.Err }

// chunkSum is the checksum before the first frame of a chunk.
func chunkSum(run string, first, before int) uint32 {
	return crc32.Checksum(fmt.Appendf(nil, "%d %d %s", first, before, run), castagnoli)
}

// appendSum appends the checksum of a frame to those of the frames before it.
func appendSum(sums []byte, start uint32, frame []byte) []byte {
	if n := len(sums); n > 0 {
		start = binary.BigEndian.Uint32(sums[n-sumSize:])
	}
	return binary.BigEndian.AppendUint32(sums, crc32.Update(start, castagnoli, frame))
}

// sumOf is the checksum of a frame that is a chunk of its own.
func sumOf(run string, first, before int, frame []byte) []byte {
	return appendSum(nil, chunkSum(run, first, before), frame)
}

// spillSum is the checksum of a value that has a row of its own.
func spillSum(run string, id int, packed []byte) int64 {
	return int64(crc32.Update(crc32.Checksum(fmt.Appendf(nil, "%d %s", id, run), castagnoli), castagnoli, packed))
}

// rowSum is the checksum of what does not change in the row of a run.
func rowSum(id, tool, file, server, graph, args string, started int64, durable bool) int64 {
	return int64(crc32.Checksum(fmt.Appendf(nil, "%q %q %q %q %q %q %d %t", id, tool, file, server, graph, args, started, durable), castagnoli))
}

// sums checks frames as they are read.
type sums struct {
	rest []byte
	last uint32
}

// next checks the next frame.
func (s *sums) next(frame []byte) error {
	s.last = crc32.Update(s.last, castagnoli, frame)
	if len(s.rest) < sumSize || binary.BigEndian.Uint32(s.rest) != s.last {
		return errSum
	}
	s.rest = s.rest[sumSize:]
	return nil
}
