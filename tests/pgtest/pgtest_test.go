package pgtest_test

import (
	"context"
	"database/sql"
	"testing"

	"toolgraph/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func version(ctx context.Context, place string) (n int, err error) {
	db, err := sql.Open("pgx", place)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").Scan(&n)
	return n, err
}

// Two tests have databases that do not know each other; a server that a test stops is gone and comes back.
func TestServer(t *testing.T) {
	a, b := pgtest.URL(t), pgtest.URL(t)
	db, err := sql.Open("pgx", a)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE here (n int)"); err != nil {
		t.Fatal(err)
	}
	for place, want := range map[string]int{a: 1, b: 0} {
		if n, err := version(t.Context(), place); err != nil || n != want {
			t.Errorf("%s has %d tables (%v), expected %d", place, n, err, want)
		}
	}
}

func TestStop(t *testing.T) {
	s := pgtest.Start(t)
	place := s.URL(t)
	for _, stop := range []func() error{s.Stop, s.Kill} {
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if _, err := version(t.Context(), place); err == nil {
			t.Error("a stopped server answers")
		}
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := version(t.Context(), place); err != nil {
			t.Error(err)
		}
	}
}
