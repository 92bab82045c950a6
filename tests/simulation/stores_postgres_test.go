package simulation

import (
	"os"
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

// Two and three processes on one Postgres database: they are killed, lose their connections before and
// after requests were done, and are silent for longer than their leases while they go on.
func TestStoresOnPostgres(t *testing.T) {
	at := postgresPlace(pgtest.URL(t))
	playAll(t, func(*testing.T) place { return at }, fromEnv(t, "SIM_STORES", 8))
}

// playAll plays schedules on databases, several at a time.
func playAll(t *testing.T, at func(*testing.T) place, n uint64) {
	first := uint64(1)
	if os.Getenv("SEED") != "" {
		first, n = fromEnv(t, "SEED", 0), 1
	}
	sum := make(chan *stores, n)
	t.Run("schedules", func(t *testing.T) {
		room := make(chan struct{}, 12)
		for seed := first; seed < first+n; seed++ {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				room <- struct{}{}
				defer func() { <-room }()
				sum <- playStores(t, at(t), seed)
			})
		}
	})
	close(sum)
	tookOver, refused, stays, calls := 0, 0, 0, 0
	for f := range sum {
		tookOver += f.tookOver
		refused += f.refused
		stays += len(f.stays)
		calls += len(f.ledger)
	}
	t.Logf("%d schedules: %d runs in processes, %d taken over, %d calls, %d runs refused", n, stays, tookOver, calls, refused)
}
