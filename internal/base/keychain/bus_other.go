//go:build !linux

package keychain

// reachable leaves the question to the system.
func reachable() error { return nil }
