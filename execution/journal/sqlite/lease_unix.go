//go:build unix

package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"toolgraph/internal/base/files"
)

// createLocked creates a file and locks it until it is closed, or the process has ended. The
// error is fs.ErrNotExist when another process removed the file before it was locked.
func createLocked(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|files.NoFollow, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	if _, err := os.Lstat(path); err != nil { // another process took it for an abandoned one
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// removeLocked removes a file while it is locked, so that no other process takes it for an
// abandoned one, and closes it. The lock is released also when the file cannot be removed.
func removeLocked(f *os.File) {
	_ = os.Remove(f.Name())
	_ = f.Close()
}

// openUnlocked opens a file that no process has locked.
func openUnlocked(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|files.NoFollow, 0)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// shareDirectory takes a shared lock on a directory; nil where there are no such locks.
func shareDirectory(dir string) *os.File {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil {
		_ = f.Close() // it is not locked
		return nil
	}
	return f
}

// isAlone reports whether no process has the directory locked. A directory that cannot be
// locked on this file system has no locks.
func isAlone(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	return !errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// ownerOf is the user that a file belongs to.
func ownerOf(info fs.FileInfo) (uid int, isKnown bool) {
	stat, isKnown := info.Sys().(*syscall.Stat_t)
	if !isKnown {
		return 0, false
	}
	return int(stat.Uid), true
}
