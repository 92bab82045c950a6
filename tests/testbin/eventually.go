package testbin

import "time"

// Eventually waits until something holds, at most for patience, and reports whether it does. It looks less often the longer
// it waits: looking can take a process.
func Eventually(patience time.Duration, holds func() bool) bool {
	for begun := time.Now(); !holds(); {
		waited := time.Since(begun)
		if waited > patience {
			return false
		}
		time.Sleep(min(max(waited/8, 5*time.Millisecond), 100*time.Millisecond))
	}
	return true
}
