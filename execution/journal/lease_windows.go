package journal

import (
	"os"
	"syscall"
)

const noFollow = 0 // links are for administrators there

// createLocked makes a file that nobody else can open until it is closed, or the
// process is gone.
func createLocked(path string) (*os.File, error) {
	return openAlone(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.CREATE_NEW)
}

// removeLocked closes a file, which could not be removed before, and removes it. Whether
// it goes or stays, nobody holds it from now on.
func removeLocked(f *os.File) {
	_ = f.Close()
	_ = os.Remove(f.Name())
}

// openUnlocked opens a file that nobody has open.
func openUnlocked(path string) (*os.File, error) {
	return openAlone(path, syscall.GENERIC_READ, syscall.OPEN_EXISTING)
}

func openAlone(path string, access, how uint32) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const shareWithNobody = 0
	handle, err := syscall.CreateFile(name, access, shareWithNobody, nil, how, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}

// shareDirectory locks nothing: a file that a process has open cannot be removed there.
func shareDirectory(string) *os.File { return nil }

// isAlone reports whether a lease that is not there is one of a process that is gone.
func isAlone(string) bool { return true }
