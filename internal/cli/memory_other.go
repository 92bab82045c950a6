//go:build !linux

package cli

// releaseProgram does nothing where the system does it.
func releaseProgram() {}
