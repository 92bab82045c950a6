package journal

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"time"
)

// One process at a time deletes old runs: the leader, whose name and time are in table upkeep. A process that finds no leader, or one
// whose time is over, becomes it. Each step of the leader is a transaction that also changes this row, and does
// nothing when it has another leader: so no run is deleted or counted by two.
const (
	leadTime = 30 * time.Second // without a step, or a look
	renewAt  = leadTime / 2     // what is left of it when it is renewed
)

// clocked is a Database on a server, which has a clock for all its processes.
type clocked interface {
	Now() string // an expression: microseconds since 1970
}

// clock returns the time of the database as an expression. Processes that share a directory have one clock.
func (s *Store) clock() string {
	if server, has := s.data.(clocked); has {
		return server.Now()
	}
	return strconv.FormatInt(time.Now().UnixMicro(), 10)
}

// errLed is the error of a step of a process that does not lead any more.
var errLed = errors.New("another process deletes old runs")

// leading is what the database has about the leader.
type leading struct {
	leader string
	left   time.Duration // of its time
	passed time.Duration // since the last pass
}

// leadingNow reads who leads.
func (s *Store) leadingNow(ctx context.Context, db *sql.DB) (l leading, err error) {
	var left, passed int64
	err = db.QueryRowContext(ctx, `SELECT leader, leads - `+s.clock()+`, `+s.clock()+` - pruned FROM upkeep`).Scan(&l.leader, &left, &passed)
	l.left, l.passed = time.Duration(left)*time.Microsecond, time.Duration(passed)*time.Microsecond
	return l, err
}

// lead makes this process the leader, unless another one is. wait is how long that one is it at least. With its time, a leader
// records that it makes a pass, and which runs are too old by the policy.
func (s *Store) lead(ctx context.Context, db *sql.DB, keep Policy) (leads bool, wait time.Duration, err error) {
	me, err := s.process(ctx)
	if err != nil {
		return false, 0, err
	}
	now, err := s.leadingNow(ctx, db)
	if err != nil {
		return false, 0, err
	}
	if now.left > 0 && now.leader != me && now.leader != "" {
		return false, now.left, nil
	}
	if now.leader == me && now.left > renewAt && now.passed < leadTime { // not since the policy was changed
		s.pruner.leads.Store(&me)
		return true, 0, nil
	}
	defer s.turn()()
	done, err := db.ExecContext(ctx, `UPDATE upkeep SET leader = $1, leads = `+s.clock()+` + $2, pruned = `+s.clock()+`, old = CASE WHEN old < $3 THEN $3 ELSE old END
		WHERE leader IN ('', $1) OR leads <= `+s.clock(), me, leadTime.Microseconds(), keep.before())
	another, err := HadNoRow(done, err)
	if another || err != nil {
		return false, leadTime, err
	}
	s.pruner.leads.Store(&me)
	return true, 0, nil
}

// fence is the part of a transaction of the leader that renews its time and counts what was deleted.
func (s *Store) fence(ctx context.Context, tx *sql.Tx, deleted amount) error {
	me := s.pruner.leads.Load()
	if me == nil {
		return errLed
	}
	done, err := tx.ExecContext(ctx, `UPDATE upkeep SET leads = `+s.clock()+` + $2, deleted = deleted + $3, freed = freed + $4 WHERE leader = $1`,
		*me, leadTime.Microseconds(), deleted.runs, deleted.bytes)
	another, err := HadNoRow(done, err)
	if another {
		return errLed
	}
	return err
}

// follow ends that this process leads, so that the next one need not wait. An error means that it waits.
func (s *Store) follow() {
	me := s.pruner.leads.Swap(nil)
	if me == nil {
		return
	}
	ctx, cancel := context.WithTimeout(background, time.Second)
	defer cancel()
	if db, err := s.data.Open(ctx, false); err == nil {
		defer s.turn()()
		_, _ = db.ExecContext(ctx, `UPDATE upkeep SET leader = '', leads = 0 WHERE leader = $1`, *me)
	}
}
