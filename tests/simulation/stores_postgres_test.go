package simulation

import (
	"testing"
	"time"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/postgres"
	"toolgraph/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// postgresPlace is a database on a server, to which each process has a network of its own.
type postgresPlace string

func (p postgresPlace) open(t testing.TB, f *stores, seed uint64) (*journal.Store, mishaps) {
	t.Helper()
	cuts := 0
	if seed != 0 {
		cuts = int(seed % 8)
	}
	way, url := newNetwork(t, string(p), seed, cuts)
	store, err := postgres.OpenTimed(url, journal.Options{Durable: f.durable}, postgres.Timing{Beat: 100 * time.Millisecond, Dead: 500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return store, way
}

func (postgresPlace) notes() bool { return false }

// Two and three processes on one Postgres database: they are killed, lose their connections before and
// after requests were done, and are silent for longer than their leases while they go on.
func TestStoresOnPostgres(t *testing.T) {
	t.Parallel()
	at := postgresPlace(pgtest.URL(t))
	playAll(t, func(*testing.T) place { return at })
}
