package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Attach stores a value of a run that is referred to from elsewhere by its name, until the run is deleted. It replaces
// an earlier one.
func (s *Store) Attach(ctx context.Context, run, name string, body []byte) error {
	db, err := s.data.Open(ctx, true)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `INSERT INTO payloads (run, name, at, body) VALUES ($1, $2, $3, $4)
		ON CONFLICT (run, name) DO UPDATE SET at = excluded.at, body = excluded.body`, run, name, time.Now().UnixMicro(), body)
	return s.writeFault(err)
}

// Attached returns such a value. The error wraps ErrNotFound when there is none.
func (s *Store) Attached(ctx context.Context, run, name string) (body []byte, err error) {
	db, err := s.data.Open(ctx, false)
	if err == nil {
		err = db.QueryRowContext(ctx, `SELECT body FROM payloads WHERE run = $1 AND name = $2`, run, name).Scan(&body)
	}
	if errors.Is(err, sql.ErrNoRows) || errors.Is(err, ErrNoStore) {
		return nil, fmt.Errorf("%w: value %s of run %s", ErrNotFound, name, run)
	}
	return body, s.readFault(err)
}
