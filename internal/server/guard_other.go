//go:build !unix

package server

import "os"

// GuardStdout takes standard output for the protocol alone: it returns a file on
// it, and from then on os.Stdout leads to standard error. Call it once, first thing.
func GuardStdout() (*os.File, error) {
	private := os.Stdout
	os.Stdout = os.Stderr
	return private, nil
}
