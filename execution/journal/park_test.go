package journal

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
)

// counted is a Database whose statements are counted.
type counted struct {
	Database
	db   *sql.DB
	said *atomic.Int64
}

func (c *counted) Open(context.Context, bool) (*sql.DB, error) { return c.db, nil }

// countedRemote is counted for a Database on a server.
type countedRemote struct{ *counted }

func (countedRemote) CanCreate(context.Context) error { return nil }

// countStatements counts the statements of a store from now on.
func countStatements(t *testing.T, s *Store) *atomic.Int64 {
	t.Helper()
	inner, err := s.data.Open(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	s.pruner.end() // it has the database as well
	s.pruner.running.Wait()
	said := &atomic.Int64{}
	c := &counted{Database: s.data, db: sql.OpenDB(connector{inner, said}), said: said}
	before := s.data
	if s.data = c; strings.HasPrefix(t.Name(), OverPostgres) {
		s.data = countedRemote{c}
	}
	t.Cleanup(func() {
		_ = c.db.Close()
		s.data = before
	})
	return said
}

type connector struct {
	inner *sql.DB
	said  *atomic.Int64
}

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.inner.Conn(ctx)
	return &countedConn{conn, c.said}, err
}
func (connector) Driver() driver.Driver { return nil }

type countedConn struct {
	*sql.Conn
	said *atomic.Int64
}

func (*countedConn) Prepare(string) (driver.Stmt, error) { return nil, errors.ErrUnsupported }
func (*countedConn) Begin() (driver.Tx, error)           { return nil, errors.ErrUnsupported }

func (c *countedConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	if strings.Contains(text, "parked") { // retention looks when it likes
		c.said.Add(1)
	}
	var values []any
	for _, a := range args {
		values = append(values, a.Value)
	}
	rows, err := c.Conn.QueryContext(ctx, text, values...)
	if err != nil {
		return nil, err
	}
	return countedRows{rows}, nil
}

type countedRows struct{ *sql.Rows }

func (r countedRows) Columns() []string {
	names, _ := r.Rows.Columns()
	return names
}

func (r countedRows) Next(into []driver.Value) error {
	if !r.Rows.Next() {
		return cmpErr(r.Err(), io.EOF)
	}
	places := make([]any, len(into))
	for i := range into {
		places[i] = (*any)(&into[i])
	}
	return r.Scan(places...)
}

func cmpErr(err, or error) error {
	if err != nil {
		return err
	}
	return or
}

// aboutParked is the file of the runs that are parked.
var aboutParked = About{File: "/x.yaml", Server: "demo"}

