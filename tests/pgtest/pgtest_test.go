package pgtest_test

import (
	"context"
	"database/sql"
	"net/url"
	"testing"

	"toolgraph/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// tables is how many tables there are in the schema of a URL.
func tables(ctx context.Context, place string) (n int, err error) {
	db, err := sql.Open("pgx", place)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()").Scan(&n)
	return n, err
}

// Two tests do not see each other's tables, whether they have a schema or a database.
func TestServer(t *testing.T) {
	t.Run("schema", func(t *testing.T) { apart(t, pgtest.URL, "CREATE SCHEMA ") })
	t.Run("database", func(t *testing.T) { apart(t, pgtest.Database, "") })
}

func apart(t *testing.T, place func(testing.TB) string, create string) {
	a, b := place(t), place(t)
	db, err := sql.Open("pgx", a)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if create != "" {
		u, err := url.Parse(a)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), create+u.Query().Get("search_path")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE here (n int)"); err != nil {
		t.Fatal(err)
	}
	for place, want := range map[string]int{a: 1, b: 0} {
		if n, err := tables(t.Context(), place); err != nil || n != want {
			t.Errorf("%s has %d tables (%v), expected %d", place, n, err, want)
		}
	}
}

// A server that a test stops is gone and comes back.
func TestStop(t *testing.T) {
	s := pgtest.Start(t)
	place := s.URL(t)
	for _, stop := range []func() error{s.Stop, s.Kill} {
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if _, err := tables(t.Context(), place); err == nil {
			t.Error("a stopped server answers")
		}
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := tables(t.Context(), place); err != nil {
			t.Error(err)
		}
	}
}
