package simulation

import (
	"context"
	"time"
)

// anyFault draws what happens.
func (f *fleet) anyFault() func() {
	d, who, loses := f.upTo(30*time.Second), f.rng.IntN(len(f.processes)), f.chance(2)
	switch f.rng.IntN(12) {
	case 0, 1, 2:
		return func() {
			if p := f.victim(who); p != nil {
				f.note("%s is killed", p.name)
				p.kill()
			}
		}
	case 3, 4, 5:
		return func() {
			if p := f.victim(who); p != nil {
				f.note("%s sleeps for %v", p.name, d)
				p.frozen.Store(time.Now().Add(d).UnixNano())
			}
		}
	case 6, 7:
		return func() {
			if p := f.victim(who); p != nil {
				f.note("%s is to end", p.name)
				p.drain()
			}
		}
	case 8:
		return func() {
			f.note("the database is down for %v", d)
			f.db.stop(loses)
			f.downUntil = time.Now().Add(d)
		}
	case 9:
		return func() {
			if p := f.victim(who); p != nil {
				f.note("the connections of %s are cut", p.name)
				f.db.cutAll(&p.client)
			}
		}
	case 10:
		return func() { f.staleFor(who, d) }
	}
	return func() { f.running.Go(f.operate) }
}

// victim returns the process of a slot, if it lives.
func (f *fleet) victim(slot int) *serving {
	p := f.processes[slot]
	if p == nil || p.dead.Load() {
		return nil
	}
	return p
}

// staleFor lets a process reach a standby for a while that gets nothing any more.
func (f *fleet) staleFor(who int, d time.Duration) {
	p := f.victim(who)
	if p == nil || p.behind != nil || f.db.holder != nil || !f.db.has("runs") {
		return
	}
	b, err := f.db.copy(context.Background())
	if err != nil {
		f.violated(engineKind, "%v", err)
		return
	}
	f.note("%s reaches an old standby for %v", p.name, d)
	f.db.cutAll(&p.client)
	p.behind = b
	f.standbys = append(f.standbys, b)
	f.faults = append(f.faults, fault{time.Since(f.began) + d, func() {
		f.note("%s reaches the database again", p.name)
		f.db.cutAll(&p.client)
		p.behind = nil
	}})
}

// happens lets the next fault happen whose time has come, and starts what is dead; it reports whether something has.
func (f *fleet) happens() bool {
	now := time.Since(f.began)
	for i, next := range f.faults {
		if next.at <= now && f.db.holder == nil {
			f.faults = append(f.faults[:i:i], f.faults[i+1:]...)
			next.do()
			return true
		}
	}
	if !f.downUntil.IsZero() && !time.Now().Before(f.downUntil) {
		f.note("the database is up again")
		f.downUntil = time.Time{}
		f.db.start()
		return true
	}
	if f.ctx.Err() != nil {
		return false
	}
	for i, p := range f.processes {
		if p.dead.Load() && f.restarts[i].IsZero() {
			f.restarts[i] = time.Now().Add(time.Duration(hashOf("restart", p.name)%8000) * time.Millisecond)
		}
		if !f.restarts[i].IsZero() && !time.Now().Before(f.restarts[i]) {
			f.restarts[i] = time.Time{}
			version := p.version // who has the second version keeps it: another could not go on with its runs
			if i > 0 && f.updates && f.started%2 == 0 {
				version = 1
			}
			f.put(i, f.start(i, version))
			return true
		}
	}
	return false
}

// calm ends all that goes wrong.
func (f *fleet) calm() {
	f.faults, f.losses = nil, 0
	if !f.downUntil.IsZero() {
		f.downUntil = time.Time{}
		f.db.start()
	}
}
