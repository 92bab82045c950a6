package execution

import (
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// flown are the events of a run with a graph for each of two items, whose first call took two
// attempts, and with branches, one of which is a graph.
func flown() []Event {
	step := func(frame Address, i int, part, node string, kind config.NodeType) Event {
		r := &Record{Frame: frame, Index: i, Part: part, NodeID: node, NodeType: kind, Output: 1.0}
		if frame != "" {
			r.Tool = "inner"
		}
		return Event{Kind: StepFinished, Run: "R", Record: r}
	}
	visit := func(kind EventKind, frame Address, i int, part, node string, attempt int) Event {
		v := &Visit{Frame: frame, Index: i, Part: part, NodeID: node, NodeType: config.MCPNode, Attempt: attempt, Server: "s", Tool: "t"}
		if frame != "" {
			v.Graph = "inner"
		}
		return Event{Kind: kind, Run: "R", Step: v}
	}
	failed := func(e Event) Event {
		e.Retry = &Retry{Attempt: Attempt{Error: &Failure{Code: CodeTool, Message: "busy"}}, WaitMs: 5}
		return e
	}
	starts := func(e Event, p Parts) Event { e.Parts = &p; return e }
	whole := func(e Event, n int) Event { e.Record.Parts = n; return e }
	return []Event{
		{Kind: RunStarted, Run: "R", Start: &Start{Tool: "tool", Graph: "hash", Args: value.Null}},
		step("", 0, "", "entry", config.EntryNode),
		starts(visit(PartsStarted, "", 1, "", "each", 0), Parts{Count: 2, Digest: "d"}),
		step("1.1", 0, "", "entry", config.EntryNode), // 3
		step("1.0", 0, "", "entry", config.EntryNode),
		visit(CallStarted, "1.0", 1, "", "call", 0), // 5
		visit(CallStarted, "1.1", 1, "", "call", 0),
		failed(visit(AttemptFailed, "1.0", 1, "", "call", 0)), // 7
		step("1.1", 1, "", "call", config.MCPNode),
		step("", 1, "1", "each", config.GraphNode),  // 9
		visit(CallStarted, "1.0", 1, "", "call", 2), // 10
		step("1.0", 1, "", "call", config.MCPNode),
		step("", 1, "0", "each", config.GraphNode), // 12
		whole(step("", 1, "", "each", config.GraphNode), 2),
		starts(visit(PartsStarted, "", 2, "", "facts", 0), Parts{Count: 2, Branches: []string{"weather", "news"}}), // 14
		visit(CallStarted, "", 2, "weather", "facts", 0),
		step("2.news", 0, "", "entry", config.EntryNode), // 16
		step("", 2, "news", "facts", config.GraphNode),
		step("", 2, "weather", "facts", config.MCPNode), // 18
		whole(step("", 2, "", "facts", config.ParallelNode), 2),
		step("3", 0, "", "entry", config.EntryNode), // 20
		step("", 3, "", "sub", config.GraphNode),
		step("", 4, "", "exit", config.ExitNode), // 22
		{Kind: RunFinished, Run: "R", End: &End{Value: value.Null}},
	}
}

// The events of parts and frames are refused where they are wrong, with the number of the event.
func TestFramesAreChecked(t *testing.T) {
	if err := CheckEvents(flown()); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(e []Event) []Event{
		"event 5 of 24: its executionIndex is 1, expected 0, the number of steps before it in frame 1.0": func(e []Event) []Event { e[4].Record.Index = 1; return e },
		"event 9 of 24: its executionIndex is 0, expected 1, the number of steps before it in frame 1.1": func(e []Event) []Event { e[8].Record.Index = 0; return e },
		"event 11 of 24: it is in frame 1.1, but step 1.1 has ended before":                              func(e []Event) []Event { e[10].Step.Frame = "1.1"; return e },
		"event 12 of 24: it is in frame 1.1, but step 1.1 has ended before":                              func(e []Event) []Event { e[11].Record.Frame = "1.1"; return e },
		"event 17 of 24: it is in frame 1.0, but step 1.0 has ended before":                              func(e []Event) []Event { e[16].Record.Frame = "1.0"; return e },
		"event 17 of 24: it is in frame 5.1, but there are 2 steps before it":                            func(e []Event) []Event { e[16].Record.Frame = "5.1"; return e },
		"event 17 of 24: its frame is wrong":                                                             func(e []Event) []Event { e[16].Record.Frame = "2..1"; return e },
		`event 17 of 24: its frame is "2.news" and the tool of the frame "", expected both or none`:      func(e []Event) []Event { e[16].Record.Tool = ""; return e },
		"event 9 of 23: it is part 1 of step 1, but parts-started is not before it":                      func(e []Event) []Event { return slices.Delete(e, 2, 3) },
		"event 10 of 24: it is part 2 of step 1, which has no such part":                                 func(e []Event) []Event { e[9].Record.Part = "2"; return e },
		"event 10 of 24: it is part news of step 1, which has no such part":                              func(e []Event) []Event { e[9].Record.Part = "news"; return e },
		"event 19 of 24: it is part snow of step 2, which has no such part":                              func(e []Event) []Event { e[18].Record.Part = "snow"; return e },
		"event 13 of 24: it is part 1 of step 1, which has ended before":                                 func(e []Event) []Event { e[12] = e[9]; return e },
		`event 13 of 24: its part is "a b", expected a number or the name`:                               func(e []Event) []Event { e[12].Record.Part = "a b"; return e },
		"event 13 of 23: its output is made of 2 parts, but 1 of step 1 are before it":                   func(e []Event) []Event { return slices.Delete(e, 12, 13) },
		"event 14 of 24: its output is made of 3 parts, but 2 of step 1 are before it":                   func(e []Event) []Event { e[13].Record.Parts = 3; return e },
		"event 14 of 24: it has parts, which only":                                                       func(e []Event) []Event { e[13].Record.Error = &Failure{}; return e },
		"event 14 of 24: its parts is -1":                                                                func(e []Event) []Event { e[13].Record.Parts = -1; return e },
		"event 13 of 24: it has parts, which only":                                                       func(e []Event) []Event { e[12].Record.Parts = 1; return e },
		"event 13 of 24: it has handled and error":                                                       func(e []Event) []Event { r := e[12].Record; r.Error, r.Handled = &Failure{}, &Failure{}; return e },
		"event 13 of 24: one of its attempts has no error":                                               func(e []Event) []Event { e[12].Record.Attempts = []Attempt{{}}; return e },
		"event 10 of 24: it is an edit of a part":                                                        func(e []Event) []Event { e[9].Kind, e[9].Record.Edited = ContextEdited, true; return e },
		"event 6 of 23: it is attempt 1 of step 1.0/1, which has not started":                            func(e []Event) []Event { e = slices.Delete(e, 5, 6); e[5] = e[6]; return e },
		"event 11 of 24: it is attempt 1 of step 1.0/1, but attempt 1 has failed before":                 func(e []Event) []Event { e[10].Step.Attempt = 0; return e },
		"event 8 of 24: it is attempt-failed with step, expected step, retry alone":                      func(e []Event) []Event { e[7].Retry = nil; return e },
		"event 8 of 24: its retry needs an error":                                                        func(e []Event) []Event { e[7].Retry.Error = nil; return e },
		"event 8 of 24: its attempt is -1":                                                               func(e []Event) []Event { e[7].Step.Attempt = -1; return e },
		"event 3 of 24: it is parts-started with step, expected step, parts alone":                       func(e []Event) []Event { e[2].Parts = nil; return e },
		"event 3 of 24: its count is -1":                                                                 func(e []Event) []Event { e[2].Parts.Count = -1; return e },
		"event 3 of 24: it starts the parts of a part":                                                   func(e []Event) []Event { e[2].Step.Part = "1"; return e },
		"event 15 of 24: its count is 3, but it names 2 branches":                                        func(e []Event) []Event { e[14].Parts.Count = 3; return e },
		`event 15 of 24: its branch "news" has no name of its own`:                                       func(e []Event) []Event { e[14].Parts.Branches[0] = "news"; return e },
		"event 16 of 24: it starts the parts of step 2, which have started before with others":           func(e []Event) []Event { v := *e[2].Step; v.Index = 2; e[15] = e[2]; e[15].Step = &v; return e },
		"event 19 of 24: it is of part news of step 2, which has ended before":                           func(e []Event) []Event { e[18] = e[15]; e[18].Step.Part = "news"; return e },
		"event 24 of 24: its lost is -1, expected 0 or more":                                             func(e []Event) []Event { e[23].Lost = -1; return e },
	} {
		if err := CheckEvents(spoil(flown())); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// Events of parts may be lost like others, but not more than the event says; a call may be ahead of the
// records that a process took with it.
func TestLostEventsOfFrames(t *testing.T) {
	for from := 1; from < len(flown())-1; from++ {
		for to := from + 1; to < len(flown()); to++ {
			e := slices.Delete(flown(), from, to)
			e[from].Lost = to - from
			if err := CheckEvents(e); err != nil {
				t.Errorf("without the events %d to %d: %v", from+1, to, err)
			}
		}
	}
	ahead := flown()
	ahead = slices.Delete(ahead, 1, 5) // what was in the queue
	ahead = append(ahead[:3:3], flown()[1:]...)
	if err := CheckEvents(ahead); err != nil {
		t.Error(err)
	}
	e := slices.Delete(flown(), 1, 13)
	e[1].Lost = 0
	if err := CheckEvents(e); err == nil {
		t.Error("a gap is accepted")
	}
	late := slices.Delete(flown(), 3, 5) // steps of two frames
	late[3].Lost = 1
	if err := CheckEvents(late); err == nil || !strings.Contains(err.Error(), "event 10 of 22: its executionIndex is 1, expected 0") {
		t.Errorf("more steps are missing than events were lost: %v", err)
	}
}
