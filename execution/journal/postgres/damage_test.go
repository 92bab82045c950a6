package postgres_test

import (
	"errors"
	"strings"
	"testing"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/postgres"
	"toolgraph/tests/pgtest"
)

// What was changed or deleted past the program is found when the run is read, and the run can be deleted.
func TestDamage(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 50_000)
	for what, statement := range map[string]string{
		"a byte of a short run":  `UPDATE runs SET body = set_byte(body, 5, get_byte(body, 5) # 1)`,
		"a byte of a chunk":      `UPDATE chunks SET body = set_byte(body, 5, get_byte(body, 5) # 1)`,
		"a chunk that is gone":   `DELETE FROM chunks`,
		"a byte of a long value": `UPDATE spills SET body = set_byte(body, 5, get_byte(body, 5) # 1)`,
		"the row":                `UPDATE runs SET args = '{}'`,
	} {
		url := pgtest.URL(t)
		s := open(t, url, journal.Options{}, postgres.Timing{})
		all := events("RUN", map[string]any{"n": 1.0}, "out")
		if what != "a byte of a short run" {
			all = events("RUN", map[string]any{"n": 1.0}, long)
			record(t, s, all[:2]...) // so that there are chunks
			all = all[2:]
		}
		record(t, s, all...)
		change(t, url, statement)
		var damaged *journal.DamagedError
		r, err := s.Run(t.Context(), "RUN")
		if err == nil {
			err = s.Verify(t.Context(), r)
		}
		if !errors.As(err, &damaged) {
			t.Errorf("%s: %v", what, err)
		}
		if n, err := s.Delete(t.Context(), "RUN"); n != 1 || err != nil {
			t.Errorf("%s: %d deleted, %v", what, n, err)
		}
		if n := query[int](t, url, `SELECT (SELECT count(*) FROM chunks) + (SELECT count(*) FROM spills)`); n != 0 {
			t.Errorf("%s: %d rows stay", what, n)
		}
	}
}
