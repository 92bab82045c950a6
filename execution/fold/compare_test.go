package fold_test

import (
	"testing"

	"toolgraph/execution"
	"toolgraph/execution/fold"
)

// historyOf makes the history of a block with these steps, of which some have ended, in the order in which they did.
func historyOf(steps, ended []string) *fold.History {
	h := fold.NewHistory()
	h.Add(execution.Event{Kind: execution.PartsStarted, Step: &execution.Visit{Index: 1, NodeID: "steps"}, Parts: &execution.Parts{Count: len(steps), Branches: steps}})
	for _, part := range ended {
		h.Add(execution.Event{Kind: execution.StepFinished, Record: &execution.Record{Index: 1, NodeID: "steps", Part: part}})
	}
	return h
}

// The records of two runs are paired by their addresses, also when the files have their steps in other orders.
func TestPairs(t *testing.T) {
	a := historyOf([]string{"z", "b", "a"}, []string{"b", "z", "a"})
	b := historyOf([]string{"a", "b", "z", "c"}, []string{"c", "a", "z"})
	var got string
	for _, pair := range fold.Pairs(a, b) {
		names := [2]string{"none", "none"}
		for side, rec := range pair {
			if rec != nil {
				names[side] = rec.Part
			}
		}
		got += names[0] + "/" + names[1] + " "
	}
	const want = "z/z b/none a/a none/c "
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
