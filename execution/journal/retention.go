package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"toolgraph/execution"
	"toolgraph/internal/base/wording"
)

// Retention bounds the recorded runs; a zero field has no bound. It never deletes a run that can
// continue: one that is in progress, waits for an answer, is interrupted, or has an in-doubt call.
type Retention struct {
	MaxAge   time.Duration `json:"maxAge,omitempty"`   // since the run began
	MaxBytes int64         `json:"maxBytes,omitempty"` // of all runs together
	MaxRuns  int           `json:"maxRuns,omitempty"`
}

// String returns the bounds as messages have them.
func (r Retention) String() string {
	var bounds []string
	const day = 24 * time.Hour
	switch {
	case r.MaxAge >= day:
		bounds = append(bounds, wording.Count(int(r.MaxAge/day), "day"))
	case r.MaxAge > 0:
		bounds = append(bounds, r.MaxAge.String())
	}
	if r.MaxBytes > 0 {
		bounds = append(bounds, wording.Size(r.MaxBytes))
	}
	if r.MaxRuns > 0 {
		bounds = append(bounds, wording.Count(r.MaxRuns, "run"))
	}
	if len(bounds) == 0 {
		return "no bounds"
	}
	return strings.Join(bounds, ", ")
}

const (
	// canContinue selects what Run.canContinue reports.
	canContinue = `(status IN ('running', 'interrupted') OR status = 'error' AND failure LIKE '` + unknownOutcome + `')`
	// canPrune selects the runs that retention may delete.
	canPrune = `status <> 'deleting' AND NOT ` + canContinue
	// isOld selects the runs that began before the bounds of the last pruning.
	isOld = `EXISTS (SELECT 1 FROM upkeep WHERE started < old)`
)

// unknownOutcome selects the failure of a run that ended because of an in-doubt call.
const unknownOutcome = `{"code":"` + string(execution.CodeOutcomeUnknown) + `",%`

// Policy returns the bounds that are recorded in the store, for all processes that share it; ok is
// false for a store without a policy.
func (s *Store) Policy(ctx context.Context) (policy Retention, ok bool, err error) {
	db, err := s.data.Open(ctx, false)
	if errors.Is(err, ErrNoStore) {
		return Retention{}, false, nil
	}
	if err == nil {
		policy, ok, err = policyOf(ctx, db)
	}
	return policy, ok, s.readFault(err)
}

func policyOf(ctx context.Context, db *sql.DB) (policy Retention, ok bool, err error) {
	var text string
	if err := db.QueryRowContext(ctx, `SELECT policy FROM upkeep`).Scan(&text); err != nil || text == "" {
		return policy, false, err
	}
	if err := json.Unmarshal([]byte(text), &policy); err != nil {
		return policy, false, fmt.Errorf("the policy of the store cannot be read: %w; record it again with toolgraph runs keep", err)
	}
	return policy, true, nil
}

// SetPolicy records the bounds for all processes that share the store. The next one that records a run
// deletes what is beyond them.
func (s *Store) SetPolicy(ctx context.Context, policy Retention) error {
	return s.setPolicy(ctx, policy, `UPDATE upkeep SET policy = $1, pruned = 0, old = 0`)
}

func (s *Store) setPolicy(ctx context.Context, policy Retention, update string) error {
	text, err := json.Marshal(policy)
	if err != nil {
		return err
	}
	db, err := s.data.Open(ctx, true)
	if err == nil {
		_, err = db.ExecContext(ctx, update, string(text))
	}
	return s.writeFault(err)
}

// Settle returns the bounds by which this process deletes old runs: the policy of the store. If it has
// none, they are Options.Keep, which becomes the policy with Options.SetsKeep.
func (s *Store) Settle(ctx context.Context) (Retention, error) {
	policy, ok, err := s.Policy(ctx)
	if err != nil || ok || !s.opts.SetsKeep {
		if !ok {
			policy = s.opts.Keep
		}
		return policy, err
	}
	if err := s.setPolicy(ctx, s.opts.Keep, `UPDATE upkeep SET policy = $1 WHERE policy = ''`); err != nil {
		return policy, err
	}
	policy, _, err = s.Policy(ctx) // another process may have been faster
	return policy, err
}

// Prune deletes the oldest runs until the rest is within bounds, and returns how many.
func (s *Store) Prune(ctx context.Context, keep Retention) (int, error) {
	s.writer.flush()
	return s.prune(ctx, keep)
}

// prune is Prune without the events that are queued.
func (s *Store) prune(ctx context.Context, keep Retention) (int, error) {
	if keep == (Retention{}) {
		return 0, nil
	}
	deleted, err := s.deleting(ctx, func(db executor, step stepper) (int, error) { return pruneRuns(ctx, db, step, keep) })
	s.tally.pruned.Add(int64(deleted))
	switch {
	case err == nil:
		s.tally.lastPruning.Store(time.Now().UnixMicro())
	case ctx.Err() == nil:
		s.tally.pruneErrors.Add(1)
	}
	return deleted, err
}

