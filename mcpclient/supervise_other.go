//go:build !unix

package mcpclient

import "os"

// endGroups ends the processes; their descendants see the end of their input.
func endGroups(groups []int) {
	for _, pid := range groups {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // already gone when this fails
		}
	}
}
