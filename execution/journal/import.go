package journal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"toolgraph/execution"
	"toolgraph/internal/wording"
)

// Import records a run that was exported from another store, under its own id. The events are
// checked first: they must be those of one complete recording, with names that can be shown. It
// is an error when the store has a run with this id.
func (s *Store) Import(ctx context.Context, run Run, events []execution.Event) error {
	if err := checkImport(run, events); err != nil {
		return err
	}
	if _, err := s.Run(ctx, run.ID); err == nil {
		return fmt.Errorf("run %s is already recorded", run.ID)
	} else if !errors.Is(err, ErrNotFound) {
		return err
	}
	j := s.Journal(nil, About{File: run.File, Server: run.Server})
	for _, e := range events {
		if err := j.Append(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// checkImport rejects what is not a complete run.
func checkImport(run Run, events []execution.Event) error {
	if err := execution.CheckEvents(events); err != nil {
		return err
	}
	if id := events[0].Run; id == "" || id != run.ID {
		return fmt.Errorf("the events belong to run %q and the file to run %q, expected the same id", id, run.ID)
	}
	if strings.Trim(run.ID, importIDs) != "" || len(run.ID) > maxImportID {
		return fmt.Errorf("the id of the run is %.100q, expected at most %d letters, digits, - and _", run.ID, maxImportID)
	}
	if err := checkNames(run.File, run.Server); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	for i, e := range events {
		if err := checkNames(namesOf(e)...); err != nil {
			return fmt.Errorf("event %d of %d: %w", i+1, len(events), err)
		}
	}
	return nil
}

const (
	importIDs   = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
	maxImportID = 128 // characters
)

// namesOf returns the names in an event.
func namesOf(e execution.Event) []string {
	switch {
	case e.Start != nil:
		return []string{e.Start.Tool, e.Start.Graph}
	case e.Step != nil:
		return []string{e.Step.NodeID, e.Step.Server, e.Step.Tool, e.Step.Digest}
	case e.Record != nil && e.Record.Error != nil:
		return append(failureNames(e.Record.Error), e.Record.NodeID)
	case e.Record != nil:
		return []string{e.Record.NodeID}
	case e.End.Failure != nil:
		return failureNames(e.End.Failure)
	}
	return nil
}

func failureNames(f *execution.Failure) []string {
	return []string{string(f.Code), f.Detail, f.Node, f.Pos.File}
}

// checkNames rejects names with characters that are invisible or change how others are shown.
func checkNames(names ...string) error {
	for _, name := range names {
		if wording.OneLine(name) != name || strings.ContainsRune(name, unicode.ReplacementChar) {
			return fmt.Errorf("the name %.100q has control or hidden characters", name)
		}
	}
	return nil
}
