package lsp

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
)

// A check makes several times the memory that stays in use, and each collection of it marks all of that. So a process
// that does nothing else waits longer for the next one: until there is spareMemory of garbage, or mostGC percent of
// what is in use, but never less than what Go waits for by itself.
const (
	spareMemory = 32 << 20
	mostGC      = 400
	usualGC     = 100
)

// gcPercent returns the value of GOGC for a number of bytes that are in use.
func gcPercent(live uint64) int {
	return int(min(max(spareMemory*100/max(live, 1), usualGC), mostGC))
}

// tuneGC sets GOGC by what the last collection has left. GOGC in the environment wins.
func tuneGC() {
	if os.Getenv("GOGC") != "" {
		return
	}
	is := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/gogc:percent"}}
	metrics.Read(is)
	now, was := gcPercent(is[0].Value.Uint64()), int(min(is[1].Value.Uint64(), 10*mostGC)) // the start of the process sets it, too
	if max(now-was, was-now) > usualGC/10 {                                                // to set it waits for a collection that is under way
		debug.SetGCPercent(now)
	}
}
