package journal

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"testing"
	"time"
)

// deletedOf returns what the database says that its leaders have deleted, and who leads.
func deletedOf(t *testing.T, s *Store) (n amount, leader string) {
	t.Helper()
	db, err := s.data.Open(t.Context(), false)
	if err == nil {
		err = db.QueryRowContext(t.Context(), `SELECT deleted, freed, leader FROM upkeep`).Scan(&n.runs, &n.bytes, &leader)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n, leader
}

// lateLeader ends the time of the leader, as that of one that is dead.
func lateLeader(t *testing.T, s *Store) {
	t.Helper()
	db, err := s.data.Open(t.Context(), true)
	if err == nil {
		_, err = db.ExecContext(t.Context(), `UPDATE upkeep SET leads = 1`)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A leader that stands still in the middle of a pass loses it to another process, which goes on. When it wakes, its step does
// nothing: no run is deleted twice, or counted twice.
func TestX28LeaderIsTakenOver(t *testing.T) {
	const old, stay = 5000, 160
	dir, _ := grown(t, old)
	first := reopen(t, dir, Options{})
	if err := first.SetPolicy(t.Context(), Policy{Retention: Retention{MaxRuns: stay}}); err != nil {
		t.Fatal(err)
	}
	before := amountOf(t, first)
	d := stopAt(first, 3)
	slept := make(chan error, 1)
	go func() {
		_, err := first.pruneDue(context.WithoutCancel(t.Context()))
		slept <- err
	}()
	<-d.stopped
	second := reopen(t, dir, Options{})
	if again, err := second.pruneDue(t.Context()); err != nil || again <= 0 {
		t.Errorf("a second leader beside the first: %v, %v", again, err)
	}
	left := amountOf(t, second)
	if got, _ := deletedOf(t, second); got.runs != before.runs-left.runs || got.runs == 0 || left.runs < old/2 {
		t.Errorf("%d runs are counted as deleted, of %d there are %d", got.runs, before.runs, left.runs)
	}
	lateLeader(t, second)
	if _, err := second.pruneDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	close(d.on)
	if err := <-slept; err != nil {
		t.Errorf("the first: %v", err)
	}
	if first.pruner.leads.Load() != nil {
		t.Error("the first takes itself for the leader")
	}
	left = amountOf(t, second)
	got, leader := deletedOf(t, second)
	if left.runs > stay || left.runs < stay*7/8 {
		t.Errorf("%d runs are left, expected nearly %d", left.runs, stay)
	}
	if got.runs != before.runs-left.runs || got.bytes != before.bytes-left.bytes {
		t.Errorf("%+v is counted as deleted, and of %+v there is %+v", got, before, left)
	}
	if counted := first.Health().Pruned + second.Health().Pruned; counted != got.runs {
		t.Errorf("the processes count %d, the database %d", counted, got.runs)
	}
	if me := *second.pruner.leads.Load(); leader != me {
		t.Errorf("%s leads, expected %s", leader, me)
	}
}

// Whatever the order in which processes look, sleep, wake, close and delete, at most one of them leads in the database, and only its
// steps count.
func TestX28NeverTwoLeaders(t *testing.T) {
	dir, _ := grown(t, 3)
	stores := []*Store{reopen(t, dir, Options{}), reopen(t, dir, Options{}), reopen(t, dir, Options{})}
	if err := stores[0].SetPolicy(t.Context(), Policy{Retention: Retention{MaxAge: time.Hour}}); err != nil {
		t.Fatal(err)
	}
	random := randomOf(t)
	var want int64
	for i := range 120 {
		s := stores[random.IntN(len(stores))]
		switch random.IntN(4) {
		case 0:
			lateLeader(t, s)
		case 1:
			s.follow()
		default:
			if _, err := s.pruneDue(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		_, leader := deletedOf(t, s)
		leads := 0
		for _, s := range stores {
			db, err := s.data.Open(t.Context(), true)
			if err != nil {
				t.Fatal(err)
			}
			err = transact(t.Context(), db, func(tx *sql.Tx) error { return s.fence(t.Context(), tx, amount{runs: 1}) })
			if err == nil {
				leads++
				want++
			} else if !isLed(err) {
				t.Fatal(err)
			}
		}
		if leads > 1 || leads == 1 && leader == "" {
			t.Fatalf("turn %d: %d processes lead", i, leads)
		}
	}
	if got, _ := deletedOf(t, stores[0]); got.runs != want {
		t.Errorf("%d steps are counted, expected %d", got.runs, want)
	}
}

// endedAs records a run of a tool that began some time ago and has ended with a status.
func endedAs(t *testing.T, s *Store, id, server, tool string, status Status, age time.Duration) {
	t.Helper()
	all := made(id, time.Now().Add(-age), false)
	all[0].Start.Tool = tool
	all[1].End = endOf(status)
	j := s.Journal(nil, About{File: "/x.yaml", Server: server})
	for _, e := range all {
		if err := j.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

// Rules bound the runs of a server, a tool or a status. A run belongs to one of them.
func TestRulesOfRetention(t *testing.T) {
	const day = 24 * time.Hour
	s := reopen(t, t.TempDir(), Options{})
	s.pruner.begin.Do(func() {}) // no passes but those of the test
	policy := Policy{Retention: Retention{MaxAge: 30 * day}}.
		With(Rule{Selector{Status: Failed}, Retention{MaxAge: 90 * day}}).
		With(Rule{Selector{Tool: "ping"}, Retention{MaxAge: day, MaxRuns: 3}}).
		With(Rule{Selector{Server: "test"}, Retention{MaxAge: 2 * day}}).
		With(Rule{Selector{Tool: "ping", Status: Failed}, Retention{MaxAge: 5 * day}}).
		With(Rule{Selector{Tool: "log"}, Retention{}})
	if err := s.SetPolicy(t.Context(), policy); err != nil {
		t.Fatal(err)
	}
	for i, of := range []struct {
		server, tool string
		status       Status
		age          time.Duration
		stays        bool
	}{
		{"demo", "read", Finished, 29 * day, true},
		{"demo", "read", Finished, 31 * day, false},
		{"demo", "read", Cancelled, 31 * day, false},
		{"demo", "read", Failed, 89 * day, true},
		{"demo", "read", Failed, 91 * day, false},
		{"test", "read", Finished, day, true},
		{"test", "read", Finished, 3 * day, false},
		{"test", "read", Failed, 3 * day, false}, // a server before a status
		{"demo", "ping", Finished, 2 * day, false},
		{"test", "ping", Finished, 36 * time.Hour, false}, // a tool before a server
		{"demo", "ping", Failed, 4 * day, true},           // the most conditions
		{"demo", "ping", Failed, 6 * day, false},
		{"demo", "log", Failed, 1000 * day, true},
		{"demo", "ping", Finished, 5 * time.Hour, false}, // the fourth of those that are not too old
		{"demo", "ping", Finished, 3 * time.Hour, true},
		{"test", "ping", Cancelled, 2 * time.Hour, true},
		{"demo", "ping", Finished, time.Hour, true},
	} {
		stays := "GOES"
		if of.stays {
			stays = "STAYS"
		}
		endedAs(t, s, fmt.Sprintf("%s%02d", stays, i), of.server, of.tool, of.status, of.age)
	}
	s.writer.flush()
	var want []string
	for _, id := range idsOfAll(t, s) {
		if id[0] == 'S' {
			want = append(want, id)
		}
	}
	if _, err := s.pruneDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := idsOfAll(t, s); !slices.Equal(got, want) {
		t.Errorf("%v are left, expected %v", got, want)
	}
	if age := policy.MostAge("demo", "read"); age != 30*day {
		t.Errorf("a run of read is recorded for %v", age)
	}
	if age := policy.MostAge("demo", "ping"); age != day {
		t.Errorf("a run of ping is recorded for %v", age)
	}
	if read, ok, err := s.Policy(t.Context()); !ok || err != nil || !read.Equal(policy) {
		t.Errorf("the policy is %v, %v", read, err)
	}
}

// The bounds of all runs together delete what no rule selects first, and then the oldest of the others.
func TestBoundsOfAll(t *testing.T) {
	s := reopen(t, t.TempDir(), Options{})
	s.pruner.begin.Do(func() {})
	for i := range 6 {
		endedAs(t, s, fmt.Sprintf("A%d", i), "demo", "audit", Finished, time.Duration(20-i)*time.Hour)
		endedAs(t, s, fmt.Sprintf("B%d", i), "demo", "read", Finished, time.Duration(10-i)*time.Hour)
	}
	s.writer.flush()
	policy := Policy{}.With(Rule{Selector{Tool: "audit"}, Retention{MaxAge: 1000 * time.Hour}})
	for _, c := range []struct {
		most int
		want []string
	}{
		{9, []string{"B5", "A5", "B4", "A4", "B3", "A3", "A2", "A1", "A0"}},
		{3, []string{"A5", "A4", "A3"}},
	} {
		policy.MaxRuns = c.most
		if err := s.SetPolicy(t.Context(), policy); err != nil {
			t.Fatal(err)
		}
		if _, err := s.prune(t.Context(), &pruning{keep: policy}); err != nil {
			t.Fatal(err)
		}
		if got := idsOfAll(t, s); !slices.Equal(got, c.want) {
			t.Errorf("%v are left, expected %v", got, c.want)
		}
	}
}
