//go:build unix && !solaris && !aix

package mcpclient

import (
	"os"
	"path/filepath"
	"syscall"
)

// noFollow makes the opening of a link fail.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// lock keeps other processes from renewing the same token at the same time: a
// refresh token is good for one use.
func (f *tokenFile) lock() (unlock func(), err error) {
	if err := f.makeDir(); err != nil {
		return nil, err
	}
	held, err := os.OpenFile(filepath.Join(f.dir, f.name+".lock"), os.O_RDWR|os.O_CREATE|noFollow, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX); err != nil {
		_ = held.Close()
		return nil, err
	}
	return func() { _ = held.Close() }, nil // which unlocks
}
