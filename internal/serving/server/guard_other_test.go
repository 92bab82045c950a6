//go:build !unix

package server

// guarded is a program for a test that other systems have.
func guarded() {}
