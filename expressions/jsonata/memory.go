package jsonata

import (
	"errors"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

const (
	// maxGrowth is the number of bytes by which the live heap may grow during one evaluation.
	maxGrowth = 256 << 20
	// lookEvery is the time between two checks of the heap.
	lookEvery = 2 * time.Millisecond
)

var errMemory = errors.New("memory budget used up")

// memoryWatch compares the heap with what it was when the evaluation began. The
// heap is the process's: growth beyond the limit counts only when a collection confirms
// it, so that garbage of other goroutines does not end the evaluation.
type memoryWatch struct {
	next  time.Time
	floor uint64 // bytes of heap when the evaluation began
}

func (w *memoryWatch) start(now time.Time) {
	w.next = now.Add(lookEvery)
	w.floor = 0
}

func (w *memoryWatch) due(now time.Time) bool { return now.After(w.next) }

func (w *memoryWatch) look(now time.Time) error {
	w.next = now.Add(lookEvery)
	heap := heapBytes("/memory/classes/heap/objects:bytes")
	if w.floor == 0 {
		// The evaluation is some milliseconds old and may have grown already; the live
		// bytes of the last collection are nearer to the heap at its start.
		w.floor = heapBytes("/gc/heap/live:bytes")
	}
	w.floor = min(w.floor, heap)
	if heap-w.floor <= maxGrowth {
		return nil
	}
	if heap = heapCollected(w.floor + maxGrowth); heap > w.floor+maxGrowth {
		return errMemory
	}
	return nil
}

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

// heapCollected is the heap after a collection, unless another one has brought it
// below the limit already.
func heapCollected(limit uint64) uint64 {
	collecting.Lock()
	defer collecting.Unlock()
	const objects = "/memory/classes/heap/objects:bytes"
	if heap := heapBytes(objects); heap <= limit {
		return heap
	}
	runtime.GC()
	return heapBytes(objects)
}
