package files

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/gofrs/flock"
)

const lockRetry = 5 * time.Millisecond

// ErrNoLocks means that the file system or the system has no locks for such a file.
var ErrNoLocks = errors.New("the file system has no locks")

// LockFile waits until no other process, and no other caller in this one, holds the lock on
// the file at path, and holds it until release is called or the process ends. It creates
// the file, for its user alone, and follows no symbolic link. The error is the cause of
// ctx when that ends first, and wraps ErrNoLocks where there are no locks.
func LockFile(ctx context.Context, path string) (release func(), err error) {
	return lock(ctx, path, os.O_RDWR|os.O_CREATE|NoFollow)
}

// LockDir is LockFile for a directory that exists. Windows has no locks on directories.
func LockDir(ctx context.Context, path string) (release func(), err error) {
	return lock(ctx, path, os.O_RDONLY)
}

func lock(ctx context.Context, path string, flag int) (release func(), err error) {
	held := flock.New(path, flock.SetFlag(flag), flock.SetPermissions(0o600))
	_, err = held.TryLockContext(ctx, lockRetry)
	var open *os.PathError
	switch {
	case err == nil:
		return func() { _ = held.Close() }, nil // closing the file unlocks it as well
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &open):
		return nil, err
	}
	return nil, errors.Join(ErrNoLocks, err)
}