// park records runs that wait, and parks them until times after at, in their order.
func park(t *testing.T, s *Store, prefix string, n int, due func(i int) time.Time) {
	t.Helper()
	var working sync.WaitGroup
	defer working.Wait()
	for part := range 32 {
		working.Go(func() {
			for i := part; i < n; i += 32 {
				id := fmt.Sprintf("%s%05d", prefix, i)
				rest := &execution.Rest{At: time.Now(), Due: due(i), Until: map[execution.Address]time.Time{"1": due(i)}}
				if err := s.Journal(nil, aboutParked).Append(t.Context(), made(id, time.Now(), false)[0]); err != nil {
					t.Error(err)
				} else if err := s.Park(id, rest); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// However many runs are parked, a look for those that are due takes two statements, and a claim of many one: several processes claim
// each run once.
func TestDueAmongManyParkedRuns(t *testing.T) {
	dir, now := t.TempDir(), time.Now().Truncate(time.Microsecond)
	first := reopen(t, dir, Options{})
	const many, due = 2000, 250
	park(t, first, "P", many, func(i int) time.Time {
		if i%7 == 0 && i/7 < due {
			return now.Add(-time.Duration(i) * time.Second)
		}
		if i == 1 {
			return now.Add(time.Minute)
		}
		return now.Add(time.Hour)
	})
	stores := []*Store{first, reopen(t, dir, Options{}), reopen(t, dir, Options{})}
	var mu sync.Mutex // guards claims and statements
	claims, statements := map[string]int{}, 0
	var working sync.WaitGroup
	type looked struct {
		s    *Store
		said *atomic.Int64
		due  []Run
	}
	var looks []looked
	for _, s := range stores {
		if _, err := s.process(t.Context()); err != nil {
			t.Fatal(err)
		}
		said := countStatements(t, s)
		found, next, err := s.Due(t.Context(), []About{aboutParked, {File: "/other.yaml", Server: "other"}}, now, due+1)
		if err != nil || len(found) != due || !next.Equal(now.Add(time.Minute)) || said.Load() != 2 {
			t.Fatalf("%d runs, the next at %v, %v, %d statements", len(found), next, err, said.Load())
		}
		if !slices.IsSortedFunc(found, func(a, b Run) int { return a.Due.Compare(b.Due) }) || !found[0].Parked || found[0].Status != Waiting || found[0].InProgress() || !found[0].CanResume() {
			t.Errorf("%+v", found[0])
		}
		looks = append(looks, looked{s, said, found})
	}
	for _, l := range looks {
		working.Go(func() {
			for part := range slices.Chunk(l.due, 100) {
				var ids []string
				for _, r := range part {
					ids = append(ids, r.ID)
				}
				got, err := l.s.ClaimDue(t.Context(), ids)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				for id, rest := range got {
					if claims[id]++; len(rest.Until) != 1 {
						t.Errorf("%s: %+v", id, rest)
					}
				}
				mu.Unlock()
			}
			mu.Lock()
			defer mu.Unlock()
			statements += int(l.said.Load())
		})
	}
	working.Wait()
	if len(claims) != due || slices.Max(slices.Collect(maps.Values(claims))) != 1 || statements != 3*(2+3) {
		t.Errorf("%d runs were claimed, with %d statements", len(claims), statements)
	}
	for _, s := range stores {
		if found, _, err := s.Due(t.Context(), []About{{File: "/other.yaml", Server: "other"}}, now.Add(2*time.Hour), due); err != nil || len(found) != 0 {
			t.Errorf("of another file: %d, %v", len(found), err)
		}
	}
}

// What happens to a parked run in each phase: its process dies before or after the run is parked, or after a claim; it is answered,
// twice, and cancelled meanwhile.
func TestPhasesOfParkedRun(t *testing.T) {
	dir := t.TempDir()
	s := reopen(t, dir, Options{})
	look := func(s *Store, id string) Run { return exact(t, s, id) }
	later := time.Now().Add(time.Hour)
	add(t, s, made("BEFORE", time.Now(), false)[0])
	park(t, s, "R", 3, func(int) time.Time { return later })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = reopen(t, dir, Options{})
	if before, after := look(s, "BEFORE"), look(s, "R00000"); before.Status != Interrupted || before.Parked || after.Status != Waiting || !after.Parked || !after.Due.Equal(later.Truncate(time.Microsecond)) {
		t.Errorf("its process has died: %+v, and %+v", before, after)
	}
	if left, err := s.Interrupted(t.Context(), aboutParked); err != nil || len(left) != 1 || left[0].ID != "BEFORE" {
		t.Errorf("interrupted: %+v, %v", left, err)
	}
	for status, want := range map[Status]int{Waiting: 3, Interrupted: 1, Running: 0} {
		if all, err := s.List(t.Context(), Filter{Status: status, Limit: -1}); err != nil || len(all) != want {
			t.Errorf("%s: %d runs, %v", status, len(all), err)
		}
	}

	for _, body := range []string{"first", "second"} { // the first answer counts
		if parked, err := s.AnswerParked(t.Context(), "R00000", "mark", []byte(body)); err != nil || !parked {
			t.Fatal(parked, err)
		}
	}
	if body, err := s.Attached(t.Context(), "R00000", "mark"); err != nil || string(body) != "first" {
		t.Errorf("%s, %v", body, err)
	}
	if due, _, err := s.Due(t.Context(), []About{aboutParked}, time.Now(), 10); err != nil || len(due) != 1 || due[0].ID != "R00000" {
		t.Errorf("an answer makes it due: %+v, %v", due, err)
	}

	other := reopen(t, dir, Options{})
	rest, err := other.ClaimParked(t.Context(), "R00001", false)
	if err != nil || rest == nil || !rest.Due.Equal(later) {
		t.Fatalf("%+v, %v", rest, err)
	}
	if parked, err := s.AnswerParked(t.Context(), "R00001", "mark", []byte("late")); err != nil || parked {
		t.Error("an answer was stored for a run that goes on", err)
	}
	if _, err := s.Attached(t.Context(), "R00001", "mark"); !errors.Is(err, ErrNotFound) {
		t.Error("it is there", err)
	}
	if _, err := s.ClaimParked(t.Context(), "R00001", false); !errors.Is(err, ErrRunning) {
		t.Error("two processes have it", err)
	}
	if err := other.Close(); err != nil { // before the run is parked again
		t.Fatal(err)
	}
	if r := look(s, "R00001"); r.Status != Interrupted || r.Parked {
		t.Errorf("its process has died after the claim: %+v", r)
	}

	if err := s.Claim(t.Context(), "R00002"); err != nil { // to cancel it
		t.Fatal(err)
	}
	end := made("R00002", time.Now(), true)[1]
	end.End = &execution.End{Failure: &execution.Failure{Code: execution.CodeCancelled, Message: "cancelled"}}
	add(t, s, end)
	if parked, err := s.AnswerParked(t.Context(), "R00002", "mark", []byte("late")); err != nil || parked || look(s, "R00002").Status != Cancelled {
		t.Error("a cancelled run was answered", err)
	}
}

// exact returns a run.
func exact(t *testing.T, s *Store, id string) Run {
	t.Helper()
	r, err := s.Exact(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A program of the release before, which knows nothing of parked runs, claims one as an interrupted run, and that ends it.
func TestEarlierProgramClaimsParkedRun(t *testing.T) {
	dir := t.TempDir()
	s, other := reopen(t, dir, Options{}), reopen(t, dir, Options{})
	park(t, s, "R", 1, func(int) time.Time { return time.Now().Add(time.Hour) })
	db, err := s.data.Open(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	earlier := func(statement string) { // as the release before does
		t.Helper()
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	owner, err := other.process(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	earlier(`UPDATE runs SET status = 'running', ended = 0, failure = '', resumed = resumed + 1, owner = '` + owner + `' WHERE id = 'R00000' AND status = 'interrupted'`)
	if r := exact(t, s, "R00000"); r.Status != Running || r.Parked {
		t.Errorf("an earlier program has it: %+v", r)
	}
	earlier(`UPDATE runs SET status = 'interrupted' WHERE id = 'R00000'`)
	if r := exact(t, s, "R00000"); r.Status != Interrupted || r.Parked {
		t.Errorf("an earlier program has given it back: %+v", r)
	}
	if rest, err := s.ClaimParked(t.Context(), "R00000", false); err != nil || rest != nil {
		t.Errorf("it is claimed with the waits of before: %+v, %v", rest, err)
	}
}

// A run one of whose values is not recorded as it was cannot be resumed, so it is not parked.
func TestRunWithGapIsNotParked(t *testing.T) {
	s := reopen(t, t.TempDir(), Options{MaxValue: 100})
	for id, want := range map[string]bool{"PLAIN": true, "SECRET": false, "LONG": false} {
		args := map[string]string{"PLAIN": "short", "SECRET": "hunter2hunter2", "LONG": strings.Repeat("long", 50)}[id]
		e := execution.Event{Kind: execution.RunStarted, Run: id, Time: time.Now(), Start: &execution.Start{Tool: "tool", Graph: "hash", Args: args}}
		if err := s.Journal(config.NewSecrets("hunter2hunter2"), aboutParked).Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		if s.CanPark(id) {
			t.Errorf("%s: it is not recorded yet", id)
		}
		if err := s.Flush(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if s.CanPark(id) != want {
			t.Errorf("%s: can be parked: %v", id, !want)
		}
	}
	if err := s.Release(t.Context(), "SECRET"); err != nil || len(s.writer.gaps) != 1 {
		t.Errorf("%v, %v", s.writer.gaps, err)
	}
}
