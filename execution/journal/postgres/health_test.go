package postgres_test

import (
	"testing"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/postgres"
	"toolgraph/tests/pgtest"
)

// The connections of a process are counted, with those who wait for one.
func TestConnectionsAreCounted(t *testing.T) {
	t.Parallel()
	s := open(t, pgtest.URL(t)+"&pool_max_conns=3", journal.Options{}, postgres.Timing{})
	if h := s.Health(); h.Connections != nil {
		t.Errorf("before the first: %+v", h.Connections)
	}
	record(t, s, events("RUN", "in", "out")...)
	if err := s.Flush(t.Context(), "RUN"); err != nil {
		t.Fatal(err)
	}
	h := s.Health()
	if c := h.Connections; c == nil || c.Most != 3 || c.InUse+c.Idle < 1 || c.InUse+c.Idle > 3 || c.Waits < 1 {
		t.Errorf("%+v", c)
	}
	if c, err := s.Census(t.Context()); err != nil || c.Bytes == 0 || c.Running.Runs != 0 || h.ReadErrors+h.WriteErrors != 0 {
		t.Errorf("%+v, %v, %+v", c, err, h)
	}
}
