//go:build unix

package server

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// GuardStdout reserves standard output for the protocol: it returns a file for descriptor 1,
// and redirects descriptor 1 and os.Stdout to standard error, so that no other code of the
// process can print into the protocol. Child processes do not inherit the file. Writing to a
// client that has gone is then an error (EPIPE), not a signal that ends the process.
//
// It changes the whole process: call it once, before anything else.
func GuardStdout() (*os.File, error) {
	private, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("reserving standard output for the protocol: %w", err)
	}
	if err := unix.Dup2(2, 1); err != nil {
		_ = unix.Close(private)
		return nil, fmt.Errorf("redirecting other output to standard error: %w", err)
	}
	os.Stdout = os.Stderr
	return os.NewFile(uintptr(private), "stdout"), nil
}
