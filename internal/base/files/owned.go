package files

import (
	"fmt"
	"os"
)

// CheckReplace returns an error, which begins with the path, when the file at path should not be
// replaced by another one: it is read-only, it belongs to another user, who would lose it, or it has
// further names (hard links), which would keep the old content. It follows symbolic links. On
// Windows only a read-only file is an error.
func CheckReplace(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o200 == 0 {
		return fmt.Errorf("%s is read-only; make it writable first", path)
	}
	return checkOwned(path, info)
}
