package simulation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"sync"
	"testing/synctest"
	"time"
)

// fleet is several processes, their database, their upstream server and their clients.
type fleet struct {
	db       *pgServer
	seed     uint64
	rng      *rand.Rand        // of the scheduler's goroutine alone
	drawn    map[string]uint64 // how often, for draw
	files    []string          // the versions of the graph file
	bounded  bool              // ended runs of the tool hold are deleted at once
	upgrades bool              // the first processes, and some later ones, are of a program before the expansions of the schema
	deleted  int64             // of these
	resource *url.URL
	began    time.Time
	ctx      context.Context //nolint:containedctx // ends with the schedule
	running  sync.WaitGroup

	faults     []fault
	losses     int // that are left: statements that are slow, lost, refused, or whose answer is lost
	callers    []*caller
	started    int
	statements int
	downUntil  time.Time   // the database is down until then; zero: it is up
	restarts   []time.Time // of dead processes, by slot
	updates    bool        // processes are started with the next version of the graph file
	standbys   []*standby

	mu         sync.Mutex // guards what follows
	processes  []*serving // by slot
	all        []*serving // also those that are dead
	ledger     map[attemptKey][]*sent
	paid       map[int]int
	cancelled  map[string]bool // runs, by an operator
	isBound    bool
	trace      []string
	violations []violation
}

// fault is something that happens at a time.
type fault struct {
	at time.Duration
	do func()
}

func (f *fleet) upTo(d time.Duration) time.Duration { return time.Duration(f.rng.Int64N(int64(d))) }

// chance is true once in n times.
func (f *fleet) chance(n int) bool { return f.rng.IntN(n) == 0 }

func newFleet(seed uint64, files []string) *fleet {
	f := &fleet{
		seed: seed, rng: rand.New(rand.NewPCG(seed, 7)), drawn: map[string]uint64{}, files: files, resource: &url.URL{Scheme: "http", Host: "127.0.0.1", Path: "/mcp"}, began: time.Now(),
		ledger: map[attemptKey][]*sent{}, paid: map[int]int{}, cancelled: map[string]bool{},
	}
	f.processes = make([]*serving, 2+f.rng.IntN(2))
	f.restarts, f.updates = make([]time.Time, len(f.processes)), f.chance(3)
	f.losses = f.rng.IntN(16)
	for id := range 2 + f.rng.IntN(6) {
		f.callers = append(f.callers, f.newCaller(id+1))
	}
	for range f.rng.IntN(6) {
		f.faults = append(f.faults, fault{f.upTo(30 * time.Second), f.anyFault()})
	}
	slices.SortStableFunc(f.faults, func(a, b fault) int { return int(a.at - b.at) })
	return f
}

// newCaller makes a client. Some have the key of the one before, with another subject.
func (f *fleet) newCaller(id int) *caller {
	c := &caller{id: id, subject: []string{"ada", "bob"}[f.rng.IntN(2)], after: f.upTo(20 * time.Second), steps: 1 + f.rng.IntN(6)}
	c.tool = []string{"order", "order", "order", "confirm", "late", "hold"}[f.rng.IntN(6)]
	switch {
	case c.tool == "hold":
		c.cancels = time.Second + f.upTo(10*time.Second)
	case !f.chance(4):
		c.key = fmt.Sprint("key-", id)
		c.repeats = f.rng.IntN(3)
	}
	if c.key != "" && len(f.callers) > 0 && f.chance(2) {
		before := f.callers[len(f.callers)-1]
		if before.key == fmt.Sprint("key-", before.id) && before.tool == c.tool && before.subject != c.subject {
			c.key = before.key
		}
	}
	return c
}

// mostTime is when a schedule hangs, and mostStatements too.
const (
	mostTime       = 20 * time.Minute
	mostStatements = 100_000
)

