//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpu is the processor time that this process has used; 0 where it is unknown.
func cpu() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
