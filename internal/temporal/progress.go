package temporal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// Progress is how far a run is: names of nodes and counts, never a value. The query "progress" of a workflow returns it, and
// while a worker makes the run the details of its activity have it, without Status and WaitingFor.
type Progress struct {
	Status string   `json:"status,omitempty"` // of journal.Statuses; empty: the run has not begun
	Nodes  []string `json:"nodes,omitempty"`  // those that call a tool or ask now, sorted, mostNodes of them at most
	Last   string   `json:"last,omitempty"`   // the node that has ended last
	Steps  int      `json:"steps"`            // nodes that have ended, with parts and those of called graphs
	Calls  int      `json:"calls"`            // calls of upstream tools that have begun, with repeated ones

	WaitingFor string    `json:"waitingFor,omitempty"` // a worker or an answer
	Until      time.Time `json:"until,omitzero"`       // when the time for the answer is over
}

// What a run waits for.
const (
	forAnswer = "an answer"
	forWorker = "a worker"
)

// mostNodes is how many nodes a Progress names.
const mostNodes = 20

// watched follows the events of a run. The zero value has seen none. Safe for concurrent use.
type watched struct {
	mu    sync.Mutex // guards what follows
	at    Progress
	doing map[execution.Address]string // nodes in progress, by the addresses of their steps
}

// Observe takes an event.
func (w *watched) Observe(e execution.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e.Kind {
	case execution.CallStarted, execution.QuestionAsked:
		if e.Step.Task == "" && e.Kind == execution.CallStarted { // else the call has begun before
			w.at.Calls++
		}
		if w.doing == nil {
			w.doing = map[execution.Address]string{}
		}
		w.doing[e.At()] = e.Step.Name()
	case execution.StepFinished:
		w.at.Steps++
		w.at.Last = e.Record.Name()
		delete(w.doing, e.At())
	case execution.RunFinished:
		w.doing = nil
	}
}

// now returns how far the run is.
func (w *watched) now() Progress {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.at
	now.Nodes = slices.Compact(slices.Sorted(maps.Values(w.doing)))
	now.Nodes = now.Nodes[:min(mostNodes, len(now.Nodes))]
	return now
}

// lookTime is how long the store may take to answer a query: the workflow waits meanwhile.
const lookTime = 2 * time.Second

// lookIn returns what says how far a recorded run is: any worker can, since it needs no graph.
func lookIn(store *journal.Store) func(run string) (Progress, error) {
	return func(run string) (Progress, error) {
		ctx, stop := context.WithTimeout(context.Background(), lookTime)
		defer stop()
		recorded, err := store.Exact(ctx, run)
		if errors.Is(err, journal.ErrNotFound) {
			return Progress{}, nil
		}
		var w watched
		if err == nil {
			err = store.Events(ctx, run, 0, w.Observe)
		}
		if err != nil {
			return Progress{}, fmt.Errorf("the run cannot be read in the store: %w; ask again, or use: toolgraph runs show %s", err, run)
		}
		now := w.now()
		now.Status = string(recorded.Status)
		return now, nil
	}
}

// progress answers the query of a workflow. asked is the question for whose answer it waits; nil: for none.
func (w workflows) progress(run string, asked *Asked) (Progress, error) {
	now, err := w.look(run)
	switch {
	case err != nil:
	case asked != nil:
		now.WaitingFor, now.Until = forAnswer, asked.Until
	case cmp.Or(now.Status, string(journal.Interrupted)) == string(journal.Interrupted):
		now.WaitingFor = forWorker
	}
	return now, err
}
