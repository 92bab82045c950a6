//go:build !linux

package runtime

// releaseProgram does nothing where the system does it.
func releaseProgram() {}
