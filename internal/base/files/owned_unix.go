//go:build unix

package files

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

func checkOwned(path string, info fs.FileInfo) error {
	stat, known := info.Sys().(*syscall.Stat_t)
	switch {
	case !known:
		return nil
	case int(stat.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to another user (uid %d); run the command as that user", path, stat.Uid)
	case stat.Nlink > 1:
		return fmt.Errorf("%s has %d names (hard links), of which only one would change; make it a file of its own", path, stat.Nlink)
	}
	return nil
}
