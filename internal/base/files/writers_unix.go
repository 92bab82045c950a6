//go:build unix

package files

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// writtenByOthers returns an error when another user than this one and root may write a file.
func writtenByOthers(path string, info fs.FileInfo) error {
	if owner, known := info.Sys().(*syscall.Stat_t); known && owner.Uid != 0 && int(owner.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user (uid %d)", path, owner.Uid)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s can be written by other users (mode %04o); run: chmod go-w %[1]s", path, info.Mode().Perm())
	}
	return nil
}
