package habit

import (
	"context"
	"slices"

	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// Exported are runs that were exported to files, in the place of a store.
type Exported struct {
	runs   []journal.Run
	events map[string][]execution.Event
}

// Add adds a run with all its events; one that is there already changes nothing.
func (e *Exported) Add(run journal.Run, events []execution.Event) {
	if e.events == nil {
		e.events = map[string][]execution.Event{}
	}
	if _, known := e.events[run.ID]; !known {
		e.runs, e.events[run.ID] = append(e.runs, run), events
	}
}

// Len is how many runs there are.
func (e *Exported) Len() int { return len(e.runs) }

// List returns the runs of the filter's status, file and time, the newest first.
func (e *Exported) List(_ context.Context, of journal.Filter) (all []journal.Run, err error) {
	for _, run := range e.runs {
		if (of.Status == "" || run.Status == of.Status) && (of.File == "" || run.File == of.File) && !run.Started.Before(of.Since) {
			all = append(all, run)
		}
	}
	slices.SortStableFunc(all, func(a, b journal.Run) int { return b.Started.Compare(a.Started) })
	return all, nil
}

// Run returns one of the runs.
func (e *Exported) Run(_ context.Context, id string) (journal.Run, error) {
	for _, run := range e.runs {
		if run.ID == id {
			return run, nil
		}
	}
	return journal.Run{}, journal.ErrNotFound
}

// Load returns the events of a run.
func (e *Exported) Load(_ context.Context, id string) ([]execution.Event, error) {
	return e.events[id], nil
}
