package journal

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"toolgraph/execution"
)

// Memory is a journal in memory. The zero value is ready. Safe for concurrent use.
type Memory struct {
	mu   sync.Mutex // guards runs
	runs map[string][]execution.Event
}

// Append adds an event to its run.
func (m *Memory) Append(_ context.Context, e execution.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runs == nil {
		m.runs = map[string][]execution.Event{}
	}
	m.runs[e.Run] = append(m.runs[e.Run], e)
	return nil
}

// Load returns the events of a run in order.
func (m *Memory) Load(_ context.Context, run string) ([]execution.Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	events, known := m.runs[run]
	if !known {
		return nil, fmt.Errorf("run %q not found", run)
	}
	return slices.Clone(events), nil
}
