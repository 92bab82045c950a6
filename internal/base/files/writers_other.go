//go:build !unix

package files

import "io/fs"

// writtenByOthers knows of no permissions here.
func writtenByOthers(string, fs.FileInfo) error { return nil }
