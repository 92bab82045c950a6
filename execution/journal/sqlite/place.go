package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"toolgraph/execution/journal"
	"toolgraph/internal/base/files"
)

// creating is held while a store looks for its file and creates it. SQLite's locks belong to the process, and the
// system releases them when any descriptor of the file is closed: no other store may have opened it by then.
var creating sync.Mutex

// prepareFile creates the directory and the file, for this user alone, and refuses files of other
// users.
func (s *Database) prepareFile(create bool) error {
	creating.Lock()
	defer creating.Unlock()
	err := s.checkPrivate(s.dir, fs.ModeDir)
	if errors.Is(err, fs.ErrNotExist) && create {
		err = os.MkdirAll(s.dir, 0o700)
	}
	if err == nil {
		err = s.checkPrivate(s.Place(), 0)
	}
	if err == nil {
		err = s.checkOthers()
	}
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case !create:
		return journal.ErrNoStore
	}
	f, err := os.OpenFile(s.Place(), os.O_RDWR|os.O_CREATE|os.O_EXCL|files.NoFollow, 0o600)
	if errors.Is(err, fs.ErrExist) { // another process has created it
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// checkOthers checks the files beside the database.
func (s *Database) checkOthers() error {
	for path, kind := range map[string]fs.FileMode{s.Place() + "-wal": 0, s.Place() + "-shm": 0, leaseDir(s.dir): fs.ModeDir} {
		if err := s.checkPrivate(path, kind); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// checkPrivate refuses a path that is of another kind, of another user, or that other users may
// write. It changes the mode of one that they may read.
func (s *Database) checkPrivate(path string, kind fs.FileMode) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	expected := "a file"
	if kind == fs.ModeDir {
		expected = "a directory"
		if info.Mode().Type() == fs.ModeSymlink { // the user may use a link to a directory
			if info, err = os.Stat(path); err != nil {
				return err
			}
		}
	}
	owner, isKnown := ownerOf(info)
	switch {
	case info.Mode().Type() != kind:
		return fmt.Errorf("%s is %s, expected %s for recorded runs; name another place with --state", path, describe(info.Mode()), expected)
	case isKnown && owner != s.user:
		return fmt.Errorf("%s belongs to user %d, but this process is user %d: that user could read and change the runs there; "+
			"name another place with --state", path, owner, s.user)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s has mode %04o, so other users could change the runs there; run: chmod go-w %s", path, info.Mode().Perm(), path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 && (path != s.dir || s.isDedicated()):
		_ = os.Chmod(path, info.Mode().Perm()&^0o077) // it fails on a read-only disk; State reports that
	}
	return nil
}

// commandsName is the file in which the debugger keeps its commands beside the runs.
const commandsName = "debug_history"

// isDedicated reports whether the directory has only files of the store. Another directory keeps
// its mode.
func (s *Database) isDedicated() bool {
	all, err := os.ReadDir(s.dir)
	return err == nil && len(all) > 0 && !slices.ContainsFunc(all, func(e fs.DirEntry) bool {
		return !slices.Contains([]string{"history.db", "history.db-wal", "history.db-shm", filepath.Base(leaseDir(s.dir)), filepath.Base(aheadDir(s.dir)), reserveName, commandsName}, e.Name())
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
	return "a special file"
}
