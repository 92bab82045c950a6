package execution

import (
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// whole are the events of a run that was edited, died in a call and was looked into.
func whole() []Event {
	record := func(i int) *Record {
		return &Record{Index: i, NodeID: "n", NodeType: config.TransformNode, Output: 1.0}
	}
	edited := record(1)
	edited.Edited = true
	return []Event{
		{Kind: RunStarted, Run: "R", Start: &Start{Tool: "tool", Graph: "hash", Args: value.Null}},
		{Kind: StepFinished, Run: "R", Record: record(0)},
		{Kind: ContextEdited, Run: "R", Record: edited},
		{Kind: CallStarted, Run: "R", Step: &Visit{Index: 4, NodeID: "call", NodeType: config.MCPNode}}, // the records before it are lost
		{Kind: RunFinished, Run: "R", End: &End{Failure: &Failure{Code: CodeOutcomeUnknown}}},
		{Kind: StepFinished, Run: "R", Record: record(2)},
		{Kind: RunFinished, Run: "R", End: &End{Value: value.Null}},
	}
}

// TestV13Events: what is no list of a run's events is refused with the number of the event.
func TestV13Events(t *testing.T) {
	gap := whole()
	gap[5].Lost, gap[5].Record.Index = 3, 4 // a locked store lost two steps and more
	for _, events := range [][]Event{whole(), gap} {
		if err := CheckEvents(events); err != nil {
			t.Fatal(err)
		}
	}
	for want, spoil := range map[string]func(e []Event) []Event{
		"the run has no events": func([]Event) []Event { return nil },
		"event 1 of 6: it is step-finished; a run begins with run-started": func(e []Event) []Event { return e[1:] },
		"event 2 of 8: it is run-started; a run begins":                    func(e []Event) []Event { return append(e[:1:1], e...) },
		"event 2 of 7: it is step-finished with nothing, expected record":  func(e []Event) []Event { e[1].Record = nil; return e },
		"event 3 of 7: it is context-edited with nothing":                  func(e []Event) []Event { e[2].Record = nil; return e },
		"event 4 of 7: it is call-started with nothing, expected step":     func(e []Event) []Event { e[3].Step = nil; return e },
		"event 7 of 7: it is run-finished with nothing, expected end":      func(e []Event) []Event { e[6].End = nil; return e },
		"event 1 of 7: it is run-started with nothing, expected start":     func(e []Event) []Event { e[0].Start = nil; return e },
		"event 2 of 7: it is step-finished with record, end, expected":     func(e []Event) []Event { e[1].End = e[6].End; return e },
		`event 2 of 7: its kind is "step-ready", expected`:                 func(e []Event) []Event { e[1].Kind = StepReady; return e },
		`event 2 of 7: its kind is ""`:                                     func(e []Event) []Event { e[1] = Event{}; return e },
		`event 2 of 7: it is of run "S"`:                                   func(e []Event) []Event { e[1].Run = "S"; return e },
		"event 2 of 7: its executionIndex is 1, expected 0":                func(e []Event) []Event { e[1].Record.Index = 1; return e },
		"event 3 of 7: it is context-edited of a record with edited: false": func(e []Event) []Event {
			e[2].Record.Edited = false
			return e
		},
		"event 2 of 7: its executionIndex is -1":                   func(e []Event) []Event { e[1].Record.Index = -1; return e },
		"event 4 of 7: its executionIndex is 1, but 2 steps":       func(e []Event) []Event { e[3].Step.Index = 1; return e },
		"event 6 of 7: it is step-finished after the run's end":    func(e []Event) []Event { e[4].End = &End{}; return e },
		`event 2 of 7: its nodeType is "loop", expected entry`:     func(e []Event) []Event { e[1].Record.NodeType = "loop"; return e },
		"event 4 of 7: it has no nodeId":                           func(e []Event) []Event { e[3].Step.NodeID = ""; return e },
		"event 1 of 7: its start has no tool":                      func(e []Event) []Event { e[0].Start.Tool = ""; return e },
		"event 1 of 7: its start has no args":                      func(e []Event) []Event { e[0].Start.Args = nil; return e },
		"event 2 of 7: its executionIndex is 2, expected 0, the n": func(e []Event) []Event { e[1], e[5] = e[5], e[1]; return e },
	} {
		if err := CheckEvents(spoil(whole())); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
