package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// prepareFile makes the directory and the file, for our user alone, and refuses what
// others could have put there.
func (s *Store) prepareFile(create bool) error {
	err := s.checkPrivate(s.dir, fs.ModeDir)
	if errors.Is(err, fs.ErrNotExist) && create {
		err = os.MkdirAll(s.dir, 0o700)
	}
	if err == nil {
		err = s.checkPrivate(s.Path(), 0)
	}
	if err == nil {
		err = s.checkOthers()
	}
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case !create:
		return errNoStore
	}
	f, err := os.OpenFile(s.Path(), os.O_RDWR|os.O_CREATE|noFollow, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// checkOthers does the same for what is beside the database.
func (s *Store) checkOthers() error {
	for path, kind := range map[string]fs.FileMode{s.Path() + "-wal": 0, s.Path() + "-shm": 0, leaseDir(s.dir): fs.ModeDir} {
		if err := s.checkPrivate(path, kind); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// checkPrivate refuses a path that is of another kind, of another user, or that others may
// change. Others may not read it either: if they can, its mode is mended.
func (s *Store) checkPrivate(path string, kind fs.FileMode) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	expected := "a file"
	if kind == fs.ModeDir {
		expected = "a directory"
		if info.Mode().Type() == fs.ModeSymlink { // a link to a directory is the user's choice
			if info, err = os.Stat(path); err != nil {
				return err
			}
		}
	}
	owner, isKnown := ownerOf(info)
	switch {
	case info.Mode().Type() != kind:
		return fmt.Errorf("%s is %s, expected %s for kept runs; name another place with --state", path, describe(info.Mode()), expected)
	case isKnown && owner != s.user:
		return fmt.Errorf("%s belongs to user %d, and this process is user %d: that user could read and change the runs kept there; "+
			"name another place with --state", path, owner, s.user)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s has mode %04o and others could change the runs kept there; run: chmod go-w %s", path, info.Mode().Perm(), path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 && (path != s.dir || s.isDedicated()):
		_ = os.Chmod(path, info.Mode().Perm()&^0o077) // on a disk that is read-only it stays; State says so
	}
	return nil
}

// isDedicated reports whether the directory holds nothing but what is ours. The mode of
// any other is its user's business.
func (s *Store) isDedicated() bool {
	all, err := os.ReadDir(s.dir)
	return err == nil && len(all) > 0 && !slices.ContainsFunc(all, func(e fs.DirEntry) bool {
		return !slices.Contains([]string{"history.db", "history.db-wal", "history.db-shm", filepath.Base(leaseDir(s.dir)), reserveName}, e.Name())
	})
}

func describe(mode fs.FileMode) string {
	switch mode.Type() {
	case 0:
		return "a file"
	case fs.ModeDir:
		return "a directory"
	case fs.ModeSymlink:
		return "a link"
	}
	return "no file"
}
