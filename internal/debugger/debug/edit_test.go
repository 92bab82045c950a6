package debug_test

import (
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/debugger/debug"
)

// An edit changes what comes after it, is a record and an event, and a run resumed from
// the journal has it too.
func TestEdit(t *testing.T) {
	kept := &journal.Memory{}
	s := start(t, inc, debug.StartOptions{
		Breakpoints: []debug.Breakpoint{{Node: "more", Condition: "$.add = 1"}},
		Run:         []execution.Option{execution.WithJournal(kept)},
	})
	at(t, s, "more", debug.AtBreakpoint)
	do(t, s.Edit(t.Context(), "", "add", 2.0))
	do(t, s.Edit(t.Context(), "", "add", 0.5))
	if got := contextOf(t, s, "")["add"]; got != 0.5 {
		t.Errorf("add is %v after the edit", got)
	}
	if got := contextOf(t, s, "4")["add"]; got != 1.0 {
		t.Errorf("add was %v before the edit", got)
	}
	state := at(t, s, "more", debug.AtBreakpoint)
	if edit := s.Records(0)[5]; !edit.Edited || edit.NodeID != "add" || state.Steps != 4 || state.Records != 6 {
		t.Errorf("the edit is %+v after %d steps of %d records", edit, state.Steps, state.Records)
	}
	do(t, s.Resume(""))
	const want = `{"n":3.5,"turns":4,"all":[0.5,1.5,2.5,3.5]}`
	ended(t, s, debug.Finished, want)
	events, err := kept.Load(t.Context(), s.ID())
	do(t, err)
	for n := 1; n <= len(events); n++ {
		result, err := execution.New(inc).Resume(t.Context(), s.Graph(), events[:n],
			execution.WithRepeatable(func(string, string, config.Effect) bool { return true }))
		do(t, err)
		if got := encode(t, result.Value); n > 10 && got != want { // the edits are events 8 and 9
			t.Errorf("resumed after event %d: %s", n, got)
		}
	}
}

func contextOf(t *testing.T, s *debug.Session, at execution.Address) map[string]value.Value {
	t.Helper()
	context, err := s.Context(at)
	do(t, err)
	return context
}

// Editing a switch that has just run takes the run elsewhere.
func TestEditOfSwitch(t *testing.T) {
	s := start(t, inc, debug.StartOptions{RunTo: "add"})
	at(t, s, "add", debug.AtRunTo)
	if err := s.Edit(t.Context(), "", "more", "begin"); err == nil || !strings.Contains(err.Error(), `"add" "end"`) {
		t.Errorf("a way that the switch does not have: %v", err)
	}
	do(t, s.Edit(t.Context(), "", "more", "end"))
	if next := s.State().Next; next.NodeID != "end" {
		t.Errorf("next is %s", next.NodeID)
	}
	do(t, s.Resume(""))
	ended(t, s, debug.Finished, `{"turns":0,"all":[]}`)
}
