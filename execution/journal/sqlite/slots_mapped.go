//go:build linux || darwin

package sqlite

import (
	"os"
	"syscall"
)

// mapBlock maps a block of a file, which has room on the disk then; nil if it cannot be.
func mapBlock(file *os.File, at int64) []byte {
	info, err := file.Stat()
	if err != nil {
		return nil
	}
	if from, end := max(info.Size(), at), at+blockSize; from < end {
		if _, err := file.WriteAt(make([]byte, end-from), from); err != nil {
			return nil
		}
	}
	block, err := syscall.Mmap(int(file.Fd()), at, blockSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil { // a file system without it
		return nil
	}
	return block
}

func unmap(block []byte) {
	if block != nil {
		_ = syscall.Munmap(block) // it is mapped
	}
}

// hasName reports whether a file has a name. One that was moved away has one, too: its database and what it belongs to went with it.
func hasName(file *os.File) bool {
	var stat syscall.Stat_t
	return syscall.Fstat(int(file.Fd()), &stat) == nil && stat.Nlink > 0
}
