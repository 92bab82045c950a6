//go:build !linux

package temporal

import "os/exec"

// endWithTest does nothing: where there is no such signal, a test binary that is killed leaves processes
// behind.
func endWithTest(*exec.Cmd) {}
