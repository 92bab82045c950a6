package journal

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	passEvery = time.Second           // while runs are recorded
	passIdle  = time.Minute           // while none is
	passLate  = time.Hour             // after which a process makes a pass with its first run, however short it lives
	passSoon  = 50 * time.Millisecond // while so much is recorded that bounds are small for it
	freeEvery = time.Minute           // how often the space of deleted runs is returned, while nothing is to be deleted
	sayEvery  = time.Hour             // how often old runs that can continue are logged
)

// pruner deletes old runs beside the writer, which never waits for more than one of its steps.
type pruner struct {
	life    context.Context //nolint:containedctx // until Close
	end     context.CancelFunc
	begin   sync.Once
	first   chan struct{} // closed when the goroutine has looked once, or need not soon; nil: it has not begun
	wrote   chan struct{} // the writer has written
	running sync.WaitGroup
	hurry   chan struct{}          // so much was written that it is as much as may be between two passes
	written atomic.Int64           // bytes of runs, since the last look
	room    atomic.Int64           // bytes that may be written between two looks; 0: any
	leads   atomic.Pointer[string] // the name of this process while it is the leader

	every  time.Duration                                       // passEvery
	slow   time.Duration                                       // stepSlow
	rest   func(ctx context.Context, took time.Duration) error // Rest
	passed func()                                              // after each look of the goroutine; nil but in tests

	holes bool      // belongs to the goroutine, as what follows: space of deleted runs was not returned yet
	freed time.Time // when it was
	small int       // of the last pass
	said  bool      // the policy was logged
	olds  time.Time // when old runs were logged
}

// pruneBeside deletes old runs on a goroutine of its own. The writer calls it when it has written some bytes.
func (s *Store) pruneBeside(bytes int64) {
	s.pruner.begin.Do(func() {
		s.pruner.first = make(chan struct{})
		s.pruner.running.Go(s.retain)
	})
	ring(s.pruner.wrote)
	if room := s.pruner.room.Load(); s.pruner.written.Add(bytes) > room && room > 0 {
		ring(s.pruner.hurry)
	}
}

// ring sends to a channel of one, unless it is full.
func ring(bell chan struct{}) {
	select {
	case bell <- struct{}{}:
	default:
	}
}

// retain makes one pass after the other until the store is closed.
func (s *Store) retain() {
	p := &s.pruner
	defer s.follow()
	timer := time.NewTimer(0)
	defer timer.Stop()
	wait := func(after time.Duration, also <-chan struct{}) (on bool) {
		timer.Reset(after)
		select {
		case <-p.life.Done():
			return false
		case <-timer.C:
		case <-also:
		}
		return true
	}
	passed := sync.OnceFunc(func() { close(p.first) })
	defer passed()
	on := s.isLate(p.life)
	if !on {
		passed()
		on = wait(p.every, nil)
	}
	for on {
		again, err := s.pruneDue(p.life)
		if err != nil && p.life.Err() == nil {
			s.opts.Logger.Warn("old runs could not be deleted", "error", err)
		}
		passed()
		if p.passed != nil {
			p.passed()
		}
		if again > 0 {
			on = wait(again, nil)
		} else {
			on = wait(min(p.every, passSoon), nil) && wait(p.every, p.hurry)
		}
		on = on && (again >= passIdle || wait(passIdle, p.wrote))
	}
}

// close ends the goroutine. One that looks for the first time gets a moment, so that old runs are also deleted where no process
// lives for long. The writer has ended.
func (p *pruner) close() {
	if p.first != nil {
		timer := time.NewTimer(passEvery)
		defer timer.Stop()
		select {
		case <-p.first:
		case <-timer.C:
		}
	}
	p.end()
	p.running.Wait()
}

// isLate reports whether no process has looked for old runs for long.
func (s *Store) isLate(ctx context.Context) bool {
	db, err := s.data.Open(ctx, false)
	if err != nil {
		return false
	}
	now, err := s.leadingNow(ctx, db)
	return err == nil && now.passed > passLate
}

