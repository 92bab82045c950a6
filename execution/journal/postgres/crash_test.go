package postgres_test

import (
	"testing"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/postgres"
	"toolgraph/tests/pgtest"
)

// A server that was started again and has lost the last events of a run interrupts it: its process does not write what would
// follow them, claims the run again and goes on after what is there. Another run, of which nothing was lost, goes on.
func TestLostCommits(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	url := server.URL(t)
	s := open(t, url, journal.Options{}, postgres.Timing{})
	lost, whole := events("LOST", "in", "out"), events("WHOLE", "in", "out")
	record(t, s, lost[0], lost[1], whole[0], whole[1])
	record(t, s, lost[2])
	// As a crash would have it, with the second commit not on the disk.
	change(t, url, `DELETE FROM toolgraph.chunks WHERE run = (SELECT seq FROM toolgraph.runs WHERE id = 'LOST') AND n = 2`)
	change(t, url, `UPDATE toolgraph.runs SET events = 2, steps = 1 WHERE id = 'LOST'`)
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	record(t, s, whole[2:]...)
	if err := s.Journal(nil, about).Append(t.Context(), lost[3]); err != nil {
		t.Fatal(err)
	}
	taken(t, s, "LOST")
	if all, err := s.Interrupted(t.Context(), about); err != nil || len(all) != 1 || all[0].ID != "LOST" {
		t.Fatalf("interrupted: %v, %v", ids(all), err)
	}
	if err := s.Claim(t.Context(), "LOST"); err != nil {
		t.Fatal(err)
	}
	record(t, s, lost[2:]...)
	for _, id := range []string{"LOST", "WHOLE"} {
		if n := eventsOf(t, s, id); n != len(lost) {
			t.Errorf("%s has %d events, expected %d", id, n, len(lost))
		}
	}
}
