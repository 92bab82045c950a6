package postgres_test

import (
	"testing"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/postgres"
	"toolgraph/tests/pgtest"
)

// A server that crashes loses events which it has acknowledged, but not written to its disk. Their process does not write
// behind a hole: it loses the run, which goes on from what the server has.
func TestServerForgets(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := open(t, url, journal.Options{}, postgres.Timing{})
	all := events("RUN", "in", "out")
	record(t, s, all[0])
	change(t, url, `CREATE TABLE before AS SELECT * FROM runs`)
	record(t, s, all[1])
	change(t, url, `DELETE FROM chunks WHERE n >= (SELECT events FROM before)`)
	change(t, url, `UPDATE runs SET events = before.events, steps = before.steps, bytes = before.bytes FROM before`)
	if err := s.Journal(nil, about).Append(t.Context(), all[2]); err != nil {
		t.Fatal(err)
	}
	taken(t, s, "RUN")
	if n := eventsOf(t, s, "RUN"); n != 1 {
		t.Errorf("the run has %d events, expected the one that is left", n)
	}
	left, err := s.Interrupted(t.Context(), about)
	if err != nil || len(left) != 1 || s.Claim(t.Context(), "RUN") != nil {
		t.Errorf("%d interrupted runs, %v", len(left), err)
	}
}
