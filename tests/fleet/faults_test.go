//go:build unix

package fleet

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"toolgraph/tests/pgtest"
)

// fault strikes while calls are made, and ends. During makes calls in the background; the result counts what the fault
// has done, and is not 0.
type fault struct {
	name   string
	quick  bool // go test has it, too
	strike func(s *site, l *ledger, during func()) (effect int)
}

// faults are in the order in which they strike. The new version of the file is the last, since a process that starts later
// does not have the version of the runs that are in flight.
var faults = []fault{
	{bounds, false, (*site).bounded},
	{"kill -9 of a process", false, (*site).killed},
	{"a process sleeps for longer than its lease", false, (*site).slept},
	{"SIGTERM of a process", true, (*site).drained},
	{"crash of Postgres", false, (*site).crashed},
	{"connections to Postgres are cut", true, (*site).cut},
	{"the balancer is killed", true, (*site).unbalanced},
	{"the database answers a second late", false, (*site).late},
	{"the database takes no writes", false, (*site).full},
	{"Postgres is away for 15 s", false, (*site).away},
	{"a process is started while Postgres is away", false, (*site).early},
	{"the upstream server is killed", true, (*site).upstreamKilled},
	{"a new version of the graph file", true, (*site).changed},
}

// Three processes behind a balancer answer all calls of clients through each fault, once and right.
func TestFaults(t *testing.T) {
	t.Parallel()
	all, n := faults, calls(t)
	if os.Getenv("FLEET") == "" {
		all = slices.DeleteFunc(slices.Clone(faults), func(f fault) bool { return !f.quick })
	}
	s := newSite(t, map[string]string{"shop.yaml": shopFile, "desk.yaml": deskFile})
	l := &ledger{made: map[string]int{}}
	todo := make(chan int)
	var working sync.WaitGroup
	for range 2 * inFlight {
		working.Go(func() {
			for id := range todo {
				s.call(l, id)
			}
		})
	}
	next := 0
	feed := func(until int) {
		for ; next < until; next++ {
			todo <- next
		}
	}
	for i, f := range all {
		from, to := n*i/len(all), n*(i+1)/len(all)
		feed(from + (to-from)/3)
		var during sync.WaitGroup
		if all[0].name == bounds {
			s.setBounds() // the next process that starts looks for what is beyond them
		}
		begun := time.Now()
		effect := f.strike(s, l, func() { during.Go(func() { feed(from + 2*(to-from)/3) }) })
		during.Wait()
		if effect == 0 {
			t.Errorf("%s: it has had no effect", f.name)
		}
		t.Logf("%s: effect %d, %.1f s", f.name, effect, time.Since(begun).Seconds())
		feed(to)
	}
	close(todo)
	working.Wait()
	s.nothingLeft()
	const runs = "SELECT count(*) FROM toolgraph.runs"
	if recorded := s.number(runs); all[0].name == bounds {
		t.Logf("of the runs of %d calls %d are recorded in the end, %d bytes", n, recorded, s.number("SELECT coalesce(sum(bytes), 0)::float8 FROM toolgraph.runs"))
		if recorded > n*3/4 {
			t.Errorf("of the runs of %d calls %d are recorded in spite of the bound of %s", n, recorded, bound)
		}
	}
	for id := range n {
		if paid := s.up.count(id); paid > 1 {
			l.doubled++
			t.Errorf("call %d was paid %d times in the end", id, paid)
		}
	}
	t.Logf("%d calls, %d faults: lost %d, doubled %d, wrong %d, unanswered %d", n, len(all), l.lost, l.doubled, l.wrong, l.unanswered)
	t.Logf("in doubt %d, not made without the database %d, failed without the upstream server %d, broken without a key %d, repeated requests %d, answers of version 1 and 2 %v",
		l.inDoubt, l.refused, l.failed, l.broken, l.repeated, l.versions[1:])
	for _, kind := range slices.Sorted(maps.Keys(l.made)) {
		t.Logf("%d calls %s", l.made[kind], kind)
	}
}

// number returns the number that a query gives in the database, beside the processes.
func (s *site) number(query string) int {
	s.t.Helper()
	n, err := pgtest.Number(s.state, query)
	if err != nil {
		s.t.Fatal(err)
	}
	return int(n)
}

const resuming = "resuming an interrupted run"

func (s *site) killed(_ *ledger, during func()) int {
	before := s.logged(resuming)
	during()
	_ = s.posts[0].process().cmd.Process.Kill()
	s.wait("other processes resume the runs", func() bool { return s.logged(resuming) > before })
	s.allReady()
	return s.logged(resuming) - before
}

func (s *site) slept(_ *ledger, during func()) int {
	sleeper := s.posts[1]
	before := s.logged(resuming)
	_ = sleeper.process().cmd.Process.Signal(syscall.SIGSTOP)
	during()
	s.wait("other processes resume the runs of the sleeper", func() bool { return s.logged(resuming) > before })
	_ = sleeper.process().cmd.Process.Signal(syscall.SIGCONT)
	s.wait("the sleeper has lost its runs", func() bool { return sleeper.metric("toolgraph_leases_lost_total") > 0 })
	return sleeper.metric("toolgraph_leases_lost_total")
}

