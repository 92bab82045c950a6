package journal

import (
	"context"

	"toolgraph/execution"
)

// Events calls each with the events of a run, without their values, from a number on, which counts from 0.
// The error wraps ErrNotFound when there is no such run.
func (s *Store) Events(ctx context.Context, id string, from int, each func(execution.Event)) error {
	run, err := s.stretch(ctx, id)
	if err != nil || from >= run.end {
		return err
	}
	return run.walk(ctx, atEvent(from), func(f frame) (bool, error) {
		if f.n >= from {
			each(f.event)
		}
		return true, nil
	})
}
