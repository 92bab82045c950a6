package runtime

import (
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// startTime is how long a process takes to start, at most.
const startTime = 300 * time.Millisecond

// These are values of GOGC. During the start a collection would take a fifth of the time until the first answer.
// A process that serves trades speed for memory, because hosts keep servers running: with 512 calls in
// flight, 5 % fewer calls a second for 5 % less memory.
const (
	startGC  = 200
	normalGC = 100
	serveGC  = 75
)

// serves is set by commands that serve.
var serves atomic.Bool

// BeginStart begins the start of the process.
func BeginStart() {
	setGC(startGC)
	time.AfterFunc(startTime, func() {
		if !serves.Load() {
			setGC(normalGC)
		}
	})
}

// saveMemory makes the process use less memory from its first call on, or some time after its start.
func saveMemory() {
	serves.Store(true)
	time.AfterFunc(startTime, started)
}

// started ends the start of a process that serves.
var started = sync.OnceFunc(func() {
	setGC(serveGC)
	go releaseProgram() // some milliseconds, which no call waits for
})

// setGC sets the percentage of new memory at which a collection begins; GOGC in the environment wins.
func setGC(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
