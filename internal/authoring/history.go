package authoring

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/inspect"
	"toolgraph/internal/authoring/view"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/serving/toolset"
)

// The bounds on what is shown of a run: an agent's context is small.
const (
	shortOutput   = 200      // bytes of one output's JSON, unless valueBytes is given
	shortSteps    = 100      // the first half and the last half of them, unless valueBytes is given
	failuresBelow = 10       // failed parts and steps of called graphs, unless valueBytes is given
	mostOutput    = 64 << 10 // bytes of one output's JSON
	mostOutputs   = 1 << 20  // of all outputs together, and of one result
	mostShown     = 2 << 10  // of a result that is truncated, and of an argument in a log
	mostSteps     = 1000     // the first half and the last half of them
	defaultRuns   = 20       // of a list
)

// shownStep is a record of a run, its output perhaps truncated.
type shownStep struct{ execution.Record }

// truncatedOutput is in the place of an output that is not shown whole.
type truncatedOutput struct {
	Truncated bool   `json:"truncated"` // true
	Bytes     int    `json:"bytes"`
	Beginning string `json:"beginning"` // of its JSON
}

// truncate returns the first bytes of a value's JSON in place of a value that has more; size is that
// of the whole.
func truncate(ctx context.Context, v value.Value, size, most int, secrets *config.Secrets) value.Value {
	return value.FromPlain(truncatedOutput{Truncated: true, Bytes: size, Beginning: view.Beginning(ctx, v, most, secrets)})
}

// sizeOf returns the size of a value as JSON, and whether it has at most so many bytes.
func sizeOf(ctx context.Context, v value.Value, most int) (size int, within bool) {
	size, _ = value.SizeWithin(value.Until(ctx), v, value.MaxBytes)
	return size, size <= most
}

// detail is how much of a history is shown.
type detail struct {
	steps  int  // the first half and the last half of them
	bytes  int  // of each output's JSON
	folded bool // without what is below the steps of the run's own graph, but for failures
}

// detailOf is the detail that the argument valueBytes asks for: without it, little of few
// steps.
func detailOf(a toolset.Arguments) detail {
	if a.Get("valueBytes") == nil {
		return detail{shortSteps, shortOutput, true}
	}
	return detail{mostSteps, a.Number("valueBytes", shortOutput), false}
}

// ownSteps returns the steps of the run's own graph.
func ownSteps(history []execution.Record) []execution.Record {
	return slices.DeleteFunc(slices.Clone(history), isBelow)
}

// isBelow reports whether a record is of a part or of a called graph.
func isBelow(r execution.Record) bool { return r.Frame != "" || r.Part != "" }

// folded returns a history without the steps below those of the run's own graph, but for the first
// failures among them, and how many are left out.
func folded(history []execution.Record) (shown []execution.Record, left int) {
	failures := 0
	for _, r := range history {
		failed := r.Error != nil || r.Handled != nil
		if isBelow(r) && (!failed || failures == failuresBelow) {
			left++
			continue
		}
		if isBelow(r) {
			failures++
		}
		shown = append(shown, r)
	}
	return shown, left
}

// ends returns the first and the last of a list, at most so many, and whether some are
// left out.
func ends[T any](all []T, most int) ([]T, bool) {
	if len(all) <= most {
		return all, false
	}
	return slices.Concat(all[:most/2], all[len(all)-most/2:]), true
}