func (s *site) drained(_ *ledger, during func()) int {
	leaving := s.posts[2].process()
	before := s.logged("runs are suspended")
	during()
	_ = leaving.cmd.Process.Signal(syscall.SIGTERM)
	<-leaving.exited
	if code := leaving.cmd.ProcessState.ExitCode(); code != 0 {
		s.t.Errorf("a process that was stopped ends with %d", code)
	}
	s.allReady()
	return 1 + s.logged("runs are suspended") - before
}

// refused waits until more attempts of the processes have failed at the database than before.
func (s *site) refused(before int) int {
	s.wait("the database has failed", func() bool { return s.metric("toolgraph_store_errors_total") > before })
	return s.metric("toolgraph_store_errors_total") - before
}

func (s *site) crashed(_ *ledger, during func()) int {
	before := s.metric("toolgraph_store_errors_total")
	during()
	s.database(s.db.Kill)
	s.database(s.db.Start)
	defer s.allReady()
	return s.refused(before)
}

func (s *site) database(do func() error) {
	s.t.Helper()
	if err := do(); err != nil {
		s.t.Fatal(err)
	}
}

const cutAll = `SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity
	WHERE datname = current_database() AND pid <> pg_backend_pid()`

func (s *site) cut(_ *ledger, during func()) (n int) {
	during()
	for range 3 {
		n += s.number(cutAll)
	}
	s.allReady()
	return n
}

func (s *site) unbalanced(l *ledger, during func()) int {
	count := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.repeated + l.broken
	}
	before := count()
	during()
	s.balancer.kill()
	s.wait("clients have lost their connections", func() bool { return count() > before })
	s.balancer.start()
	return count() - before
}

func (s *site) late(_ *ledger, during func()) int {
	before := s.wire.delayed.Load()
	s.wire.delay.Store(int64(time.Second))
	defer s.wire.delay.Store(0)
	during()
	s.wait("what the processes send is late", func() bool { return s.wire.delayed.Load() >= before+200 })
	return int(s.wire.delayed.Load() - before)
}

func (s *site) full(_ *ledger, during func()) int {
	set := func(how string) {
		pgtest.Load(s.t, s.state+"&default_transaction_read_only=off", `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I `+how+`', current_database()); END $$`)
		s.number(cutAll)
	}
	before := s.metric("toolgraph_store_errors_total")
	set("SET default_transaction_read_only = on")
	during()
	s.wait("the processes notice it", func() bool { return !s.posts[0].ready() && !s.posts[1].ready() && !s.posts[2].ready() })
	n := s.refused(before)
	set("RESET default_transaction_read_only")
	s.allReady()
	return n
}

// awayFor is how long Postgres is away: longer than a process waits for it before it lets a call fail.
const awayFor = 15 * time.Second

func (s *site) away(l *ledger, during func()) int {
	l.mu.Lock()
	before := l.repeated
	l.mu.Unlock()
	s.database(s.db.Stop)
	during()
	time.Sleep(awayFor) // the fault is how long it takes
	s.database(s.db.Start)
	s.allReady()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.repeated - before
}

func (s *site) early(_ *ledger, during func()) int {
	p := s.posts[2]
	before := p.starts()
	s.database(s.db.Stop)
	during()
	_ = p.process().cmd.Process.Kill()
	s.wait("the process has not started", func() bool { return p.starts() >= before+2 })
	s.database(s.db.Start)
	s.allReady()
	return p.starts() - before
}

func (s *site) upstreamKilled(_ *ledger, during func()) int {
	var n int
	during()
	for range 3 {
		s.wait("calls are in flight", func() bool { return s.up.inFlight() > 0 })
		n += s.up.kill()
		s.up.revive(s.t)
	}
	return n
}

// changed replaces the file of one process after the other, so that two versions are served side by side.
func (s *site) changed(l *ledger, during func()) int {
	answers := func() [3]int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.versions
	}
	before := answers()
	during()
	next := 1 << 20 // ids of calls beside those that are counted: these may all have been answered before the change
	until := func(version int) {
		s.wait(fmt.Sprintf("version %d has answered", version), func() bool {
			if answers()[version] > before[version] {
				return true
			}
			s.call(l, next)
			next++
			return false
		})
	}
	for i, p := range s.posts {
		s.write(p, "shop.yaml", secondVersion(shopFile))
		s.write(p, "desk.yaml", secondVersion(deskFile))
		s.wait("the new version is served", func() bool { return strings.Count(p.process().log.String(), "serving the new version") >= 2 })
		if i == 0 {
			before[1] = answers()[1]
			until(1)
		}
	}
	until(2)
	return min(answers()[1]-before[1], answers()[2]-before[2])
}

const (
	bounds = "bounds of the history" // what they have deleted is counted in the end
	// bound is what the history may hold: many runs more than are in flight.
	bound = "512KiB"
)

func (s *site) setBounds() {
	s.t.Helper()
	if out, err := s.toolgraph("retention", "set", "--keep", "0", "--keep-bytes", bound); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
}

func (s *site) bounded(_ *ledger, during func()) int {
	s.setBounds()
	during()
	return 1
}
