package simulation

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	"toolgraph/execution"
)

// fleet is several processes, their database, their upstream servers and their clients.
type fleet struct {
	world *world // has the scenario, and the upstream servers' answers
	// reference is the run without faults, with one process.
	reference   *world
	undisturbed *life
	rules       rules
	rng         *rand.Rand // of the scheduler's goroutine alone
	db          *database
	durable     bool
	began       time.Time
	ctx         context.Context //nolint:containedctx // ends with the schedule
	running     sync.WaitGroup

	servers  []*server // nil: the process is dead
	faults   int       // that are left: processes that are killed, paused and drained
	losses   int       // that are left: requests and acknowledgements that are lost
	clients  []*fleetClient
	steps    int
	started  int
	tookOver int

	mu         sync.Mutex // guards what follows
	requests   []*request
	ledger     map[attemptKey][]*sent
	repeats    map[attemptKey]map[int]bool
	cancelled  map[string]bool // runs, by a client
	operating  map[string]bool // runs whose in-doubt call an operator resolves
	lost       int
	trace      []string
	violations []violation
}

// attemptKey names an attempt of a call.
type attemptKey struct {
	run     string
	at      execution.Address
	attempt int
}

// sent is a call that was sent, or was on its way.
type sent struct {
	entry
	by *tenure
}

// fleetClient wants the outcome of a run, from whichever process.
type fleetClient struct {
	run     string
	number  int
	after   time.Duration
	outcome string
	done    bool
	gone    bool // it has cancelled
}

func newFleet(s *scenario, seed uint64, r rules) *fleet {
	f := &fleet{
		world: newWorld(s, seed), rules: r, rng: rand.New(rand.NewPCG(seed, 7)),
		ledger: map[attemptKey][]*sent{}, repeats: map[attemptKey]map[int]bool{}, cancelled: map[string]bool{}, operating: map[string]bool{},
	}
	f.db = &database{f: f, runs: map[string]*runRow{}, beats: map[string]time.Time{}, mail: map[string][]message{}}
	f.durable = f.rng.IntN(4) == 0
	f.faults, f.losses = f.rng.IntN(9), f.rng.IntN(16)
	f.servers = make([]*server, 2+f.rng.IntN(2))
	for i := range 1 + f.rng.IntN(2) {
		for n := range 1 + f.rng.IntN(3) {
			f.clients = append(f.clients, &fleetClient{run: fmt.Sprintf("run%d", i+1), number: n, after: time.Duration(f.rng.IntN(15)) * time.Second})
		}
	}
	return f
}

// mostSteps and mostTime are when a schedule hangs.
const (
	mostSteps = 60_000
	mostTime  = 3 * time.Hour
)

// play schedules everything to its end.
func (f *fleet) play(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	f.ctx, f.began = ctx, time.Now()
	for i := range f.servers {
		f.servers[i] = f.start(i)
	}
	for _, c := range f.clients {
		f.running.Go(func() { f.serve(c) })
	}
	for ; ; f.steps++ {
		synctest.Wait()
		f.beat()
		if f.settled() {
			break
		}
		if f.steps > mostSteps || time.Since(f.began) > mostTime {
			f.violated(endKind, "after %d steps and %v it has no end", f.steps, time.Since(f.began))
			break
		}
		f.step()
	}
	f.check()
	for i, p := range f.servers {
		if p != nil {
			f.servers[i] = nil
			p.die()
		}
	}
	cancel()
	f.running.Wait()
}

// serve is a client: it asks one process after the other until one answers.
func (f *fleet) serve(c *fleetClient) {
	time.Sleep(c.after)
	for try := 0; f.ctx.Err() == nil; try++ {
		f.mu.Lock()
		p := f.servers[(len(c.run)+c.number*7+try*5+int(c.after/time.Second))%len(f.servers)]
		gone := c.gone
		f.mu.Unlock()
		if gone {
			return
		}
		if p != nil {
			if out, err := p.request(c.run); err == nil {
				f.mu.Lock()
				c.outcome, c.done = out, true
				f.mu.Unlock()
				return
			}
		}
		time.Sleep(time.Second)
	}
}

// chaotic reports whether faults may happen still.
func (f *fleet) chaotic() bool { return f.faults > 0 || f.losses > 0 }

// settled reports whether all is over: each client has its outcome, and each run its end.
func (f *fleet) settled() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.requests) > 0 {
		return false
	}
	for _, c := range f.clients {
		if !c.done && !c.gone {
			return false
		}
	}
	for _, p := range f.servers {
		if p != nil && !p.idle() {
			return false
		}
	}
	for _, row := range f.db.runs {
		if !row.hasEnded() {
			return false
		}
	}
	return true
}

