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
