package journal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// State is how a store is.
type State struct {
	Path     string // of the database
	Exists   bool
	Readable bool // by other users of this machine
	Runs     int
	Bytes    int64 // of its files
}

// State looks at the store without changing it. The error tells why it cannot be used.
func (s *Store) State(ctx context.Context) (State, error) {
	state := State{Path: s.Path()}
	db, err := s.reader(ctx)
	if errors.Is(err, errNoStore) {
		return state, nil
	}
	if err != nil {
		return state, err
	}
	state.Exists = true
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM runs WHERE status <> 'deleting'`).Scan(&state.Runs); err != nil {
		return state, aboutStore(s.Path(), err)
	}
	state.Bytes = sizeOfFile(filepath.Join(s.dir, reserveName))
	for _, end := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(s.Path() + end); err == nil {
			state.Bytes += info.Size()
			state.Readable = state.Readable || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
		}
	}
	return state, nil
}
