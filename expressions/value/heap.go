package value

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// lookEvery is the time between two checks of the heap.
const lookEvery = 2 * time.Millisecond

// heapWatch compares the heap with what it was when the work began. The heap is the process's:
// growth beyond the limit counts only when a collection confirms it, so that garbage of other
// goroutines does not end the work.
type heapWatch struct {
	next  time.Duration
	floor uint64 // bytes of heap when the work began
}

func (w *heapWatch) start(now time.Duration) {
	w.next = now + lookEvery
	w.floor = 0
}

func (w *heapWatch) due(now time.Duration) bool { return now > w.next }

func (w *heapWatch) exceeds(now time.Duration, most uint64) bool {
	w.next = now + lookEvery
	heap := heapBytes(heapObjects)
	if w.floor == 0 {
		// The work is some milliseconds old and may have grown already; the live bytes of the
		// last collection are nearer to the heap at its start.
		w.floor = heapBytes("/gc/heap/live:bytes")
	}
	w.floor = min(w.floor, heap)
	return heap-w.floor > most && heapCollected(w.floor+most) > w.floor+most
}

const heapObjects = "/memory/classes/heap/objects:bytes"

func heapBytes(metric string) uint64 {
	sample := []metrics.Sample{{Name: metric}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}

// collecting is held during a forced collection, of which one is enough.
var collecting sync.Mutex

// heapCollected is the heap after a collection, unless another one has brought it below the limit
// already.
func heapCollected(limit uint64) uint64 {
	collecting.Lock()
	defer collecting.Unlock()
	if heap := heapBytes(heapObjects); heap <= limit {
		return heap
	}
	runtime.GC()
	return heapBytes(heapObjects)
}
