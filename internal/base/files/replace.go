// Package files replaces files as a whole and locks them against other processes. Paths and
// bytes go in; it knows nothing of what the files hold. It owns gofrs/flock.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces the content of the file at path, or creates it with the permissions fresh.
// An existing file keeps its permissions. A symbolic link stays, and the file that it leads
// to is written when links allows it; a link to nothing and anything but a regular file are errors.
// Otherwise it does what Replace does.
func Write(path string, content []byte, fresh fs.FileMode, links Links) error {
	target, err := links.target(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Replace(target, content, fresh)
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file and cannot be replaced; name a file", path)
	}
	return Replace(target, content, info.Mode().Perm())
}

// Replace puts a file with this content and exactly these permissions in the place of
// whatever is at path, a symbolic link included. A reader sees the old file or the new one,
// never a part; after an error the old one is unchanged. The content is flushed to the disk first.
func Replace(path string, content []byte, mode fs.FileMode) error {
	Changing("create", path)
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails after the rename, as it should
	Changing("write", path)
	_, err = tmp.Write(content)
	if err == nil {
		err = tmp.Chmod(mode)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	Changing("rename", path)
	return os.Rename(tmp.Name(), path)
}

// Remove removes a file.
func Remove(path string) error {
	Changing("remove", path)
	return os.Remove(path)
}
