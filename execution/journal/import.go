package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
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
	return checkMade(events)
}

const (
	importIDs   = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
	maxImportID = 128 // characters
)

// namesOf returns the names in an event.
func namesOf(e execution.Event) []string {
	switch {
	case e.Start != nil:
		return []string{e.Start.Tool, e.Start.Graph, e.Start.ForkedFrom}
	case e.Step != nil:
		names := []string{e.Step.NodeID, e.Step.Graph, e.Step.Server, e.Step.Tool, e.Step.Digest}
		if e.Retry != nil {
			names = append(names, failureNames(e.Retry.Error)...)
		}
		if e.Parts != nil {
			names = append(names, e.Parts.Digest)
		}
		if q := e.Question; q != nil {
			names = append(names, q.Digest, q.Server, q.Tool, string(q.Effect))
		}
		if e.Answer != nil {
			names = append(names, e.Answer.Digest)
		}
		return names
	case e.Record != nil:
		names := append(failureNames(e.Record.Error), failureNames(e.Record.Handled)...)
		for _, a := range e.Record.Attempts {
			names = append(names, failureNames(a.Error)...)
		}
		if e.Record.Confirmed != nil {
			names = append(names, e.Record.Confirmed.Digest)
		}
		return append(names, e.Record.NodeID, e.Record.Tool, e.Record.Digest)
	}
	names := failureNames(e.End.Failure)
	if u := e.End.Used; u != nil {
		names = append(names, u.Chain...)
		for _, s := range u.Servers {
			names = append(names, s.Server)
		}
	}
	return names
}

func failureNames(f *execution.Failure) []string {
	if f == nil {
		return nil
	}
	names := []string{string(f.Code), f.Detail, f.Node, f.Part, string(f.At), f.Pos.File}
	for _, c := range f.Callers {
		names = append(append(names, c.Tool, c.Node, c.Part), c.Path...)
	}
	return names
}

// checkMade rejects an output that is not made of the parts that it is said to be made of: it is
// not recorded a second time.
func checkMade(events []execution.Event) error {
	all := newAssembly()
	for i, e := range events {
		all.started(&e)
		all.add(e.Record)
		if e.Record == nil || e.Record.Parts == 0 {
			continue
		}
		made, err := value.Encode(all.make(e.At(), e.Record))
		if err != nil {
			return err
		}
		if given, err := value.Encode(e.Record.Output); err != nil || !bytes.Equal(made, given) {
			return fmt.Errorf("event %d of %d: the output of step %s is not made of its %s", i+1, len(events), e.At(), wording.Count(e.Record.Parts, "part"))
		}
	}
	return nil
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
