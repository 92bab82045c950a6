package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"toolgraph/execution"
)

type scanner interface{ Scan(into ...any) error }

// scanRun reads the row of a run. One that is not as it was stored makes a Run that says so.
func scanRun(from scanner) (Run, error) {
	var r Run
	var started, ended, last int64
	var failure string
	var sum sql.NullInt64
	into := []any{
		&r.ID, &r.Tool, &r.Status, &r.File, &r.Server, &r.Graph, &r.Args,
		&started, &ended, &last, &r.Steps, &r.Bytes, &r.Durable, &r.Lost, &r.Resumed, &failure, &sum,
	}
	if err := from.Scan(into...); err != nil {
		values := make([]any, len(into))
		for i := range values {
			into[i] = &values[i]
		}
		if from.Scan(into...) != nil {
			return Run{}, err
		}
		return Run{ID: fmt.Sprint(values[0]), Damaged: fmt.Sprintf("its row: %v", errFrame)}, nil
	}
	r.Started, r.Ended = timeOf(started), timeOf(ended)
	r.Duration = float64(max(0, last-started)) / 1000
	if failure != "" {
		r.Failure = &execution.Failure{}
		if err := json.Unmarshal([]byte(failure), r.Failure); err != nil {
			r.Failure, r.Damaged = nil, fmt.Sprintf("its row: %v", errFrame)
		}
	}
	if !slices.Contains(Statuses, r.Status) ||
		sum.Valid && sum.Int64 != rowSum(r.ID, r.Tool, r.File, r.Server, r.Graph, r.Args, started, r.Durable) {
		r.Damaged = fmt.Sprintf("its row: %v", errSum)
	}
	return r, nil
}

// damage is the error of a run that is damaged.
func (r Run) damage() error {
	if r.Damaged == "" {
		return nil
	}
	return &DamagedError{Run: r.ID, Err: errors.New(r.Damaged)}
}

// Verify reports a run that is not in the store as it was recorded: as a *DamagedError.
func (s *Store) Verify(ctx context.Context, r Run) error {
	if err := r.damage(); err != nil {
		return err
	}
	found := Run{Status: Running}
	var summed bool
	var latest, last int64
	err := s.walk(ctx, r.ID, 0, func(f frame) (bool, error) {
		found.Status, found.Ended, found.Failure = Running, time.Time{}, nil
		summed, last = f.summed, micros(f.event.Time)
		latest = max(latest, last)
		switch e := f.event; {
		case e.Record != nil:
			found.Steps = e.Record.Index + 1 // more than one more when some were lost
		case e.End != nil:
			found.Status, found.Ended, found.Failure = Finished, timeOf(last), e.End.Failure
			if e.End.Failure != nil {
				found.Status = statusOf(e.End.Failure)
			}
		}
		if f.value.kind == spilled {
			_, err := f.packed()
			return true, err
		}
		return true, nil
	})
	took := func(last int64) float64 { return float64(max(0, last-micros(r.Started))) / 1000 }
	if err != nil || !summed || r.Status == Running || r.like(found) && (r.Duration == took(last) || r.Duration == took(latest)) {
		return err
	}
	now, err := s.Run(ctx, r.ID)
	if err != nil || now.Duration != r.Duration || now.Status != r.Status || now.Steps != r.Steps { // it has gone on meanwhile
		return err
	}
	return &DamagedError{Run: r.ID, Place: "its row", Err: errSum}
}

// like reports whether the row of a run is one of what its events are.
func (r Run) like(found Run) bool {
	if r.Steps != found.Steps {
		return false
	}
	if r.Status == Interrupted { // a run that was claimed has no end, until it has another
		return r.Ended.IsZero() && r.Failure == nil && (found.Status == Running || found.Status == Failed)
	}
	return r.Status == found.Status && r.Ended.Equal(found.Ended) && textOf(r.Failure) == textOf(found.Failure)
}

func textOf(f *execution.Failure) string {
	text, err := json.Marshal(f)
	if err != nil {
		return ""
	}
	return string(text)
}

// listVerified is how many bytes of the runs of a list are read to find those that are
// damaged. A look at one run reads it all.
const listVerified = 16 << 20

// verifyListed marks the damaged ones among runs.
func (s *Store) verifyListed(ctx context.Context, runs []Run) error {
	left := int64(listVerified)
	for i := range runs {
		if left -= max(0, runs[i].Bytes); left < 0 {
			return nil
		}
		var damaged *DamagedError
		err := s.Verify(ctx, runs[i])
		switch {
		case errors.As(err, &damaged):
			runs[i].Damaged = damaged.why()
		case err != nil && !errors.Is(err, ErrNotFound): // it was deleted meanwhile
			return err
		}
	}
	return nil
}
