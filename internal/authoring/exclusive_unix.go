//go:build unix

package authoring

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// exclusive waits until no other process of ours changes a file in the directory of the
// graph file, and keeps others out until release is called: between the reading of a file
// and its being replaced, another's change would be lost. The lock is on the directory,
// since replacing the file would take a lock on it away. Where there are no such locks,
// as on some file systems, it keeps nobody out.
func exclusive(ctx context.Context, path string) (release func(), err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	retry := time.NewTicker(5 * time.Millisecond)
	defer retry.Stop()
	for {
		err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return func() { dir.Close() }, nil // which also unlocks
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), dir.Close())
		}
	}
}