// pruneDue makes a pass if this process leads, or can. again is the time until the next look at least.
func (s *Store) pruneDue(ctx context.Context) (again time.Duration, err error) {
	keep, err := s.Settle(ctx)
	if err != nil {
		return passIdle, err
	}
	s.sayPolicy(keep)
	db, err := s.data.Open(ctx, true)
	if err != nil {
		return passIdle, s.writeFault(err)
	}
	if !keep.hasBounds() {
		s.tally.lastPruning.Store(0) // so that no pruning is missed
		s.follow()
		return 0, s.writeFault(s.addUp(ctx))
	}
	leads, again, err := s.lead(ctx, db, keep)
	if !leads || err != nil {
		return again, s.writeFault(err)
	}
	s.pruner.room.Store(keep.leastBytes() / 64)
	s.pruner.written.Store(0)
	due, err := s.isDue(ctx, db, keep)
	switch {
	case err != nil:
		return passIdle, s.writeFault(err)
	case due:
		s.pruner.holes = true
		p := &pruning{keep: keep, early: true, slow: s.pruner.slow, small: s.pruner.small, fence: s.fence}
		_, err = s.prune(ctx, p)
		s.pruner.small = p.small
	default:
		err = s.returnSpace(ctx)
	}
	switch {
	case errors.Is(err, errLed):
		s.pruner.leads.Store(nil)
		return 0, nil
	case err != nil:
		return passIdle, err
	}
	s.tally.lastPruning.Store(time.Now().UnixMicro())
	return 0, s.sayOld(ctx, db)
}

// returnSpace returns the space of runs that were deleted some time ago: what is recorded meanwhile would take it again.
func (s *Store) returnSpace(ctx context.Context) error {
	p := &s.pruner
	if !p.holes || time.Since(p.freed) < freeEvery {
		return nil
	}
	p.holes, p.freed = false, time.Now()
	_, err := s.data.Deleting(ctx, func(*sql.DB) (int, error) { return 1, nil })
	return s.writeFault(err)
}

// tidier is a Database in which what the counters have is added up from time to time.
type tidier interface {
	Tidy(ctx context.Context) error
}

// addUp adds up the counters where that is needed.
func (s *Store) addUp(ctx context.Context) error {
	if t, needed := s.data.(tidier); needed {
		return t.Tidy(ctx)
	}
	return nil
}

// isDue reports whether a pass would delete anything. Packed runs, which get their rows when the load is over, count as what they have
// altogether, unless there are rules.
func (s *Store) isDue(ctx context.Context, db *sql.DB, keep Policy) (due bool, err error) {
	packed := group{first: math.MaxInt64}
	packer, packs := s.data.(Packer)
	if packs = packs && len(keep.Rules) == 0; packs {
		packed.runs, packed.bytes, err = packer.Packed(ctx, db)
	} else {
		err = s.data.Sweep(ctx)
	}
	if err = errors.Join(err, s.addUp(ctx)); err != nil {
		return false, err
	}
	groups, err := groupsOf(ctx, db)
	p := pruning{keep: keep, early: true}
	due = slices.ContainsFunc(p.demands(append(groups, packed)), demand.isDue)
	if err == nil && due && packs {
		err = s.data.Sweep(ctx)
	}
	return due, err
}

// sayPolicy logs once that the default of this process is not used.
func (s *Store) sayPolicy(keep Policy) {
	mine := Policy{Retention: s.opts.Keep}
	if s.opts.SetsKeep || s.pruner.said || !mine.hasBounds() || mine.Equal(keep) {
		return
	}
	s.pruner.said = true
	s.opts.Logger.Info("old runs are deleted by the policy of the store, not by the default of this process; to change it: toolgraph retention set",
		"policy", keep.String(), "default", mine.String())
}

// sayOld logs from time to time that there are old runs that are not deleted.
func (s *Store) sayOld(ctx context.Context, db *sql.DB) error {
	if time.Since(s.pruner.olds) < sayEvery {
		return nil
	}
	s.pruner.olds = time.Now()
	c, err := s.census(ctx, db)
	old, since := 0, time.Time{}
	for _, of := range []Counted{c.Running, c.Waiting, c.Interrupted, c.InDoubt} {
		if old += of.Old; of.Old > 0 && (since.IsZero() || of.Last.Before(since)) {
			since = of.Last
		}
	}
	if old > 0 {
		s.opts.Logger.Info("old runs that can continue are not deleted; resume, answer or delete them: toolgraph runs list --old",
			"runs", old, "in_doubt", c.InDoubt.Old, "oldest", since.UTC().Format(time.RFC3339))
	}
	return err
}
