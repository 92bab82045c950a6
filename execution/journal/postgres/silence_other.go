//go:build !linux

package postgres

import "syscall"

// boundSilence does nothing: how long silence may last is a setting of the system.
func boundSilence(string, string, syscall.RawConn) error { return nil }
