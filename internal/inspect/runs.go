package inspect

import (
	"context"
	"fmt"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// Runs are kept runs, the newest first.
type Runs struct {
	Runs []journal.Run `json:"runs"`
	Next string        `json:"next,omitempty"` // the value of "before" that gives the next ones; empty at the end
}

// ListRuns are the runs that a filter selects; of the file alone, when there is one.
func (i *Inspector) ListRuns(ctx context.Context, f journal.Filter) (*Runs, error) {
	s, err := i.store()
	if err != nil {
		return nil, err
	}
	if i.File != "" {
		if f.File, err = i.ofFile(); err != nil {
			return nil, err
		}
	}
	limit := f.Limit
	if limit == 0 {
		limit = journal.DefaultList
	}
	if limit > 0 {
		f.Limit = limit + 1 // one more, to know whether there is one
	}
	runs, err := s.List(ctx, f)
	if err != nil {
		return nil, err
	}
	answer := &Runs{Runs: append([]journal.Run{}, runs...)}
	if limit > 0 && len(runs) > limit {
		answer.Runs = answer.Runs[:limit]
		answer.Next = runs[limit-1].ID
	}
	return answer, nil
}

// RunQuery asks for one run.
type RunQuery struct {
	Run        string // an id, the beginning of one, or "last"
	From       int    // the first step
	Limit      int    // at most so many steps; 0: 100
	ValueBytes int    // of each value; 0: DefaultValueBytes, below 0: all
	Context    *int   // also tell what the expressions of this step saw; nil: no
}

const defaultSteps = 100

// Run is one kept run.
type Run struct {
	journal.Run
	Arguments Value            `json:"arguments"`
	History   []Step           `json:"history"`
	Context   map[string]Value `json:"context,omitempty"` // by node: its latest output before the step that was asked for, unless that is nothing
	Next      int              `json:"next,omitempty"`    // the value of "from" that gives the next steps; 0 at the end
}

// Step is one entry of a run's history.
type Step struct {
	Index    int                `json:"executionIndex"`
	Node     string             `json:"nodeId"`
	Type     config.NodeType    `json:"nodeType"`
	Started  time.Time          `json:"startTime"`
	Duration float64            `json:"duration"` // milliseconds
	Output   *Value             `json:"output,omitempty"`
	Nothing  bool               `json:"nothing,omitempty"` // the node yielded nothing
	Error    *execution.Failure `json:"error,omitempty"`
}

// ReadRun is a run with its steps.
func (i *Inspector) ReadRun(ctx context.Context, q RunQuery) (*Run, error) {
	s, err := i.store()
	if err != nil {
		return nil, err
	}
	if q.Limit == 0 {
		q.Limit = defaultSteps
	}
	switch {
	case q.ValueBytes == 0:
		q.ValueBytes = DefaultValueBytes
	case q.ValueBytes < 0:
		q.ValueBytes = 0
	}
	kept, err := i.find(ctx, s, q.Run)
	if err != nil {
		return nil, err
	}
	args, err := s.Arguments(ctx, kept.ID, q.ValueBytes)
	if err != nil {
		return nil, err
	}
	steps, err := s.Steps(ctx, kept.ID, q.From, q.Limit, q.ValueBytes)
	if err != nil {
		return nil, err
	}
	answer := &Run{Run: kept, Arguments: valueOf(args), History: make([]Step, len(steps))}
	for n, step := range steps {
		answer.History[n] = stepOf(step)
	}
	if q.Context != nil {
		if answer.Context, err = contextOf(ctx, s, kept, *q.Context, q.ValueBytes); err != nil {
			return nil, err
		}
	}
	if end := q.From + len(steps); len(steps) > 0 && end < kept.Steps {
		answer.Next = end
	}
	return answer, nil
}

// contextOf is the context of a step: the latest output of each node before it.
func contextOf(ctx context.Context, s *journal.Store, run journal.Run, step, most int) (map[string]Value, error) {
	if step < 0 || step > run.Steps {
		return nil, fmt.Errorf("run %s has %d steps, and there is no context of step %d", run.ID, run.Steps, step)
	}
	const page = 100 // so that no more is held than what was the latest somewhere
	seen := map[string]Value{}
	for from := 0; from < step; from += page {
		before, err := s.Steps(ctx, run.ID, from, min(page, step-from), most)
		if err != nil {
			return nil, err
		}
		for _, b := range before {
			switch {
			case b.Record.Error != nil:
			case b.Output.Nothing:
				delete(seen, b.Record.NodeID)
			default:
				seen[b.Record.NodeID] = valueOf(b.Output)
			}
		}
	}
	return seen, nil
}

func stepOf(s journal.Step) Step {
	r := s.Record
	step := Step{
		Index: r.Index, Node: r.NodeID, Type: r.NodeType, Started: r.Start,
		Duration: float64(r.Duration().Microseconds()) / 1000, Error: r.Error,
		Nothing: s.Output.Nothing,
	}
	if r.Error == nil && !step.Nothing {
		output := valueOf(s.Output)
		step.Output = &output
	}
	return step
}
