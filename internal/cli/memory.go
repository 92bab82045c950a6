package cli

import (
	"os"
	"runtime/debug"
	"sync"
	"time"
)

// startTime is how long a process that serves takes to start, at most.
const startTime = 300 * time.Millisecond

// saveMemory trades speed for memory, because hosts keep servers running: with 512 calls in flight, 5 %
// fewer calls a second for 5 % less memory. The start is an exception: a collection would take a fifth of
// it. GOGC in the environment wins.
func saveMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
	time.AfterFunc(startTime, started)
}

// started ends the start of a process that serves: with its first call, or some time after it.
var started = sync.OnceFunc(func() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(75)
	}
	go releaseProgram() // some milliseconds, which no call waits for
})
