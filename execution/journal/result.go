package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"toolgraph/expressions/value"
)

// Exact returns one run by its complete id. The error wraps ErrNotFound, or the run is damaged.
func (s *Store) Exact(ctx context.Context, id string) (Run, error) {
	found, err := s.query(ctx, ` WHERE id = $1 AND status <> 'deleting'`, id)
	switch {
	case err != nil:
		return Run{}, err
	case len(found) == 0:
		return Run{}, notFound(id)
	}
	return found[0], found[0].damage()
}

// Begun reports whether a run that happens once has begun, by its complete id. Such a run has a row before
// anything else happens, so nothing that is queued has to be written before.
func (s *Store) Begun(ctx context.Context, id string) (begun bool, err error) {
	db, err := s.data.Open(ctx, false)
	switch {
	case errors.Is(err, ErrNoStore):
		return false, nil
	case err == nil:
		err = s.readFault(db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM runs WHERE id = $1)`, id).Scan(&begun))
	}
	return begun, err
}

// Result returns the value of a run that has finished, whole, with the gap that it, or a part of
// it, may have. The id must be complete. The error wraps ErrNotFound when there is no such run, or none that has
// finished with a value.
func (s *Store) Result(ctx context.Context, id string) (Recorded, error) {
	run, err := s.stretch(ctx, id)
	if err != nil {
		return Recorded{}, err
	}
	var result Recorded
	var finished, ofItsParts bool
	err = run.walk(ctx, atEvent(run.end-1), func(f frame) (_ bool, err error) {
		finished = f.event.End != nil && f.event.End.Failure == nil
		if !finished {
			return true, nil
		}
		if ofItsParts = f.value.kind == ofParts; ofItsParts {
			return true, nil
		}
		result, err = f.recorded(0)
		result.JSON = bytes.Clone(result.JSON)
		return true, err
	})
	switch {
	case err != nil:
		return Recorded{}, err
	case !finished:
		return Recorded{}, fmt.Errorf("%w: run %s has not finished with a value", ErrNotFound, id)
	case ofItsParts:
		return s.madeResult(ctx, id)
	}
	return result, nil
}

// madeResult is Result for a value that is made of the outputs of parts, which are all read.
func (s *Store) madeResult(ctx context.Context, id string) (Recorded, error) {
	events, err := s.Load(ctx, id)
	if err != nil {
		return Recorded{}, err
	}
	v := events[len(events)-1].End.Value // Result has seen it
	text, err := value.Encode(v)
	if err != nil {
		return Recorded{}, fmt.Errorf("run %s: %w", id, err)
	}
	result := Recorded{JSON: text, Bytes: len(text)}
	result.Gap = gapIn(v)
	return result, nil
}

// gapIn returns the gap of a value or of a part of it, nil when there is none.
func gapIn(v value.Value) *Gap {
	if gap, isNote := GapOf(v); isNote {
		return &gap
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if gap := gapIn(item); gap != nil {
				return gap
			}
		}
	case value.Object:
		for _, key := range v.Keys() {
			member, _ := v.Get(key)
			if gap := gapIn(member); gap != nil {
				return gap
			}
		}
	}
	return nil
}
