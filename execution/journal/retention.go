package journal

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"toolgraph/execution"
)

// unknownOutcome selects the failure of a run that ended because of an in-doubt call.
const unknownOutcome = `{"code":"` + string(execution.CodeOutcomeUnknown) + `",%`

// Prune deletes the oldest runs until the rest is within bounds, and returns how many. It does so whichever process
// leads.
func (s *Store) Prune(ctx context.Context, keep Retention) (int, error) {
	s.writer.flush()
	return s.prune(ctx, &pruning{keep: Policy{Retention: keep}})
}

// prune makes a pass. A pass that is stopped has not failed.
func (s *Store) prune(ctx context.Context, p *pruning) (int, error) {
	if !p.keep.hasBounds() {
		return 0, nil
	}
	p.ctx = ctx
	deleting := s.deleting
	if p.fence != nil {
		deleting = s.deletingBeside
	}
	deleted, err := deleting(ctx, func(db executor, step stepper) (int, error) {
		p.db, p.step, p.done = db, step, amount{}
		err := p.pass()
		return int(p.done.runs), err
	})
	s.tally.pruned.Add(int64(deleted))
	switch {
	case err == nil:
		s.tally.lastPruning.Store(time.Now().UnixMicro())
	case ctx.Err() == nil && !errors.Is(err, errLed):
		s.tally.pruneErrors.Add(1)
	}
	return deleted, err
}

// pruning is one pass over the store. It reads how much each group has, and then only runs that are beyond the policy, each once
// to select and once to delete it.
type pruning struct {
	ctx   context.Context //nolint:containedctx // of the pass
	db    executor
	step  stepper
	fence func(ctx context.Context, tx *sql.Tx, deleted amount) error // ends each step; nil: the pass is not that of a leader
	keep  Policy
	slow  time.Duration // of a step after which the next ones are smaller; 0: none is
	small int           // how often that was halved
	early bool          // there is room for what is recorded until the next pass, see room

	done amount // what was deleted
	old  int64  // the time before which runs that no rule selects are beyond the policy
}

// demand is what is to be deleted of some groups: runs that began before a time, and so many more of the oldest.
type demand struct {
	groups []group
	oldest int64
	amount
}

// room returns what is beyond a bound; 0 without one. Early, deleting begins before the bound is reached, and
// goes on until a sixteenth is free: so that runs that are recorded between two passes do not exceed it.
func (p *pruning) room(is, most int64) int64 {
	begin, end := most, most
	if p.early {
		begin, end = most-most/32, most-most/16
	}
	if most == 0 || is <= begin {
		return 0
	}
	return is - end
}

// excess returns what is beyond bounds.
func (p *pruning) excess(is amount, of Retention) amount {
	return amount{runs: p.room(is.runs, int64(of.MaxRuns)), bytes: p.room(is.bytes, of.MaxBytes)}
}

// before returns the time before which runs are too old; 0: none are.
func (r Retention) before() int64 {
	if r.MaxAge <= 0 {
		return 0
	}
	return time.Now().Add(-r.MaxAge).UnixMicro()
}

// demands returns what is beyond the policy: of each rule, and last of the runs that no rule selects, with what is too much
// altogether. That of the others is not known before the rules are met.
func (p *pruning) demands(groups []group) (all []demand) {
	all = make([]demand, len(p.keep.Rules)+1)
	sums := make([]amount, len(all))
	var total amount
	for _, g := range groups {
		at := p.keep.ruleOf(g.Server, g.Tool, g.Status)
		if at < 0 {
			at = len(p.keep.Rules)
		}
		all[at].groups = append(all[at].groups, g)
		sums[at].add(g.amount)
		total.add(g.amount)
	}
	for i, rule := range p.keep.Rules {
		all[i].oldest, all[i].amount = rule.before(), p.excess(sums[i], rule.Retention)
	}
	rest := &all[len(p.keep.Rules)]
	rest.oldest, rest.amount = p.keep.before(), p.excess(total, p.keep.Retention)
	return all
}

