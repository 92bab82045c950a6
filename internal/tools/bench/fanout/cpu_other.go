//go:build !unix

package main

import "time"

// cpu is the processor time that this process has used; 0 where it is unknown.
func cpu() time.Duration { return 0 }
