//go:build !unix

package tests

import "testing"

// ended cannot find out here whether a process lives.
func ended(*testing.T, string) {}
