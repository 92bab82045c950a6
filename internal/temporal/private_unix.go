//go:build !windows

package temporal

import "io/fs"

// othersMayRead reports whether other users than the owner may read a file.
func othersMayRead(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }
