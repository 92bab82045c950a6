package authoring

import (
	"fmt"
	"strings"
	"testing"

	"toolgraph/execution"
)

// Of a run with many parts and called graphs, an agent gets the steps of the tool itself and the
// first failures below them, unless it asks for more.
func TestFoldedHistory(t *testing.T) {
	var history []execution.Record
	add := func(frame execution.Address, index int, part string, failed bool) {
		r := execution.Record{Frame: frame, Index: index, Part: part, NodeID: "n", Output: 1.0}
		if failed {
			r.Output, r.Handled = 0.0, &execution.Failure{Message: strings.Repeat("x", 500)}
		}
		history = append(history, r)
	}
	add("", 0, "", false)
	for i := range 300 {
		add(execution.Address(fmt.Sprintf("1.%d", i)), 0, "", false)
		add("", 1, fmt.Sprint(i), i%10 == 0)
	}
	add("", 1, "", false)
	steps, note := stepsOf(t.Context(), history, detail{shortSteps, shortOutput, true}, nil)
	if len(steps) != 2+failuresBelow || note != "590 executions of parts and called graphs left out" {
		t.Errorf("%d steps, %s", len(steps), note)
	}
	for _, s := range steps[1 : len(steps)-1] {
		if s.Handled == nil || len(s.Handled.Message) > shortOutput+len("…") {
			t.Errorf("got %+v", s)
		}
	}
	if own := ownSteps(history); len(own) != 2 {
		t.Errorf("%d steps of the tool itself, want 2", len(own))
	}
	if steps, _ := stepsOf(t.Context(), history, detail{mostSteps, 10, false}, nil); len(steps) != len(history) {
		t.Errorf("%d steps in detail, want all %d", len(steps), len(history))
	}
}
