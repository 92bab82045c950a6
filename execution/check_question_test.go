package execution

import (
	"slices"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// asked are the events of a run with an ask that was interrupted and asked again, a call and a
// forEach that were confirmed, and a question in a frame.
func asked() []Event {
	step := func(at Address, node string, kind config.NodeType) Event {
		r := &Record{NodeID: node, NodeType: kind, Output: 1.0}
		r.Frame, r.Index, r.Part = at.Split()
		if r.Frame != "" {
			r.Tool = "inner"
		}
		return Event{Kind: StepFinished, Run: "R", Record: r}
	}
	visit := func(kind EventKind, at Address, node string, of config.NodeType) Event {
		v := &Visit{NodeID: node, NodeType: of}
		v.Frame, v.Index, v.Part = at.Split()
		if v.Frame != "" {
			v.Graph = "inner"
		}
		return Event{Kind: kind, Run: "R", Step: v}
	}
	asks := func(at Address, node, digest string, calls int) Event {
		kind := config.AskNode
		if calls > 0 {
			kind = config.MCPNode
		}
		e := visit(QuestionAsked, at, node, kind)
		e.Question = &Question{Message: "Really?", Digest: digest, Calls: calls}
		return e
	}
	answers := func(asked Event, action Action) Event {
		return Event{Kind: Answered, Run: "R", Step: asked.Step, Answer: &Answer{Action: action, Digest: asked.Question.Digest}}
	}
	confirmed := func(e Event, digest string) Event {
		e.Record.Confirmed = &Confirmation{At: time.Unix(1, 0), Digest: digest}
		return e
	}
	parts := visit(PartsStarted, "3", "each", config.MCPNode)
	parts.Parts = &Parts{Count: 1, Digest: "d"}
	whole := step("3", "each", config.MCPNode)
	whole.Record.Parts = 1
	form := answers(asks("1", "sure", "d1", 0), Accept)
	form.Answer.Content = value.NewMap()
	return []Event{
		{Kind: RunStarted, Run: "R", Start: &Start{Tool: "tool", Graph: "hash", Args: value.Null}},
		step("0", "entry", config.EntryNode),
		asks("1", "sure", "d0", 0), // 2
		asks("1", "sure", "d1", 0), form, step("1", "sure", config.AskNode),
		asks("2", "call", "d2", 1), answers(asks("2", "call", "d2", 1), Accept), // 6
		visit(CallStarted, "2", "call", config.MCPNode), confirmed(step("2", "call", config.MCPNode), "d2"),
		parts, asks("3", "each", "d3", 1), answers(asks("3", "each", "d3", 1), Accept), // 10
		visit(CallStarted, "3.0", "each", config.MCPNode), confirmed(step("3.0", "each", config.MCPNode), "d3"), whole,
		step("4/0", "entry", config.EntryNode), asks("4/1", "late", "d4", 0), // 16
		answers(asks("4/1", "late", "d4", 0), TimedOut), step("4/1", "late", config.AskNode), step("4", "sub", config.GraphNode),
		step("5", "exit", config.ExitNode),
		{Kind: RunFinished, Run: "R", End: &End{Value: value.Null, Spilled: 5}},
	}
}

// Questions and answers are refused where they are wrong, with the number of the event.
func TestQuestionsAreChecked(t *testing.T) {
	if err := CheckEvents(asked()); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(e []Event) []Event{
		"event 3 of 23: it is question-asked with step, expected step, question alone": func(e []Event) []Event { e[2].Question = nil; return e },
		"event 3 of 23: it is question-asked with question, expected step, question":   func(e []Event) []Event { e[2].Step = nil; return e },
		"event 5 of 23: it is answered with step, expected step, answer alone":         func(e []Event) []Event { e[4].Answer = nil; return e },
		"event 9 of 23: it is call-started with step, answer, expected step alone":     func(e []Event) []Event { e[8].Answer = e[4].Answer; return e },
		"event 3 of 23: its question has no digest":                                    func(e []Event) []Event { e[2].Question.Digest = ""; return e },
		"event 3 of 23: its question is about -1 calls":                                func(e []Event) []Event { e[2].Question.Calls = -1; return e },
		`event 3 of 23: its question is that of a node of type "mcp", expected ask`:    func(e []Event) []Event { e[2].Step.NodeType = config.MCPNode; return e },
		`event 7 of 23: its question is that of a node of type "ask", expected mcp`:    func(e []Event) []Event { e[6].Step.NodeType = config.AskNode; return e },
		`event 5 of 23: its answer is "maybe", expected accept, decline, cancel`:       func(e []Event) []Event { e[4].Answer.Action = "maybe"; return e },
		"event 5 of 23: its answer has no digest":                                      func(e []Event) []Event { e[4].Answer.Digest = ""; return e },
		"event 5 of 23: its answer is decline with content":                            func(e []Event) []Event { e[4].Answer.Action = Decline; return e },
		"event 5 of 23: the content of its answer is not an object":                    func(e []Event) []Event { e[4].Answer.Content = "text"; return e },
		`event 5 of 23: it answers the question "d0" of step 1, which has asked "d1"`:  func(e []Event) []Event { e[4].Answer.Digest = "d0"; return e },
		"event 7 of 22: it answers step 2, which has no open question":                 func(e []Event) []Event { return slices.Delete(e, 6, 7) },
		"event 9 of 24: it answers step 2, which has no open question":                 func(e []Event) []Event { return slices.Insert(e, 8, e[7]) },
		"event 7 of 23: its executionIndex is 1, but 2 steps are before it":            func(e []Event) []Event { e[6].Step.Index = 1; return e },
		"event 6 of 23: it is confirmed, which only a call is":                         func(e []Event) []Event { e[5].Record.Confirmed = e[9].Record.Confirmed; return e },
		"event 16 of 23: it is confirmed, which only a call is":                        func(e []Event) []Event { e[15].Record.Confirmed = e[9].Record.Confirmed; return e },
		"event 10 of 23: its confirmation has no digest":                               func(e []Event) []Event { e[9].Record.Confirmed.Digest = ""; return e },
		"event 18 of 23: its frame is":                                                 func(e []Event) []Event { e[17].Step.Frame = "4.."; return e },
		"event 23 of 23: its spilled is -5, expected 0 or more":                        func(e []Event) []Event { e[22].End.Spilled = -5; return e },
	} {
		if err := CheckEvents(spoil(asked())); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	for from := 1; from < len(asked())-1; from++ {
		for to := from + 1; to < len(asked()); to++ {
			e := slices.Delete(asked(), from, to)
			e[from].Lost = to - from
			if err := CheckEvents(e); err != nil {
				t.Errorf("without the events %d to %d: %v", from+1, to, err)
			}
		}
	}
}

// A recording gives each answer once: at its address first, else to the same question elsewhere.
func TestRecordingAnswers(t *testing.T) {
	q := func(at Address, digest string) Question { return Question{At: at, Digest: digest, Node: "sure"} }
	ask := func(r *Recording, at Address, digest string) string {
		a, err := r.Ask(t.Context(), q(at, digest))
		if err != nil {
			return "!" + err.Error()
		}
		return string(a.Action)
	}
	events := asked()
	events[18].Answer.Action = NoUser
	events[12].Answer.Action = Decline
	events[11].Question.Digest, events[12].Answer.Digest = "d2", "d2" // as in step 2
	r := NewRecording(events, 0)
	for _, test := range []struct{ at, digest, want string }{
		{"3", "d2", "decline"}, // not that of step 2
		{"1", "d0", `!the recording does not have the answer to this question of node "sure": it has 4 others`}, // it was put again with another digest
		{"1", "d1", "accept"},
		{"1", "d1", `!the recording does not have the answer to this question of node "sure": it was asked more often than it was recorded`},
		{"9", "d2", "accept"}, // it has moved
		{"4/1", "d4", "no-user"},
		{"2", "d9", `!the recording does not have the answer to this question of node "sure": it has 4 others`},
	} {
		if got := ask(r, Address(test.at), test.digest); got != test.want {
			t.Errorf("%s %s: %s\nwant %s", test.at, test.digest, got, test.want)
		}
	}
	if got := ask(NewRecording(events, 2), "7", "d1"); got != `!the recording does not have the answer to this question of node "sure": it was asked more often than it was recorded` {
		t.Errorf("the question of a copied step: %s", got)
	}
	if got := ask(NewRecording(events[:3], 0), "1", "d0"); !strings.HasSuffix(got, "the recorded run was interrupted before the answer") {
		t.Error(got)
	}
	if got := ask(NewRecording(events[:2], 0), "1", "d1"); !strings.HasSuffix(got, "it has no questions") {
		t.Error(got)
	}
	events[6].Question.Server, events[6].Question.Tool, events[6].Question.Effect = "up", "rm", config.DestroyEffect
	if effect, ok := NewRecording(events, 0).Effect("up", "rm"); !ok || effect != config.DestroyEffect {
		t.Error(effect, ok)
	}
	if _, ok := NewRecording(events, 0).Effect("up", "ls"); ok {
		t.Error("an effect that no question was about")
	}
}
