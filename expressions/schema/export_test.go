package schema

import (
	"context"

	"toolgraph/expressions/value"
)

// Steps returns how many steps a validation takes.
func (s *Schema) Steps(ctx context.Context, v value.Value) (int, Problems, error) {
	i, err := s.take(ctx)
	if err != nil {
		return 0, nil, err
	}
	defer s.instances.give(i)
	plain, err := s.plain(ctx, v)
	if err != nil {
		return 0, nil, err
	}
	found, err := s.validate(ctx, i, "", plain)
	return i.meter.Steps(), found, err
}

// StepsUntilStopped returns how many steps a validation continues after its context has ended.
func StepsUntilStopped(ctx context.Context, end func()) (steps int) {
	m := &meter{}
	m.begin(ctx, 0)
	m.spend(1)
	end()
	defer func() { _ = recover(); steps = m.Steps() }()
	for {
		m.spend(1)
	}
}
