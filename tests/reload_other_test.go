//go:build !unix

package tests

import "testing"

// ended cannot tell here whether a process lives.
func ended(*testing.T, string) {}
