package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile gives a file new content as a whole: a reader sees the old or the new, and a
// write that fails leaves the old. A symbolic link stays one and a file keeps its mode; one
// that is not there yet gets the mode fresh.
func WriteFile(path string, content []byte, fresh fs.FileMode) error {
	target, mode, err := targetOf(path, fresh)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*")
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
	return os.Rename(tmp.Name(), target)
}

// targetOf is the file that a path leads to, and the mode that it is to have.
func targetOf(path string, fresh fs.FileMode) (target string, mode fs.FileMode, err error) {
	if target, err = filepath.EvalSymlinks(path); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return "", 0, fmt.Errorf("%s is a symbolic link that leads nowhere; remove it, or make what it leads to", path)
		}
		return path, fresh, nil
	}
	if err != nil {
		return "", 0, err
	}
	info, err := os.Stat(target)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file, expected one that can be replaced", path)
	}
	if err != nil {
		return "", 0, err
	}
	return target, info.Mode().Perm(), nil
}
