package behaviours

import (
	"fmt"
	"os"
	"testing"
	"time"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/postgres"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/internal/runtime/state"
	"toolgraph/tests/pgtest"
)

func TestMain(m *testing.M) {
	if _, asked := Asked(); asked {
		if err := Serve(open); err != nil {
			fmt.Fprintln(os.Stderr, "behaviours:", err)
			os.Exit(1)
		}
		return
	}
	pgtest.Main(m)
}

// open opens a store. Postgres takes a silent process for dead soon, because tests kill many.
func open(place string) (*journal.Store, error) {
	if state.IsURL(place) {
		return postgres.OpenTimed(place, journal.Options{}, postgres.Timing{Beat: 100 * time.Millisecond, Dead: time.Second})
	}
	return sqlite.Open(place, journal.Options{})
}

func TestSQLite(t *testing.T) { behave(t, "SQLite", t.TempDir()) }

func TestPostgres(t *testing.T) { behave(t, "Postgres", pgtest.URL(t)) }

func behave(t *testing.T, title, place string) {
	store, err := open(place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	Run(t, &Local{Title: title, Shown: store, State: place}, "../../docs/behaviours.md")
}
