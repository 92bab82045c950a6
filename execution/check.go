package execution

import (
	"errors"
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/internal/wording"
)

// CheckEvents returns an error for the first invalid event of a run, or one that is not valid at
// its place: the events of a damaged journal or of a file may be anything. Events are counted
// from 1.
func CheckEvents(events []Event) error {
	if len(events) == 0 {
		return fmt.Errorf("the run has no events, expected %s first", RunStarted)
	}
	records, over := 0, false
	for i, e := range events {
		err := e.Check()
		switch {
		case err != nil:
		case (i == 0) != (e.Kind == RunStarted):
			err = fmt.Errorf("it is %s; a run begins with %s and has it once", e.Kind, RunStarted)
		case e.Start != nil && e.Start.Tool == "":
			err = errors.New("its start has no tool")
		case e.Start != nil && e.Start.Args == nil:
			err = errors.New("its start has no args")
		case e.Run != events[0].Run:
			err = fmt.Errorf("it is of run %q, but the first event is of run %q", e.Run, events[0].Run)
		case over:
			err = fmt.Errorf("it is %s after the run's end", e.Kind)
		case e.Record != nil && e.Record.Index != records && (e.Lost <= 0 || e.Record.Index < records):
			err = fmt.Errorf("its executionIndex is %d, expected %d, the number of steps before it", e.Record.Index, records)
		case e.Step != nil && e.Step.Index < records:
			err = fmt.Errorf("its executionIndex is %d, but %d steps are before it", e.Step.Index, records)
		case e.Record != nil:
			records = e.Record.Index + 1 // more than one more when events were lost
		case e.End != nil:
			over = !isUnknown(e.End) // a run continues after its in-doubt call is resolved
		}
		if err != nil {
			return fmt.Errorf("event %d of %d: %w", i+1, len(events), err)
		}
	}
	return nil
}

// Check returns an error for an event that lacks a part of its kind, or has another.
func (e Event) Check() error {
	has := map[string]bool{"start": e.Start != nil, "step": e.Step != nil, "record": e.Record != nil, "end": e.End != nil}
	needs := map[EventKind]string{
		RunStarted: "start", CallStarted: "step", StepFinished: "record", ContextEdited: "record", RunFinished: "end",
	}[e.Kind]
	if needs == "" {
		return fmt.Errorf("its kind is %q, expected %s, %s, %s, %s or %s", e.Kind, RunStarted, CallStarted, StepFinished, ContextEdited, RunFinished)
	}
	for _, part := range []string{"start", "step", "record", "end"} {
		if has[part] != (part == needs) {
			return fmt.Errorf("it is %s with %s, expected %s alone", e.Kind, parts(has), needs)
		}
	}
	switch {
	case e.Record != nil && e.Record.Edited != (e.Kind == ContextEdited):
		return fmt.Errorf("it is %s of a record with edited: %t", e.Kind, e.Record.Edited)
	case e.Record != nil:
		return checkVisit(e.Record.Index, e.Record.NodeID, e.Record.NodeType)
	case e.Step != nil:
		return checkVisit(e.Step.Index, e.Step.NodeID, e.Step.NodeType)
	}
	return nil
}

func parts(has map[string]bool) string {
	text := ""
	for _, part := range []string{"start", "step", "record", "end"} {
		if has[part] {
			text += ", " + part
		}
	}
	if text == "" {
		return "nothing"
	}
	return text[2:]
}

func checkVisit(index int, node string, kind config.NodeType) error {
	if kind != "" && !slices.Contains(config.NodeTypes, kind) { // "" is of edits that early releases recorded
		return fmt.Errorf("its nodeType is %q, expected %s", kind, wording.Or(config.NodeTypes))
	}
	switch {
	case index < 0:
		return fmt.Errorf("its executionIndex is %d, expected 0 or more", index)
	case node == "":
		return errors.New("it has no nodeId")
	}
	return nil
}