// stepsOf returns a history within bounds, and a note when something was left out.
func stepsOf(ctx context.Context, history []execution.Record, how detail, secrets *config.Secrets) (steps []shownStep, note string) {
	steps = []shownStep{}
	var foldedNote string
	if how.folded {
		var left int
		if history, left = folded(history); left > 0 {
			foldedNote = fmt.Sprintf("%s of parts and called graphs left out", wording.Count(left, "execution"))
		}
	}
	room := mostOutputs
	truncated := 0
	shown, short := ends(history, how.steps)
	for _, r := range shown {
		limit := min(how.bytes, max(room, shortOutput))
		if r.Handled != nil {
			r.Handled = shortFailure(r.Handled, limit, secrets)
		}
		r.Attempts = slices.Clone(r.Attempts)
		for i := range r.Attempts {
			r.Attempts[i].Error = shortFailure(r.Attempts[i].Error, limit, secrets)
		}
		size, within := sizeOf(ctx, r.Output, limit)
		switch {
		case r.Error != nil:
			r.Error = shortFailure(r.Error, limit, secrets)
		case !within:
			r.Output = truncate(ctx, r.Output, size, limit, secrets)
			room -= limit
			truncated++
		default:
			room -= size
		}
		steps = append(steps, shownStep{r})
	}
	var stepsNote, outputsNote string
	if short {
		stepsNote = fmt.Sprintf("executionHistory has the first and the last %d of %d executions", how.steps/2, len(history))
	}
	if truncated > 0 {
		outputsNote = fmt.Sprintf("outputs truncated: %d (expressions saw them whole)", truncated)
	}
	return steps, joined(foldedNote, stepsNote, outputsNote)
}

// shortFailure returns a step's failure in at most so many bytes: the error of the run has
// all of it.
func shortFailure(f *execution.Failure, most int, secrets *config.Secrets) *execution.Failure {
	if len(f.Message)+len(f.Structured)+len(f.Result)+len(f.Plain)+len(f.Raised) <= most {
		return f
	}
	short := *f
	short.Structured, short.Result, short.Plain, short.Raised = nil, nil, "", ""
	if len(f.Message) > most {
		short.Message = wording.Head(secrets.Redact(f.Message), most) + "…"
	}
	return &short
}

// joined returns the notes that are not empty as one.
func joined(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(n string) bool { return n == "" }), "; ")
}

// bounded returns a result as it is shown, and a note when that is its beginning alone.
func bounded(ctx context.Context, v value.Value, secrets *config.Secrets) (shown toolset.Value, note string) {
	size, within := sizeOf(ctx, v, mostOutputs)
	if within {
		return toolset.Value{Value: v}, ""
	}
	return toolset.Value{Value: truncate(ctx, v, size, mostShown, secrets)},
		fmt.Sprintf("the value has %d bytes of JSON; only its beginning is shown", size)
}

// recordedRuns returns what reads recorded runs, and the path that runs of the graph file
// have: a toolkit does not show runs of other files.
func (r *request) recordedRuns() (*inspect.Inspector, string, error) {
	if r.opts.Runs == nil {
		return nil, "", errors.New("runs are not recorded: the toolkit was started with --no-history")
	}
	file, err := filepath.Abs(r.path)
	return &inspect.Inspector{Store: r.opts.Runs}, file, err
}

// runList is recorded runs, the newest first.
type runList struct {
	list[journal.Run]
	Next string `json:"next,omitempty"` // the argument before of the next page
}

func (r *request) listRuns(ctx context.Context) (any, error) {
	recorded, file, err := r.recordedRuns()
	if err != nil {
		return nil, err
	}
	runs, err := recorded.ListRuns(ctx, journal.Filter{
		File: file, Tool: r.Text("toolName"), Status: journal.Status(r.Text("status")),
		Before: r.Text("before"), Limit: r.Number("limit", defaultRuns),
	})
	if err != nil {
		return nil, err
	}
	return runList{listOf(runs.Runs), runs.Next}, nil
}

func (r *request) readRun(ctx context.Context) (any, error) {
	recorded, file, err := r.recordedRuns()
	if err != nil {
		return nil, err
	}
	id := r.Text("runId")
	if id == "" || id == "last" { // of this file, not of all
		runs, err := recorded.ListRuns(ctx, journal.Filter{File: file, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(runs.Runs) == 0 {
			return nil, errors.New("no run of this graph file is recorded yet; runGraphTool makes one")
		}
		id = runs.Runs[0].ID
	}
	run, err := recorded.ReadRun(ctx, inspect.RunQuery{
		Run: id, From: r.Number("from", 0), Limit: r.Number("limit", 0), ValueBytes: r.Number("valueBytes", 0),
	})
	if errors.Is(err, journal.ErrNotFound) {
		return nil, fmt.Errorf("run %q not found; listRuns lists the recorded runs", id)
	}
	if err == nil && run.File != file {
		return nil, fmt.Errorf("run %q is a run of another graph file; listRuns lists those of this one", id)
	}
	return run, err
}
