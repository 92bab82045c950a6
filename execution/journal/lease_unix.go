//go:build unix

package journal

import (
	"errors"
	"os"
	"syscall"
)

// noFollow makes the opening of a link fail.
const noFollow = syscall.O_NOFOLLOW

// createLocked makes a file and locks it until it is closed, or the process is gone. The
// error is fs.ErrNotExist when somebody removed the file before it was locked.
func createLocked(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|noFollow, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	if _, err := os.Lstat(path); err != nil { // somebody took it for one that was left
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// removeLocked removes a file while it is locked, so that nobody takes it for one that was
// left, and closes it. Whether the file goes or stays, nobody holds it from now on.
func removeLocked(f *os.File) {
	_ = os.Remove(f.Name())
	_ = f.Close()
}

// openUnlocked opens a file that nobody has locked.
func openUnlocked(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// shareDirectory locks a directory together with others; nil where that cannot be done.
func shareDirectory(dir string) *os.File {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil {
		_ = f.Close() // it was not even locked
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
