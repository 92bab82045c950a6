package lock

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"toolgraph/config"
)

// Write gives the file the lock as its content, as a whole: a reader sees the old or
// the new. A symbolic link stays one and a file keeps its mode; a new one can be read
// by all, since it is committed and has no secrets. A file that has the content already
// is not touched.
func (l *Lock) Write(path string) error {
	content := l.Encode()
	if _, err := config.ParseData(path, content); err != nil {
		return fmt.Errorf("the lock cannot be kept in one file, because it could not be read again: %w; split the graph file", err)
	}
	mode := fs.FileMode(0o644)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	switch info, err := os.Stat(path); {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file, expected a lock or nothing", path)
	case err == nil:
		mode = info.Mode().Perm()
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
			return nil
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails once it is renamed, as it should
	_, err = tmp.Write(content)
	if err == nil {
		err = tmp.Chmod(mode)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
