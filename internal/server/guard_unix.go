//go:build unix

package server

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// GuardStdout takes standard output for the protocol alone: it returns a file on
// what descriptor 1 was, and from then on descriptor 1 and os.Stdout lead to
// standard error, so that nothing in the process can print into the protocol. The
// returned file is not inherited by child processes. Writing to a client that has
// gone is then an error (EPIPE) and no longer a signal that ends the process.
//
// It changes the whole process: call it once, first thing.
func GuardStdout() (*os.File, error) {
	private, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("keeping standard output for the protocol: %w", err)
	}
	if err := unix.Dup2(2, 1); err != nil {
		_ = unix.Close(private)
		return nil, fmt.Errorf("leading stray output to standard error: %w", err)
	}
	os.Stdout = os.Stderr
	return os.NewFile(uintptr(private), "stdout"), nil
}
