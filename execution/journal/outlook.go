package journal

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Outlook is what retention does with a store: the policy, what there is, what is beyond it, and who deletes it.
type Outlook struct {
	Policy  Policy
	HasOwn  bool // the policy is recorded in the store
	Shares  []Share
	Leader  *Process  // that deletes old runs; nil: none at this moment
	Until   time.Time // the leader has until then to show that it lives
	Passed  time.Time // when one last looked for old runs; zero: none has since the policy was changed
	Deleted int64     // runs that leaders have deleted
	Freed   int64     // bytes of these
	Exempt  Census    // what is not deleted, whatever its age
}

// Share are the runs of one rule, in the order of the policy; those that no rule selects are the last share, whose Bytes
// and Runs of the Retention are bounds of all shares together.
type Share struct {
	Rule
	Runs, Bytes int64
	Oldest      time.Time // when the oldest began; zero: there is no run
	Due         int64     // runs that the next pass deletes, at most dueMost
	DueBytes    int64     // of these
}

// dueMost bounds how many runs an Outlook counts for a share.
const dueMost = 100_000

// Outlook returns what retention does. Without a policy in the store it is that of bounds. It deletes nothing.
func (s *Store) Outlook(ctx context.Context, without Retention) (o Outlook, err error) {
	o.Policy.Retention = without
	db, err := s.reader(ctx)
	if errors.Is(err, ErrNoStore) {
		p := pruning{keep: o.Policy}
		o.Shares = p.shares(p.demands(nil))
		return o, nil
	}
	if err != nil {
		return o, err
	}
	if err := s.readOutlook(ctx, db, &o); err != nil {
		return o, s.readFault(err)
	}
	o.Exempt, err = s.Census(ctx)
	return o, err
}

func (s *Store) readOutlook(ctx context.Context, db *sql.DB, o *Outlook) error {
	var policy, leader string
	var until, passed, now int64
	err := db.QueryRowContext(ctx, `SELECT policy, leader, leads, pruned, deleted, freed, `+s.clock()+` FROM upkeep`).
		Scan(&policy, &leader, &until, &passed, &o.Deleted, &o.Freed, &now)
	if err != nil {
		return err
	}
	if until > now {
		o.Leader, o.Until = processOf(leader), timeOf(until)
	}
	o.Passed = timeOf(passed)
	if own, ok, err := readPolicy(policy); err != nil {
		return err
	} else if ok {
		o.Policy, o.HasOwn = own, true
	}
	p := pruning{ctx: ctx, db: db, keep: o.Policy, early: true}
	groups, err := groupsOf(ctx, db)
	if err != nil {
		return err
	}
	all := p.demands(groups)
	o.Shares = p.shares(all)
	for i := range all {
		if err := p.due(all[i], &o.Shares[i]); err != nil {
			return err
		}
	}
	return nil
}

// shares returns what there is for each rule.
func (p *pruning) shares(all []demand) []Share {
	shares := make([]Share, len(all))
	for i, d := range all {
		of := &shares[i]
		if of.Retention = p.keep.Retention; i < len(p.keep.Rules) {
			of.Rule = p.keep.Rules[i]
		}
		for _, g := range d.groups {
			of.Runs, of.Bytes = of.Runs+g.runs, of.Bytes+g.bytes
			if first := timeOf(g.first); of.Oldest.IsZero() || first.Before(of.Oldest) {
				of.Oldest = first
			}
		}
	}
	return shares
}

// due counts the runs that a pass would delete.
func (p *pruning) due(d demand, of *Share) error {
	if !d.isDue() {
		return nil
	}
	for all := newMerge(d.groups); of.Due < dueMost; {
		some, err := p.some(all, &d)
		if err != nil || len(some) == 0 {
			return err
		}
		for _, run := range some {
			of.Due, of.DueBytes = of.Due+1, of.DueBytes+run.bytes
		}
	}
	return nil
}
