package files

import (
	"os"
	"path/filepath"
)

// CheckWriters returns an error, which begins with a path, when another user than that of this
// process may change the file at path: it, its directory, or what it links to is writable for a
// group or for all users, or belongs to another user. Root may change every file and does not
// count. The error wraps fs.ErrNotExist when the directory is safe and the file is missing.
// Windows has no such permissions; there only a missing file is an error.
func CheckWriters(path string) error {
	if err := checkWriter(filepath.Dir(path)); err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	if dir := filepath.Dir(real); dir != filepath.Dir(path) {
		if err := checkWriter(dir); err != nil {
			return err
		}
	}
	return checkWriter(real)
}

func checkWriter(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return writtenByOthers(path, info)
}
