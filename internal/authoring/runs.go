package authoring

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// Runs are the kept runs; a journal.Store has them.
type Runs interface {
	List(ctx context.Context, f journal.Filter) ([]journal.Run, error)
	Run(ctx context.Context, id string) (journal.Run, error)
	Steps(ctx context.Context, id string, from, limit, most int) ([]journal.Step, error)
}

// mostRuns is how many runs are listed when nobody asks for another number.
const mostRuns = 20

var errNoRuns = errors.New("no runs are kept: the toolkit was started with --no-history")

// ofFile is the path by which runs of the graph file are known.
func (v *view) ofFile() (string, error) { return filepath.Abs(v.path) }

// listRuns lists runs of this graph file alone.
func listRuns(ctx context.Context, k *Toolkit, v *view, a arguments) (any, error) {
	if k.opts.Runs == nil {
		return nil, errNoRuns
	}
	file, err := v.ofFile()
	if err != nil {
		return nil, err
	}
	f := journal.Filter{
		File: file, Tool: a.text("toolName"), Status: journal.Status(a.text("status")),
		Before: a.text("before"), Limit: a.number("limit", mostRuns),
	}
	runs, err := k.opts.Runs.List(ctx, f)
	if err != nil {
		return nil, err
	}
	return listOf(runs), nil
}

// readBack is a kept run with a part of its history.
type readBack struct {
	Run     journal.Run `json:"run"`
	History []keptStep  `json:"executionHistory"`
	Next    *int        `json:"next,omitempty"` // the index from which to read on
}

// keptStep is a kept record.
type keptStep struct {
	Index    int                `json:"executionIndex"`
	NodeID   string             `json:"nodeId"`
	NodeType config.NodeType    `json:"nodeType"`
	Duration float64            `json:"duration"` // milliseconds
	Output   json.RawMessage    `json:"output,omitempty"`
	Cut      *cutOutput         `json:"cut,omitempty"` // the output when it is too large to be told
	Gap      *journal.Gap       `json:"gap,omitempty"` // why the output was not kept as it was
	Error    *execution.Failure `json:"error,omitempty"`
}

// readRun reads a run of this graph file.
func readRun(ctx context.Context, k *Toolkit, v *view, a arguments) (any, error) {
	if k.opts.Runs == nil {
		return nil, errNoRuns
	}
	run, err := k.findRun(ctx, v, a.text("runId"))
	if err != nil {
		return nil, err
	}
	from, limit := a.number("from", 0), a.number("limit", 100)
	steps, err := k.opts.Runs.Steps(ctx, run.ID, from, limit, mostOutput)
	if err != nil {
		return nil, err
	}
	told := readBack{Run: run, History: []keptStep{}}
	for _, s := range steps {
		told.History = append(told.History, keptStepOf(s))
	}
	if next := from + len(steps); len(steps) == limit && next < run.Steps {
		told.Next = &next
	}
	return told, nil
}

// findRun is a run of this file, by the beginning of its id, or the last.
func (k *Toolkit) findRun(ctx context.Context, v *view, id string) (journal.Run, error) {
	file, err := v.ofFile()
	if err != nil {
		return journal.Run{}, err
	}
	if id == "" || id == "last" {
		runs, err := k.opts.Runs.List(ctx, journal.Filter{File: file, Limit: 1})
		if err != nil || len(runs) == 1 {
			return slices.Concat(runs, []journal.Run{{}})[0], err
		}
		return journal.Run{}, errors.New("no run of this graph file is kept yet; runGraphTool makes one")
	}
	run, err := k.opts.Runs.Run(ctx, id)
	if err == nil && run.File != file {
		err = fmt.Errorf("run %q is one of another graph file; listRuns tells those of this one", id)
	}
	return run, err
}

func keptStepOf(s journal.Step) keptStep {
	r := s.Record
	told := keptStep{
		Index: r.Index, NodeID: r.NodeID, NodeType: r.NodeType, Error: r.Error, Gap: s.Output.Gap,
		Duration: float64(r.Duration().Microseconds()) / 1000,
	}
	switch {
	case s.Output.Cut:
		cut := cutText(s.Output.JSON, s.Output.Bytes)
		told.Cut = &cut
	case len(s.Output.JSON) > 0:
		told.Output = s.Output.JSON
	}
	return told
}
