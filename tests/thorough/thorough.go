// Package thorough says how many cases a test tries whose cases are random, or more than each change needs: a few in
// go test, all of them with TOOLGRAPH_RANDOM (make random). It belongs to tests alone.
package thorough

import "os"

// Times is how often a test tries a random case: its first few, or all.
func Times(few, all int) int {
	if asked() {
		return all
	}
	return few
}

// Step is the distance between the cases that a test tries of an ordered list: n, or one.
func Step(n int) int { return Times(n, 1) }

func asked() bool { return os.Getenv("TOOLGRAPH_RANDOM") != "" }