func pruneRuns(ctx context.Context, db executor, step stepper, keep Retention) (deleted int, err error) {
	at, err := findBounds(ctx, db, keep)
	if err != nil {
		return 0, err
	}
	err = step(func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE upkeep SET old = $1 WHERE old < $1`, max(at.oldest, at.began+1))
		return err
	})
	if err == nil {
		deleted, err = deleteRuns(ctx, step, at.selection())
	}
	if err == nil {
		err = deleteMarked(ctx, step)
	}
	return deleted, err
}

// bounds are the places from which runs are deleted.
type bounds struct {
	oldest int64 // the time before which runs are too old; 0: none are
	tooOld int64 // a row, behind which no run is too old
	beyond int64 // the newest row that is beyond the bytes or runs; 0: none is
	began  int64 // when the run of that row began
}

// selection selects what may be deleted.
func (at bounds) selection() selection {
	return selection{canPrune + ` AND seq <= $1 AND (seq <= $2 OR started < $3)`, []any{max(at.beyond, at.tooOld), at.beyond, at.oldest}}
}

// boundRows is how many rows one statement sums.
const boundRows = 4096

// findBounds sums the runs from the newest on until they exceed the bounds. So it reads those that
// stay, once; a part in which the bound lies is divided.
func findBounds(ctx context.Context, db executor, keep Retention) (at bounds, err error) {
	if keep.MaxAge > 0 {
		at.oldest = time.Now().Add(-keep.MaxAge).UnixMicro()
	}
	var runs int
	var bytes int64
	before := int64(1) << 62
	for most := boundRows; ; {
		part, err := sumRuns(ctx, db, before, most, at.oldest)
		if err != nil || part.runs == 0 {
			return at, err
		}
		exceeds := keep.MaxBytes > 0 && bytes+part.bytes > keep.MaxBytes || keep.MaxRuns > 0 && runs+part.runs > keep.MaxRuns
		switch {
		case exceeds && part.runs == 1:
			at.beyond, at.began = part.first, part.began
			return at, nil
		case exceeds:
			most = max(1, part.runs/8)
		default:
			runs, bytes, before = runs+part.runs, bytes+part.bytes, part.first
			at.tooOld = max(at.tooOld, part.tooOld)
		}
	}
}

// partSum is what a part of the runs has.
type partSum struct {
	runs   int
	bytes  int64
	first  int64 // row
	began  int64 // the last time when one began
	tooOld int64 // the last row of those that are; 0: none is
}

func sumRuns(ctx context.Context, db executor, before int64, most int, oldest int64) (s partSum, err error) {
	rows, err := db.QueryContext(ctx, `SELECT count(*), CAST(coalesce(sum(bytes), 0) AS BIGINT), coalesce(min(seq), 0), coalesce(max(started), 0),
		coalesce(max(CASE WHEN started < $3 THEN seq END), 0)
		FROM (SELECT seq, bytes, started FROM runs WHERE seq < $1 AND status <> 'deleting' ORDER BY seq DESC LIMIT $2) AS part`, before, most, oldest)
	if err != nil {
		return s, err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(&s.runs, &s.bytes, &s.first, &s.began, &s.tooOld); err != nil {
			return s, err
		}
	}
	return s, rows.Err()
}

// pruneEvery is how often old runs are deleted, by one of the processes that share the store.
const pruneEvery = time.Hour

// pruner deletes old runs beside the writer, which never waits for more than one of its steps.
type pruner struct {
	life    context.Context //nolint:containedctx // until Close
	end     context.CancelFunc
	running sync.WaitGroup
	said    bool // belongs to the goroutine: the policy was logged
}

// pruneBeside looks for old runs on a goroutine of its own. The writer calls it.
func (s *Store) pruneBeside() {
	s.pruner.running.Go(func() {
		ctx := s.pruner.life
		if err := s.pruneDue(ctx); err != nil && ctx.Err() == nil {
			s.opts.Logger.Warn("old runs could not be deleted", "error", err)
		}
	})
}

// pruneDue prunes the store if no process has in the last hour. A process that is stopped meanwhile, or
// fails, leaves the rest to the next.
func (s *Store) pruneDue(ctx context.Context) error {
	keep, err := s.Settle(ctx)
	if err != nil {
		return err
	}
	if mine := s.opts.Keep; mine != (Retention{}) && mine != keep && !s.opts.SetsKeep && !s.pruner.said {
		s.pruner.said = true
		s.opts.Logger.Info("old runs are deleted by the policy of the store, not by the default of this process; to change it: toolgraph runs keep",
			"policy", keep.String(), "default", mine.String())
	}
	if keep == (Retention{}) {
		s.tally.lastPruning.Store(0) // so that no pruning is missed
		return nil
	}
	db, err := s.data.Open(ctx, true)
	if err != nil {
		return s.writeFault(err)
	}
	now := time.Now()
	done, err := db.ExecContext(ctx, `UPDATE upkeep SET pruned = $1 WHERE pruned <= $2`, now.UnixMicro(), now.Add(-pruneEvery).UnixMicro())
	if another, err := HadNoRow(done, err); another || err != nil {
		return s.writeFault(err)
	}
	if _, err = s.prune(ctx, keep); err != nil {
		later, cancel := context.WithTimeout(background, time.Second)
		defer cancel()
		_, _ = db.ExecContext(later, `UPDATE upkeep SET pruned = 0 WHERE pruned = $1`, now.UnixMicro()) // else the next is in an hour
		return err
	}
	state, err := s.State(ctx)
	if err == nil && state.Old > 0 {
		s.opts.Logger.Info("old runs that can continue are not deleted; resume, answer or delete them: toolgraph runs list --old", "runs", state.Old)
	}
	return err
}
