package authoring

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"toolgraph/execution/journal"
	"toolgraph/internal/inspect"
)

// mostRuns is how many runs are listed when nobody asks for another number.
const mostRuns = 20

var errNoRuns = errors.New("no runs are kept: the toolkit was started with --no-history")

// runsOf answers questions about kept runs, and tells by which path those of the graph
// file are known: runs of other files are none of an agent's business.
func (k *Toolkit) runsOf(v *view) (*inspect.Inspector, string, error) {
	if k.opts.Runs == nil {
		return nil, "", errNoRuns
	}
	file, err := filepath.Abs(v.path)
	return &inspect.Inspector{Store: k.opts.Runs}, file, err
}

// keptRuns are runs, the newest first.
type keptRuns struct {
	list[journal.Run]
	Next string `json:"next,omitempty"` // the value of "before" that gives the next ones
}

func listRuns(ctx context.Context, k *Toolkit, v *view, a arguments) (any, error) {
	kept, file, err := k.runsOf(v)
	if err != nil {
		return nil, err
	}
	runs, err := kept.ListRuns(ctx, journal.Filter{
		File: file, Tool: a.text("toolName"), Status: journal.Status(a.text("status")),
		Before: a.text("before"), Limit: a.number("limit", mostRuns),
	})
	if err != nil {
		return nil, err
	}
	return keptRuns{listOf(runs.Runs), runs.Next}, nil
}

func readRun(ctx context.Context, k *Toolkit, v *view, a arguments) (any, error) {
	kept, file, err := k.runsOf(v)
	if err != nil {
		return nil, err
	}
	id := a.text("runId")
	if id == "" || id == "last" { // of this file, not of all
		runs, err := kept.ListRuns(ctx, journal.Filter{File: file, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(runs.Runs) == 0 {
			return nil, errors.New("no run of this graph file is kept yet; runGraphTool makes one")
		}
		id = runs.Runs[0].ID
	}
	run, err := kept.ReadRun(ctx, inspect.RunQuery{
		Run: id, From: a.number("from", 0), Limit: a.number("limit", 0), ValueBytes: a.number("valueBytes", 0),
	})
	if errors.Is(err, journal.ErrNotFound) {
		return nil, fmt.Errorf("no run %q is kept; listRuns tells which there are", id)
	}
	if err != nil {
		return nil, err
	}
	if run.File != file {
		return nil, fmt.Errorf("run %q is one of another graph file; listRuns tells those of this one", id)
	}
	return run, nil
}
