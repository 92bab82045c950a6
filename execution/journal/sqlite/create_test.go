package sqlite

import (
	"database/sql"
	"os"
	"testing"
	"time"
)

// A process waits for another that is creating the database: in the middle of it, when the file has its first page and no
// log yet.
func TestCreatingWaits(t *testing.T) {
	s := newDatabase(t.TempDir(), false)
	s.Busy = time.Minute
	if err := os.WriteFile(s.Place(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite", s.Place())
	if err != nil {
		t.Fatal(err)
	}
	other.SetMaxOpenConns(1) // to which the transaction belongs
	defer other.Close()
	if _, err := other.ExecContext(t.Context(), `PRAGMA auto_vacuum = INCREMENTAL; BEGIN IMMEDIATE`); err != nil {
		t.Fatal(err)
	}
	opened := make(chan error, 1)
	go func() {
		_, err := s.Open(t.Context(), true)
		opened <- err
	}()
	select {
	case err := <-opened:
		t.Fatalf("opened while another process is creating it: %v", err)
	case <-time.After(50 * time.Millisecond): // enough for one attempt, which fails
	}
	if _, err := other.ExecContext(t.Context(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Error(err)
	}
	if err := s.Close(true); err != nil {
		t.Error(err)
	}
}
