package journal

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
)

// between is a database that looks at what each step did before the next one begins.
type between struct {
	executor
	t     *testing.T
	other *sql.DB // of another process
	steps int
	used  int // pages before the step, twice those that hold something
	most  int // pages that one step gave up
}

func (b *between) BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error) {
	b.look()
	return b.executor.BeginTx(ctx, opts)
}

func (b *between) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if strings.Contains(query, "freelist_count") {
		b.look()
	}
	return b.executor.QueryContext(ctx, query, args...)
}

func (b *between) look() {
	b.t.Helper()
	if _, err := b.other.ExecContext(b.t.Context(), `UPDATE upkeep SET pruned = pruned + 1`); err != nil {
		b.t.Fatalf("step %d: another process cannot write: %v", b.steps, err)
	}
	var free, pages int
	if err := b.other.QueryRowContext(b.t.Context(), `SELECT * FROM pragma_freelist_count, pragma_page_count`).Scan(&free, &pages); err != nil {
		b.t.Error(err)
	}
	now := pages - free + pages // less by one for a page that is not used any more, and for one that is given back
	b.most = max(b.most, b.used-now)
	b.used = now
	b.steps++
}

// fill writes short runs, and one of a number of steps with long values.
func fill(t *testing.T, s *Store, short, long int) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	text := func(n int) string {
		var b strings.Builder
		for b.Len() < n {
			fmt.Fprintf(&b, "%016x", random.Uint64())
		}
		return b.String()
	}
	j := s.Journal(nil, About{})
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	run := func(id string, values ...string) {
		all := []execution.Event{{Kind: execution.RunStarted, Run: id, Time: at, Start: &execution.Start{Tool: "tool", Graph: "hash", Args: "args"}}}
		for i, v := range values {
			all = append(all, execution.Event{Kind: execution.StepFinished, Run: id, Time: at, Record: &execution.Record{
				Index: i, NodeID: "n", NodeType: config.TransformNode, Start: at, End: at, Output: v,
			}})
		}
		for _, e := range append(all, execution.Event{Kind: execution.RunFinished, Run: id, Time: at, End: &execution.End{Value: "end"}}) {
			if err := j.Append(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range short {
		run(fmt.Sprintf("SHORT%04d", i), text(2000))
	}
	var values []string
	for i := range long {
		values = append(values, text(50_000+10_000*(i%4))) // inline and spilled
	}
	run("LONG", values...)
}

// Deleting never has the database for long, however much there is to delete: another
// process can write between steps, of which each touches a bounded number of pages.
// What is deleted leaves the file.
func TestDeletingInSteps(t *testing.T) {
	var steps []int
	for _, n := range []int{1, 2} {
		s, err := openPlace(t, t.TempDir(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		fill(t, s, 200*n, 60*n)
		db, err := s.reader(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		other, err := Raw(s.Path())
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		spy := &between{executor: db, t: t, other: other}
		runs, err := s.List(t.Context(), Filter{Limit: -1})
		if err != nil {
			t.Fatal(err)
		}
		ids := make([]string, len(runs))
		for i, r := range runs {
			ids[i] = r.ID
		}
		if got, err := deleteNamed(t.Context(), s.stepper(t.Context(), spy), ids); got != 200*n+1 || err != nil {
			t.Fatalf("%d deleted, %v", got, err)
		}
		if err := FreeSpace(t.Context(), s.data, spy); err != nil {
			t.Fatal(err)
		}
		const most = 600 // 1 MiB twice, and a little
		t.Logf("%d steps, of %d pages at most", spy.steps, spy.most)
		if spy.most > most {
			t.Errorf("a step frees %d pages, and %d are allowed", spy.most, most)
		}
		steps = append(steps, spy.steps)
		var rows, pages int
		if err := db.QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM runs) + (SELECT count(*) FROM chunks) +
			(SELECT count(*) FROM spills), page_count FROM pragma_page_count`).Scan(&rows, &pages); err != nil || rows != 0 || pages > 24 {
			t.Errorf("%d rows in %d pages are left, %v", rows, pages, err)
		}
	}
	if steps[0] < 20 || steps[1] < steps[0]*3/2 {
		t.Errorf("%v steps for n and 2n runs", steps)
	}
}

// A run that is being deleted when the process dies is in no list, and the next who
// deletes anything takes it away; its id is free at once.
func TestDeletingIsTakenUp(t *testing.T) {
	s, err := openPlace(t, t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	fill(t, s, 1, 50)
	db, err := s.reader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stepper := s.stepper(t.Context(), db)
	if n, err := deleteRuns(t.Context(), stepper, selection{where: `id = 'LONG' AND status <> 'deleting'`}); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if err := stepper(func(tx *sql.Tx) error {
		_, err := deletePart(t.Context(), tx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	runs, err := s.List(t.Context(), Filter{})
	if err != nil || len(runs) != 1 || runs[0].ID != "SHORT0000" {
		t.Errorf("%+v %v", runs, err)
	}
	if r, err := s.Run(t.Context(), "last"); err != nil || r.ID != "SHORT0000" {
		t.Errorf("%+v %v", r, err)
	}
	if r, err := s.Run(t.Context(), "del"); err == nil {
		t.Errorf("%+v", r)
	}
	if state, err := s.State(t.Context()); err != nil || state.Runs != 1 {
		t.Errorf("%+v %v", state, err)
	}
	fill(t, s, 0, 1)
	if _, err := s.Prune(t.Context(), Retention{MaxRuns: 1}); err != nil {
		t.Fatal(err)
	}
	var left string
	if err := db.QueryRowContext(t.Context(), `SELECT group_concat(id) || (SELECT count(*) FROM chunks) || (SELECT count(*) FROM spills)
		FROM runs`).Scan(&left); err != nil || left != "LONG00" {
		t.Errorf("%s, %v", left, err)
	}
}
