package simulation

import (
	"fmt"
	"slices"
	"time"

	"toolgraph/execution"
)

// beat lets the hearts of all processes beat that are not paused. A beat may be late.
func (f *fleet) beat() {
	for _, p := range f.servers {
		now := time.Now()
		if p == nil || now.Before(p.paused) || now.Before(p.beats) {
			continue
		}
		if f.losses > 0 && f.rng.IntN(20) == 0 {
			p.beats = now.Add(time.Second)
			continue
		}
		p.beat()
	}
}

// idle reports whether a process has nothing to do.
func (p *server) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.tenures) == 0 && len(p.queue) == 0 && p.writing == nil
}

// wants reports whether a process has something to write, and is not writing.
func (p *server) wants() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.sending && (p.writing != nil || len(p.queue) > 0)
}

// victim returns the process that has the next fault, mostly one that has runs; nil for none.
func (f *fleet) victim() *server {
	if f.faults == 0 {
		return nil
	}
	var busy []*server
	for _, p := range f.servers {
		if p != nil && (!p.idle() || f.rng.IntN(20) == 0) {
			busy = append(busy, p)
		}
	}
	if len(busy) == 0 {
		return nil
	}
	return busy[f.rng.IntN(len(busy))]
}

// fault kills a process, lets it sleep, lets it end, or lets a client cancel.
func (f *fleet) fault(p *server) {
	f.faults--
	switch f.rng.IntN(8) {
	case 0, 1, 2:
		f.note("%s is killed", p.name)
		f.end(p)
	case 3, 4, 5:
		d := time.Duration(f.rng.IntN(40)) * time.Second
		f.note("%s sleeps for %v", p.name, d)
		p.paused = time.Now().Add(d)
		p.beats = p.paused.Add(time.Duration(f.rng.IntN(4000)) * time.Millisecond) // it may write before
	case 6:
		p.drain()
	case 7:
		f.cancel(p)
	}
}

// end ends a process at once.
func (f *fleet) end(p *server) {
	f.mu.Lock()
	f.servers[p.slot] = nil
	f.mu.Unlock()
	p.die()
}

// restart starts a process in the place of a dead one, sooner or later.
func (f *fleet) restart(slot int) {
	if f.chaotic() && f.rng.IntN(4) > 0 {
		f.pass()
		return
	}
	p := f.start(slot)
	f.mu.Lock()
	f.servers[slot] = p
	f.mu.Unlock()
}

// drain lets a process end: its runs end before their next step, and it gives them back.
func (p *server) drain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.draining {
		p.f.note("%s is to end", p.name)
		p.draining = true
		close(p.stop)
	}
}

// cancel lets a client cancel at a process, which may be another one than has the run.
func (f *fleet) cancel(p *server) {
	c := f.clients[f.rng.IntN(len(f.clients))]
	f.mu.Lock()
	if c.done || c.gone {
		f.mu.Unlock()
		return
	}
	c.gone = true
	f.cancelled[c.run] = true
	f.mu.Unlock()
	f.note("client %d cancels %s at %s", c.number, c.run, p.name)
	m := message{kind: cancelMail, run: c.run}
	p.receive(m)
	f.running.Go(func() { p.route(m) })
}

// user lets a user answer, here or at another process.
func (f *fleet) user(p *server, s *step) {
	other := f.servers[f.rng.IntN(len(f.servers))]
	if other == nil || f.rng.IntN(3) == 0 {
		p.release(s)
		return
	}
	q := s.question
	s.routed = true
	m := message{kind: answerMail, run: s.tenure.run, to: questionOf(q.At, q.Digest), user: answerOfUser(q)}
	f.note("%s of %s is answered at %s", s.name(), m.run, other.name)
	f.running.Go(func() {
		if !other.route(m) {
			f.mu.Lock()
			defer f.mu.Unlock()
			s.routed = false // the user answers again
		}
	})
}

// takeMail lets a process get its mail: late, in any order, once or twice, or, when the
// acknowledgement is lost, not at all.
func (f *fleet) takeMail(p *server) {
	var all []message
	name := p.name
	p.taking = true
	f.send(&request{from: p, name: "take mail", exec: func() {
		all = f.db.mail[name]
		delete(f.db.mail, name)
	}, done: func(err error) {
		p.taking = false
		if err != nil {
			return
		}
		f.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, m := range all {
			f.note("%s gets %s of %s", p.name, m.kind, m.run)
			p.receive(m)
			if f.rng.IntN(4) == 0 {
				p.receive(m)
			}
		}
	}})
}

// notice lets a notification come, or be lost.
func (f *fleet) notice(p *server) {
	p.news = false
	if f.rng.IntN(3) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.wakeup)
	p.wakeup = make(chan struct{})
}

// called adds a call to the ledger and checks that it may be sent.
func (f *fleet) called(t *tenure, c *execution.Call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := attemptKey{c.Run, c.At(), attemptOf(c.Attempt)}
	if t.taken {
		f.violate(sentKind, "%s: call %s is sent by %s, which knows that it has lost the run", t.run, c.At(), t.p.name)
	}
	spec := f.world.s.specs[c.Name()]
	if n := len(f.ledger[key]); n > len(f.repeats[key]) && !spec.safe {
		f.violate(sentKind, "%s: call %s attempt %d is not safe to repeat, and is sent %d times with %d permissions",
			t.run, c.At(), key.attempt, n+1, len(f.repeats[key]))
	}
	for _, before := range f.ledger[key] {
		if before.by == t {
			f.violate(sentKind, "%s: call %s attempt %d is sent twice in one tenure", t.run, c.At(), key.attempt)
		}
	}
	f.ledger[key] = append(f.ledger[key], &sent{entry: entry{call: *c}, by: t})
}

// answered marks a call as answered.
func (f *fleet) answered(t *tenure, c *execution.Call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.ledger[attemptKey{c.Run, c.At(), attemptOf(c.Attempt)}] {
		s.answered = s.answered || s.by == t
	}
}

// made is what became of an in-doubt call: it was made and has an answer, or it was not made.
func (f *fleet) made(run string, at execution.Address, attempt int) (bool, answer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.ledger[attemptKey{run, at, attempt}] {
		if !s.known {
			s.known, s.lost = true, !s.answered && len(fmt.Sprint(run, at, attempt))%2 == 0
		}
		if !s.lost {
			return true, f.world.answerTo(&s.call)
		}
	}
	return false, answer{}
}

// mayRepeat permits one more attempt of a call, after an end of its run.
func (f *fleet) mayRepeat(run string, at execution.Address, attempt, end int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := attemptKey{run, at, attempt}
	if f.repeats[key] == nil {
		f.repeats[key] = map[int]bool{}
	}
	f.repeats[key][end] = true
}

// unknown returns the runs that have ended because of an in-doubt call, once their clients know it.
func (f *fleet) unknown() (runs []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, row := range f.db.runs {
		open := func(c *fleetClient) bool { return c.run == id && !c.done && !c.gone }
		if row.isUnknown() && !f.operating[id] && !slices.ContainsFunc(f.clients, open) {
			runs = append(runs, id)
		}
	}
	slices.Sort(runs)
	return runs
}

// operate lets an operator resolve the in-doubt call of a run.
func (f *fleet) operate(run string) {
	p := f.servers[f.rng.IntN(len(f.servers))]
	if p == nil {
		return
	}
	f.mu.Lock()
	f.operating[run] = true
	f.mu.Unlock()
	f.running.Go(func() {
		p.operate(run)
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.operating, run)
	})
}
