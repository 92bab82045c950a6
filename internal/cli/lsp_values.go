package cli

import (
	"cmp"
	"context"
	"errors"

	"toolgraph/execution/journal"
	"toolgraph/internal/editor/lsp"
	"toolgraph/internal/program"
	"toolgraph/internal/runtime/state"
)

// mostLSPValue is the longest output in bytes that is read for an editor.
const mostLSPValue = 256 << 10

// lastOutput returns the latest output of a node in the last recorded run of a tool; nil when there is none.
// The store is opened for reading alone; place is what the editor's settings say of it.
func lastOutput(ctx context.Context, place, file, tool, node string) (*lsp.Output, error) {
	history := program.HistoryFlags{State: place}
	place, err := history.Place()
	if err != nil {
		return nil, err
	}
	store, err := state.Open(place, journal.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	out, err := lastOutputIn(ctx, store, file, tool, node)
	return out, cmp.Or(err, store.Close())
}

func lastOutputIn(ctx context.Context, store *journal.Store, file, tool, node string) (*lsp.Output, error) {
	runs, err := store.List(ctx, journal.Filter{File: file, Tool: tool, Limit: 1})
	if err != nil || len(runs) == 0 || runs[0].Damaged != "" {
		return nil, err
	}
	history, err := store.History(ctx, runs[0].ID)
	if errors.Is(err, journal.ErrNotFound) {
		return nil, nil //nolint:nilnil // it was deleted meanwhile
	}
	if err != nil {
		return nil, err
	}
	const page = 50
	var places []int
	for i := history.Len() - 1; i >= 0; i-- {
		if frame, _, part := history.At(i).Split(); frame != "" || part != "" {
			continue
		}
		if places = append(places, i); len(places) < page && i > 0 {
			continue
		}
		if out, err := outputAmong(ctx, history, places, node); out != nil || err != nil {
			if out != nil {
				out.Run, out.Started = runs[0].ID, runs[0].Started
			}
			return out, err
		}
		places = places[:0]
	}
	return nil, nil //nolint:nilnil // the run has not come to the node
}

// outputAmong returns the output of the first of some steps that is one of a node; nil when there is none.
func outputAmong(ctx context.Context, history *journal.History, places []int, node string) (*lsp.Output, error) {
	const little = 1 // byte: only the records are wanted
	steps, err := history.Steps(ctx, places, little)
	if err != nil {
		return nil, err
	}
	for i, s := range steps {
		if s.Record.NodeID != node || s.Record.Error != nil {
			continue
		}
		whole, err := history.Steps(ctx, places[i:i+1], mostLSPValue)
		if err != nil || len(whole) == 0 || whole[0].Output.Nothing || whole[0].Output.Gap != nil && whole[0].Output.Gap.Reason != journal.Redacted {
			return nil, err
		}
		return &lsp.Output{JSON: whole[0].Output.JSON, Truncated: whole[0].Output.Truncated}, nil
	}
	return nil, nil //nolint:nilnil // see the comment
}
