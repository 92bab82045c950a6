//go:build !linux && !darwin

package sqlite

import "os"

// Elsewhere files are written by calls of the system: not each of these shows at once to readers of a file what is in its memory.

func mapBlock(*os.File, int64) []byte { return nil }

func unmap([]byte) {}

func hasName(*os.File) bool { return false }
