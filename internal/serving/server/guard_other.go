//go:build !unix

package server

import "os"

// GuardStdout reserves standard output for the protocol: it returns a file for it, and
// redirects os.Stdout to standard error. Call it once, before anything else.
func GuardStdout() (*os.File, error) {
	private := os.Stdout
	os.Stdout = os.Stderr
	return private, nil
}
