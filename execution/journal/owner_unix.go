//go:build unix

package journal

import (
	"io/fs"
	"syscall"
)

// ownerOf is the user that a file belongs to.
func ownerOf(info fs.FileInfo) (uid int, isKnown bool) {
	stat, isKnown := info.Sys().(*syscall.Stat_t)
	if !isKnown {
		return 0, false
	}
	return int(stat.Uid), true
}
