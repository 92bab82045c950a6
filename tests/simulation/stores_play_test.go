package simulation

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// patience is a guard against a schedule that hangs.
const patience = 60 * time.Second

// playStores plays a schedule of a seed on a database.
func playStores(t *testing.T, at place, seed uint64) *stores {
	s := generate(seed)
	s.compile(t)
	f := &stores{
		t: t, s: s, place: at, file: fmt.Sprintf("/sim/%d.yaml", seed), rng: rand.New(rand.NewPCG(seed, 11)),
		ledger: map[attemptKey][]*stay{}, outcomes: map[string][]string{},
	}
	synctest.Test(t, func(t *testing.T) { f.reference, f.undisturbed = s.reference(t.Context()) })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f.ctx = ctx
	f.durable = f.rng.IntN(4) == 0
	f.members = make([]*member, 2+f.rng.IntN(2))
	for i := range f.members {
		f.members[i] = f.start(i)
	}
	clients, done := 0, make(chan struct{}, 16)
	for i := range 1 + f.rng.IntN(2) {
		for n := range 1 + f.rng.IntN(3) {
			clients++
			run, after := fmt.Sprintf("s%d-%d", seed, i), time.Duration(f.rng.IntN(60))*time.Millisecond
			f.running.Go(func() {
				f.client(run, n, after)
				done <- struct{}{}
			})
		}
	}
	faults := f.rng.IntN(8)
	hang := time.After(patience)
	for clients > 0 {
		wait := make(<-chan time.Time)
		if faults > 0 {
			wait = time.After(time.Duration(3+f.rng.IntN(30)) * time.Millisecond)
		}
		select {
		case <-done:
			clients--
		case <-wait:
			if f.fault(faults == 1) {
				faults--
			}
		case <-hang:
			f.violated(endKind, "%d clients have no answer after %v", clients, patience)
			f.describe()
			cancel()
			clients = 0
		}
	}
	f.restartAll(true)
	time.Sleep(time.Until(f.silent) + 4*pauses) // for what is late
	f.check(t)
	cancel()
	for i := range f.members {
		f.close(i)
	}
	f.running.Wait()
	f.closing.Wait()
	if len(f.violations) > 0 || os.Getenv("SEED") != "" {
		f.report(t, seed)
	}
	return f
}

// client asks one process after the other until one answers.
func (f *stores) client(run string, n int, after time.Duration) {
	time.Sleep(after)
	for try := 0; f.ctx.Err() == nil; try++ {
		f.mu.Lock()
		m := f.members[(n+try)%len(f.members)]
		f.mu.Unlock()
		if m != nil {
			if out, err := m.request(run); err == nil {
				f.mu.Lock()
				f.outcomes[run] = append(f.outcomes[run], out)
				f.mu.Unlock()
				return
			}
		}
		time.Sleep(pauses)
	}
}

// fault lets something happen to a process that has runs, or starts a dead one; it reports whether it
// has. The last fault ends all: what is dead is started again.
func (f *stores) fault(last bool) bool {
	i := f.rng.IntN(len(f.members))
	m := f.members[i]
	switch what := f.rng.IntN(8); {
	case m == nil:
		f.restart(i)
	case !m.busy():
		return false
	case what < 3:
		f.note("%s is killed", m.name)
		f.kill(i)
	case what < 7:
		d := time.Duration(400+f.rng.IntN(900)) * time.Millisecond
		f.note("%s does not reach its database for %v", m.name, d)
		if until := time.Now().Add(d); until.After(f.silent) {
			f.silent = until
		}
		f.running.Go(func() { m.way.pause(d) })
	default:
		f.drain(i)
	}
	if last {
		f.restartAll(true)
	}
	return true
}

// restartAll starts what is dead; calm: and no more connections are cut.
func (f *stores) restartAll(calm bool) {
	for i, m := range f.members {
		if m == nil {
			f.restart(i)
		}
		if calm {
			f.members[i].way.calm()
		}
	}
}

func (f *stores) restart(i int) {
	m := f.start(i)
	f.mu.Lock()
	f.members[i] = m
	f.mu.Unlock()
}

