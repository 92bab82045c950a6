package postgres

import "syscall"

// userTimeout is TCP_USER_TIMEOUT, which package syscall does not have.
const userTimeout = 0x12

// boundSilence makes a connection fail when what was sent is not acknowledged. Without it a lost
// network is noticed after a quarter of an hour.
func boundSilence(network, _ string, c syscall.RawConn) error {
	if network == "unix" {
		return nil
	}
	return c.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, userTimeout, int(statementMost.Milliseconds())) // without it the system's
	})
}
