//go:build unix

package mcpclient

import (
	"syscall"
	"time"
)

// How long groups get whose owner died. Their stdin has ended with it, so that most
// are gone within the first.
const (
	orphanEOFGrace  = 200 * time.Millisecond
	orphanTermGrace = 400 * time.Millisecond
)

// endGroups waits a moment, then sends SIGTERM, then SIGKILL.
func endGroups(groups []int) {
	if groups = untilGone(groups, orphanEOFGrace); len(groups) == 0 {
		return
	}
	for _, g := range groups {
		_ = syscall.Kill(-g, syscall.SIGTERM) // an empty group is what we want
	}
	for _, g := range untilGone(groups, orphanTermGrace) {
		_ = syscall.Kill(-g, syscall.SIGKILL)
	}
}

// untilGone returns the groups that still live after d.
func untilGone(groups []int, d time.Duration) []int {
	for deadline := time.Now().Add(d); ; time.Sleep(10 * time.Millisecond) {
		var alive []int
		for _, g := range groups {
			if syscall.Kill(-g, 0) == nil {
				alive = append(alive, g)
			}
		}
		if groups = alive; len(groups) == 0 || !time.Now().Before(deadline) {
			return groups
		}
	}
}