func (f *stores) take(i int) *member {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.members[i]
	f.members[i] = nil
	return m
}

// kill ends a process at once: what it has sent may still be done.
func (f *stores) kill(i int) {
	m := f.take(i)
	m.way.kill()
	m.end(execution.ErrSuspended)
	f.closing.Go(func() { _ = m.store.Close() }) // it reaches nothing
}

// drain ends a process whose runs end before their next step.
func (f *stores) drain(i int) {
	m := f.take(i)
	f.note("%s is to end", m.name)
	m.mu.Lock()
	m.draining = true
	m.mu.Unlock()
	close(m.stop)
	f.closing.Go(func() {
		for m.busy() && f.ctx.Err() == nil {
			time.Sleep(pauses)
		}
		m.end(errDrained)
		_ = m.store.Close() // its runs are interrupted also when it cannot write
		m.way.kill()
	})
}

func (m *member) busy() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.stays) > 0
}

// close ends a process in order.
func (f *stores) close(i int) {
	if m := f.take(i); m != nil {
		m.end(errDrained)
		if err := m.store.Close(); err != nil && !errors.Is(err, context.Canceled) {
			f.note("%s is not closed: %v", m.name, err)
		}
		m.way.kill()
	}
}

func (f *stores) note(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.trace = append(f.trace, time.Now().Format("05.000 ")+fmt.Sprintf(format, args...))
}

func (f *stores) violated(k kind, format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.violate(k, format, args...)
}

func (f *stores) violate(k kind, format string, args ...any) {
	f.violations = append(f.violations, violation{k, fmt.Sprintf(format, args...)})
	f.trace = append(f.trace, "VIOLATION: "+fmt.Sprintf(format, args...))
}

func (f *stores) report(t *testing.T, seed uint64) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: SEED=%d (times differ from run to run)\n", seed, seed)
	for _, v := range f.violations {
		fmt.Fprintf(&b, "  %s: %s\n", v.kind, v.text)
	}
	fmt.Fprintf(&b, "%s\ntrace:\n%s\n", f.s.source, strings.Join(f.trace, "\n"))
	if len(f.violations) > 0 {
		t.Error(b.String())
		return
	}
	t.Log(b.String())
}

// describe adds to the trace what the runs and the processes are at.
func (f *stores) describe() {
	for _, m := range f.members {
		runs, err := m.store.List(f.ctx, journal.Filter{File: f.file})
		me, processErr := m.store.Process(f.ctx)
		f.note("%s is process %s (%v), its runs: %v", m.name, me.Name, processErr, err)
		for _, r := range runs {
			f.note("    %s is %s with %d steps, of process %v", r.ID, r.Status, r.Steps, r.Process)
		}
		m.mu.Lock()
		for run, s := range m.stays {
			s.mu.Lock()
			f.note("    it has %s with %d events, taken: %t", run, len(s.appended), s.taken)
			s.mu.Unlock()
		}
		m.mu.Unlock()
	}
}

// playAll plays schedules on databases, several at a time: 4, or a tenth of SIM.
func playAll(t *testing.T, at func(*testing.T) place) {
	t.Helper()
	first, n := uint64(1), max(4, fromEnv(t, "SIM", 0)/10)
	if os.Getenv("SEED") != "" {
		first, n = fromEnv(t, "SEED", 0), 1
	}
	all := make(chan *stores, n)
	t.Run("schedules", func(t *testing.T) {
		room := make(chan struct{}, 12)
		for seed := first; seed < first+n; seed++ {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				room <- struct{}{}
				defer func() { <-room }()
				all <- playStores(t, at(t), seed)
			})
		}
	})
	close(all)
	tookOver, refused, stays, calls := 0, 0, 0, 0
	for f := range all {
		tookOver += f.tookOver
		refused += f.refused
		stays += len(f.stays)
		calls += len(f.ledger)
	}
	t.Logf("%d schedules: %d runs in processes, %d of them taken over, %d calls, %d runs could not be recorded", n, stays, tookOver, calls, refused)
}
