package mcpclient

import (
	"runtime"
	"runtime/metrics"
)

// roomTimes bounds the heap that is collected for a line, in lengths of the line: the collection may take as long as
// reading the line, not longer.
const roomTimes = 4

// makeRoom collects garbage before memory for a long line is allocated, if there may be as much garbage as the line is long: usually
// the last message of that length. Without it the process has up to three such messages in memory, where one would do. A
// process with much other memory is left to the collections that the runtime begins.
func makeRoom(length int) {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(samples)
	if wantsRoom(length, samples[0].Value.Uint64(), samples[1].Value.Uint64()) {
		runtime.GC()
	}
}

// wantsRoom decides by the bytes of the heap, and by those of it that the last collection left.
func wantsRoom(length int, heap, live uint64) bool {
	n := uint64(length)
	return heap >= n && heap <= roomTimes*n && live <= roomTimes*n
}