// isDue reports whether a pass would delete anything.
func (d demand) isDue() bool {
	return d.runs > 0 || d.bytes > 0 || slices.ContainsFunc(d.groups, func(g group) bool { return g.first < d.oldest })
}

// pass deletes what is beyond the policy.
func (p *pruning) pass() error {
	groups, err := groupsOf(p.ctx, p.db)
	if err != nil {
		return err
	}
	all := p.demands(groups)
	last := len(all) - 1
	var selected []group // by rules
	for _, d := range all[:last] {
		if _, err := p.meet(d); err != nil {
			return err
		}
		selected = append(selected, d.groups...)
	}
	rest := all[last]
	rest.take(p.done) // which is less for all together
	p.old = rest.oldest
	if rest.amount, err = p.meet(rest); err == nil && (rest.runs > 0 || rest.bytes > 0) {
		_, err = p.meet(demand{groups: selected, amount: rest.amount})
	}
	if err == nil {
		err = deleteMarked(p.ctx, func(do func(*sql.Tx) error) error {
			return p.fenced(func(tx *sql.Tx) (amount, error) { return amount{}, do(tx) })
		})
	}
	if err != nil {
		return err
	}
	return p.fenced(func(tx *sql.Tx) (amount, error) {
		_, err := tx.ExecContext(p.ctx, `UPDATE upkeep SET old = CASE WHEN old < $1 THEN $1 ELSE old END`, p.old)
		return amount{}, err
	})
}

// fenced makes a step of the pass.
func (p *pruning) fenced(do func(*sql.Tx) (amount, error)) error {
	var n amount
	began := time.Now()
	err := p.step(func(tx *sql.Tx) (err error) {
		if n, err = do(tx); err == nil && p.fence != nil {
			err = p.fence(p.ctx, tx, n)
		}
		return err
	})
	if err == nil {
		p.done.add(n)
		p.resize(time.Since(began) / 2) // the other half was its rest
	}
	return err
}

// stepSlow is how long a step may take before the next ones are smaller: other processes poll for the lock of SQLite for two
// seconds. stepLeast is how many runs one deletes then at most.
const (
	stepSlow  = 100 * time.Millisecond
	stepLeast = stepRuns >> 5
)

// most returns how many runs the next step deletes at most.
func (p *pruning) most() int { return stepRuns >> p.small }

// resize makes the next steps smaller after a long one, and larger after a short one.
func (p *pruning) resize(took time.Duration) {
	switch {
	case p.slow > 0 && took > p.slow && p.most() > stepLeast:
		p.small++
	case took < p.slow/4 && p.small > 0:
		p.small--
	}
}

// meet deletes what is demanded, the oldest first, and returns what is left of the amount: the groups have no more.
func (p *pruning) meet(d demand) (left amount, err error) {
	all := newMerge(d.groups)
	for {
		some, err := p.some(all, &d)
		if err != nil || len(some) == 0 {
			return d.amount, err
		}
		err = p.fenced(func(tx *sql.Tx) (amount, error) { return deleteEnded(p.ctx, tx, some) })
		if err != nil {
			return d.amount, err
		}
	}
}

// deleteEnded deletes those of the runs that retention may delete.
func deleteEnded(ctx context.Context, tx *sql.Tx, found []size) (amount, error) {
	return deleteThese(ctx, tx, selection{where: canPrune}, found)
}

// some takes the runs of one step.
func (p *pruning) some(all *merge, d *demand) (some []size, err error) {
	for bytes := int64(0); len(some) < p.most(); {
		run, of, err := all.next(p.ctx, p.db)
		if err != nil || run == nil {
			return some, err
		}
		if run.started >= d.oldest && d.runs <= 0 && d.bytes <= 0 {
			return some, nil
		}
		if bytes += run.bytes; bytes > stepBytes && len(some) > 0 {
			return some, nil
		}
		d.take(amount{1, run.bytes})
		p.old = max(p.old, run.started+1)
		some = append(some, *run)
		of.take()
	}
	return some, nil
}
