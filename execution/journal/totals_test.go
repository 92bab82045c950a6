package journal

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"toolgraph/execution"
)

func isLed(err error) bool { return errors.Is(err, errLed) }

// randomOf returns a source whose seed is logged when the test fails.
func randomOf(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 1))
}

// endOf returns an end with a status.
func endOf(status Status) *execution.End {
	switch status {
	case Failed:
		return &execution.End{Failure: &execution.Failure{Code: execution.CodeTool, Message: "failed"}}
	case Cancelled:
		return &execution.End{Failure: &execution.Failure{Code: execution.CodeCancelled, Message: "cancelled"}}
	default:
		return &execution.End{Value: "end"}
	}
}

// The counters are the sums over all rows after any history: runs begin, end, are claimed, forked, in doubt, deleted, pruned and
// marked, by several processes, one of which is an earlier program, whose statements are those of its time.
func TestTotalsAreTheSums(t *testing.T) {
	dir, _ := grown(t, 5)
	stores := []*Store{reopen(t, dir, Options{}), reopen(t, dir, Options{})}
	for _, s := range stores {
		s.pruner.begin.Do(func() {})
	}
	same := func(s *Store) {
		t.Helper()
		for _, all := range stores { // nothing is written between the readings
			all.writer.flush()
		}
		sameTotals(t, s)
	}
	random := randomOf(t)
	var ids []string
	var open []execution.Event
	for i := range 150 {
		s := stores[random.IntN(len(stores))]
		tool := fmt.Sprintf("tool%d", random.IntN(3))
		switch random.IntN(10) {
		case 0, 1, 2, 3: // many at once, which are packed
			for n := range random.IntN(40) {
				id := fmt.Sprintf("RUN%03d%02d", i, n)
				endedAs(t, s, id, "demo", tool, []Status{Finished, Failed, Cancelled}[random.IntN(3)], time.Duration(random.IntN(1000))*time.Hour)
				ids = append(ids, id)
			}
		case 4: // a run that goes on
			start := made(fmt.Sprintf("OPEN%03d", i), time.Now(), false)
			start[0].Start.Tool = tool
			add(t, stores[0], start[0])
			open = append(open, start[1])
		case 5:
			if len(open) > 0 {
				end := open[0]
				open = open[1:]
				if end.End = endOf([]Status{Finished, Failed, Cancelled}[random.IntN(3)]); random.IntN(3) == 0 {
					end.End = inDoubt
				}
				add(t, stores[0], end)
				stores[0].writer.flush()
				if end.End == inDoubt && random.IntN(2) == 0 {
					if _, err := stores[0].ClaimParked(t.Context(), end.Run, true); err != nil {
						t.Fatal(err)
					}
					open = append(open, end)
				}
			}
		case 6:
			if len(ids) > 0 {
				if _, err := s.Delete(t.Context(), ids[random.IntN(len(ids))], ids[random.IntN(len(ids))]); err != nil {
					t.Fatal(err)
				}
			}
		case 7:
			if _, err := s.Prune(t.Context(), Retention{MaxAge: time.Duration(random.IntN(1000)+1) * time.Hour}); err != nil {
				t.Fatal(err)
			}
		case 8:
			if _, err := s.Prune(t.Context(), Retention{MaxRuns: random.IntN(200) + 1, MaxBytes: 50_000}); err != nil {
				t.Fatal(err)
			}
		default: // what an earlier program does beside it, as its source has it
			db, err := s.reader(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, statement := range []string{
				`DELETE FROM runs WHERE seq IN (SELECT seq FROM runs WHERE status = 'finished' ORDER BY seq LIMIT 3)`,
				`UPDATE runs SET status = 'deleting', id = 'deleting ' || seq WHERE seq = (SELECT max(seq) FROM runs WHERE status = 'cancelled')`,
				`UPDATE runs SET bytes = bytes + 100, last = last + 1 WHERE seq IN (SELECT seq FROM runs WHERE status = 'error' ORDER BY seq LIMIT 2)`,
			} {
				if _, err := db.ExecContext(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
		}
		if i%10 == 9 {
			same(s)
		}
	}
	same(stores[0])
}

// sameTotals compares the counters with the rows.
func sameTotals(t *testing.T, s *Store) {
	t.Helper()
	db, err := s.reader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if tidy, is := s.data.(tidier); is {
		if err := tidy.Tidy(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	want := map[Selector]group{}
	rows, err := db.QueryContext(t.Context(), `SELECT server, tool, status, bytes, started FROM runs
		WHERE status NOT IN ('running', 'interrupted', 'deleting') AND NOT (status = 'error' AND failure LIKE '{"code":"outcome-unknown",%')`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var g group
		if err := rows.Scan(&g.Server, &g.Tool, &g.Status, &g.bytes, &g.first); err != nil {
			t.Fatal(err)
		}
		of, known := want[g.Selector]
		if g.runs = 1; known {
			g.first = min(g.first, of.first)
		}
		g.add(of.amount)
		want[g.Selector] = g
	}
	got, err := groupsOf(t.Context(), db)
	if err != nil || len(got) != len(want) {
		t.Errorf("%d groups, expected %d, %v", len(got), len(want), err)
	}
	for _, g := range got {
		if g != want[g.Selector] {
			t.Errorf("%v has %+v, expected %+v", g.Selector, g, want[g.Selector])
		}
	}
}