// action is something that can happen next.
type action struct {
	weight int
	do     func()
}

// step lets one thing happen, or time pass.
func (f *fleet) step() {
	var all []action
	total := 0
	add := func(weight int, do func()) {
		all = append(all, action{weight, do})
		total += weight
	}
	for _, r := range f.sorted() {
		add(3, func() { f.proceed(r) })
	}
	for i, p := range f.servers {
		if p == nil {
			add(1, func() { f.restart(i) })
			continue
		}
		if time.Now().Before(p.paused) {
			continue
		}
		for _, s := range p.sorted() {
			switch {
			case s.event != nil:
				add(3, func() { p.release(s) })
			case s.call != nil:
				add(1, func() { p.release(s) })
			case !s.routed:
				add(1, func() { f.user(p, s) })
			}
		}
		if p.wants() {
			add(2, p.write)
		}
		if len(f.db.mail[p.name]) > 0 && !p.taking {
			add(2, func() { f.takeMail(p) })
		}
		if p.news {
			add(2, func() { f.notice(p) })
		}
		if p.draining && p.idle() {
			add(2, func() { f.end(p) })
		}
	}
	for _, run := range f.unknown() {
		add(1, func() { f.operate(run) })
	}
	if p := f.victim(); p != nil && f.rng.IntN(15) == 0 {
		f.fault(p)
		return
	}
	waits := max(1, total/10)
	n := f.rng.IntN(total + waits)
	for _, a := range all {
		if n -= a.weight; n < 0 {
			a.do()
			return
		}
	}
	f.pass()
}

// pass lets time pass.
func (f *fleet) pass() { time.Sleep(time.Duration(20+f.rng.IntN(1000)) * time.Millisecond) }

// sorted returns the requests in an order that does not depend on goroutines, without the
// acknowledgements to paused processes.
func (f *fleet) sorted() []*request {
	f.mu.Lock()
	defer f.mu.Unlock()
	slices.SortStableFunc(f.requests, func(a, b *request) int {
		return cmp.Or(cmp.Compare(a.from.slot, b.from.slot), cmp.Compare(a.name, b.name))
	})
	now := time.Now()
	return slices.DeleteFunc(slices.Clone(f.requests), func(r *request) bool { return now.Before(r.until) || r.executed && now.Before(r.from.paused) })
}

// proceed takes a request one step further: to the database, or back.
func (f *fleet) proceed(r *request) {
	fails := f.losses > 0 && f.rng.IntN(6) == 0
	if fails {
		f.losses--
	}
	switch {
	case fails && !r.executed && f.rng.IntN(3) == 0:
		r.until = time.Now().Add(time.Duration(f.rng.IntN(30)) * time.Second)
	case !r.executed && !fails:
		r.executed = true
		r.exec()
		f.note("%s is executed for %s", r.name, r.from.name)
		if r.over {
			f.remove(r)
		}
	case !r.executed:
		if late := f.rng.IntN(2) == 0; late && !r.over {
			f.note("the connection for %s of %s is lost, and it is on its way", r.name, r.from.name)
			r.over = true // it arrives later
			r.until = time.Now().Add(time.Duration(f.rng.IntN(30)) * time.Second)
		} else {
			f.note("the connection for %s of %s is lost", r.name, r.from.name)
			f.remove(r)
			if r.over {
				return
			}
		}
		r.done(errConnection)
	default:
		f.remove(r)
		if fails {
			f.note("the acknowledgement of %s is lost for %s", r.name, r.from.name)
			r.done(errConnection)
			return
		}
		r.done(nil)
	}
}

func (f *fleet) remove(r *request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = slices.DeleteFunc(f.requests, func(other *request) bool { return other == r })
}

// abandon lets the requests of a dead process be lost, or arrive.
func (f *fleet) abandon(p *server) {
	f.sorted()
	f.mu.Lock()
	var waiting []*request
	f.requests = slices.DeleteFunc(f.requests, func(r *request) bool {
		if r.from != p {
			return false
		}
		if !r.over {
			r.over = true
			waiting = append(waiting, r)
		}
		r.until = time.Now().Add(time.Duration(f.rng.IntN(20)) * time.Second)
		return r.executed || f.rng.IntN(2) == 0
	})
	f.mu.Unlock()
	for _, r := range waiting {
		r.done(errCrash)
	}
}