// play schedules everything to its end.
func (f *fleet) play(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f.ctx = ctx
	var err error
	if f.db, err = newPGServer(ctx); err != nil {
		f.violated(engineKind, "%v", err)
		return
	}
	f.db.note, f.db.breaks = f.note, f.violated
	f.db.mayLose, f.bounded = f.chance(2), hashOf("bounded", fmt.Sprint(f.seed))%2 == 0
	f.upgrades = hashOf("upgrades", fmt.Sprint(f.seed))/1000%3 == 0
	defer f.db.close()
	for i := range f.processes {
		f.put(i, f.start(i, 0))
	}
	if f.bounded {
		f.running.Go(f.bound)
	}
	for _, c := range f.callers {
		f.running.Go(func() { f.call(c) })
	}
	f.schedule(f.settled)
	f.calm()
	if !f.hasFailed() {
		checked := make(chan struct{})
		f.running.Go(func() {
			defer close(checked)
			f.check()
		})
		f.schedule(func() bool { return isClosed(checked) })
	}
	cancel()
	f.schedule(f.hasEnded)
	f.running.Wait()
	for _, p := range f.all {
		p.kill()
	}
	time.Sleep(time.Minute) // for what the driver closes in the background
	for _, b := range f.standbys {
		b.close()
	}
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// schedule lets one thing happen after the other, until it is over.
func (f *fleet) schedule(isOver func() bool) {
	until, most := time.Now().Add(mostTime), f.statements+mostStatements
	for {
		synctest.Wait()
		if isOver() || f.hasFailed() && f.ctx.Err() == nil {
			return
		}
		if f.statements > most || time.Now().After(until) {
			f.violated(endKind, "after %d statements and %v it has no end", f.statements, time.Since(f.began))
			return
		}
		if f.happens() || f.answers() {
			continue
		}
		select {
		case <-f.db.wake:
		case <-time.After(f.next()):
		}
	}
}

// next is how long nothing happens if no process does anything.
func (f *fleet) next() time.Duration {
	next := 500 * time.Millisecond
	now := time.Now()
	f.db.mu.Lock()
	defer f.db.mu.Unlock()
	for _, st := range f.db.pending {
		for _, at := range []time.Time{st.until, st.from.owner.thaws()} {
			if left := at.Sub(now); left > 0 {
				next = min(next, left)
			}
		}
	}
	return next
}

// answers lets the server of the database answer one statement; it reports whether there was one.
func (f *fleet) answers() bool {
	all := f.db.ready(func(st *statement) bool { return f.draw("arrives", st, 2) == 0 })
	if len(all) == 0 {
		return false
	}
	f.statements++
	st := all[f.draw("next", all[0], uint64(len(all)))]
	if f.losses > 0 && !st.lost && st.from != f.db.holder && f.draw("loss", st, 25) == 0 {
		f.losses--
		if f.loses(st) {
			return true
		}
	}
	f.db.take(st)
	reply := f.db.execute(st)
	if !st.lost {
		st.done <- reply
	}
	return true
}

// draw draws a number for a statement, below n: what is drawn depends on the statement, and on how many like it the process has
// sent, so that one more elsewhere changes nothing here.
func (f *fleet) draw(what string, st *statement, n uint64) uint64 {
	kind := what + st.from.owner.name + st.text[:min(len(st.text), 24)]
	f.drawn[kind]++
	return hashOf(kind, fmt.Sprint(f.seed, f.drawn[kind])) % n
}

// loses lets something happen to a statement, and reports whether that was all.
func (f *fleet) loses(st *statement) bool {
	p := st.from.owner.name
	switch f.draw("how", st, 6) {
	case 0, 1:
		d := []time.Duration{100 * time.Millisecond, 3 * time.Second, 20 * time.Second}[f.draw("long", st, 3)]
		d = time.Duration(f.draw("late", st, uint64(d)))
		f.note("a statement of %s is on its way for %v: %.60s", p, d, st.text)
		st.until = time.Now().Add(d)
		return true
	case 2:
		f.note("a connection of %s is cut: %.60s", p, st.text)
		f.db.take(st)
		st.from.cut()
		return true
	case 3, 4:
		f.note("the answer to %s is lost: %.60s", p, st.text)
		f.db.take(st)
		f.db.execute(st)
		st.from.cut()
		return true
	}
	f.note("a statement of %s is refused: %.60s", p, st.text)
	f.db.take(st)
	st.done <- append(f.db.refused(st.from, st.text, &refusal{code: []string{"40P01", "53300"}[f.draw("code", st, 2)], text: "not now"}), pgMessage(nil, 'Z', []byte{'I'})...)
	return true
}

// settled reports whether all is over: each client has its answer, and each run its end, or waits for a user.
func (f *fleet) settled() bool {
	if len(f.faults) > 0 || f.losses > 0 && time.Since(f.began) < time.Minute || !f.downUntil.IsZero() {
		return false
	}
	f.losses = 0
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.bounded && !f.isBound {
		return false
	}
	for _, p := range f.processes {
		if p == nil || !p.serves() || p.behind != nil || time.Now().Before(p.thaws()) {
			return false
		}
	}
	for _, c := range f.callers {
		if !c.done && !c.gone {
			return false
		}
	}
	if f.db.holder != nil {
		return false
	}
	var open int
	err := f.db.conn.QueryRowContext(f.ctx, `SELECT count(*) FROM runs WHERE status = 'running' OR status = 'interrupted' AND facts NOT LIKE '%"question"%'`).Scan(&open)
	return err != nil && !f.db.has("runs") || err == nil && open == 0
}

func (f *fleet) hasEnded() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !slices.ContainsFunc(f.all, func(p *serving) bool { return !p.hasEnded() })
}

func (f *fleet) hasFailed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.violations) > 0
}

func (f *fleet) put(slot int, p *serving) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.processes[slot] = p
	f.all = append(f.all, p)
}

// note adds a line to the history of the schedule.
func (f *fleet) note(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.line(format, args...)
}

func (f *fleet) line(format string, args ...any) {
	f.trace = append(f.trace, fmt.Sprintf("%9.3fs ", time.Since(f.began).Seconds())+fmt.Sprintf(format, args...))
	if os.Getenv("LIVE") != "" {
		fmt.Fprintln(os.Stderr, f.trace[len(f.trace)-1])
	}
}

// violated adds a violation of an invariant.
func (f *fleet) violated(k kind, format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.violate(k, format, args...)
}

func (f *fleet) violate(k kind, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	f.line("VIOLATION of %s: %s", k, text)
	f.violations = append(f.violations, violation{k, text})
}
