package sqlite

import (
	"io/fs"
	"os"
	"syscall"
)

// createLocked creates a file that no other process can open until it is closed, or the process
// has ended.
func createLocked(path string) (*os.File, error) {
	return openAlone(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.CREATE_NEW)
}

// removeLocked closes a file, which cannot be removed before, and removes it. The lock is
// released also when the file cannot be removed.
func removeLocked(f *os.File) {
	_ = f.Close()
	_ = os.Remove(f.Name())
}

// openUnlocked opens a file that no process has open.
func openUnlocked(path string) (*os.File, error) {
	return openAlone(path, syscall.GENERIC_READ, syscall.OPEN_EXISTING)
}

func openAlone(path string, access, how uint32) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const unshared = 0
	handle, err := syscall.CreateFile(name, access, unshared, nil, how, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}

// shareDirectory locks nothing: Windows does not remove a file that a process has open.
func shareDirectory(string) *os.File { return nil }

// isAlone reports whether a missing lease is one of a dead process.
func isAlone(string) bool { return true }

// ownerOf is not known there: access is by lists, which the directory of a user has.
func ownerOf(fs.FileInfo) (uid int, isKnown bool) { return 0, false }
