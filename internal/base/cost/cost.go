// Package cost counts the allocations of code under test, so that no test has to measure
// time: on a busy machine every test is slower, but none allocates more. It is for tests
// alone and imports no other package of the module. Its functions must not be called by
// several goroutines, since the runtime counts for the whole process.
package cost

import (
	"runtime"
	"testing"
)

// Cost is the memory that a function allocated, whether or not it was freed since.
type Cost struct{ Bytes, Objects uint64 }

// Of runs f and returns its cost. The runtime counts for the whole process, so a test
// that calls it must not run in parallel with others.
func Of(f func()) Cost {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return Cost{Bytes: after.TotalAlloc - before.TotalAlloc, Objects: after.Mallocs - before.Mallocs}
}

// tries is how often work that seems to cost too much is measured. What else runs in the process, and
// a garbage collection that empties pools meanwhile, add to a cost and never take from it, so the
// smallest of several is the nearest to the truth.
const tries = 5

// Below fails the test when f allocates more than limit bytes each time. It calls f again only when
// that was so.
func Below(t testing.TB, limit uint64, f func()) {
	t.Helper()
	used := Of(f).Bytes
	for try := 1; used > limit && try < tries; try++ {
		used = min(used, Of(f).Bytes)
	}
	if used > limit {
		t.Errorf("allocated %d bytes, want at most %d", used, limit)
	}
}

// growth is the factor by which twice the input may cost more: between the 2 of linear and
// the 4 of quadratic work, with room for tables that double.
const growth = 2.7

// Linear fails the test when work on an input of 2n costs more than about twice as much as
// on one of n. The function that prepare returns for a size does the work; prepare itself
// is not counted. Work that allocates no memory needs a counter of its own.
func Linear(t testing.TB, n int, prepare func(n int) (work func())) {
	t.Helper()
	once := prepare(n)
	once() // fills caches of the whole process
	small, large := Of(once), Of(prepare(2*n))
	grown := func() bool {
		return float64(large.Bytes) > growth*float64(small.Bytes) || float64(large.Objects) > growth*float64(small.Objects)
	}
	for try := 1; grown() && try < tries; try++ {
		again := Of(prepare(2 * n))
		large = Cost{Bytes: min(large.Bytes, again.Bytes), Objects: min(large.Objects, again.Objects)}
	}
	if grown() {
		t.Errorf("an input of %d costs %d bytes in %d objects, one of %d costs %d bytes in %d objects",
			n, small.Bytes, small.Objects, 2*n, large.Bytes, large.Objects)
	}
}
