package graphtest

import (
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/diff"
)

// largestStep is the largest output of a step that a cassette has, in bytes.
const largestStep = 16 << 10

// stepsOf returns the steps of a run for a cassette, so that a later run can be compared with
// it. They have the outputs of transforms; all others follow from the calls.
func stepsOf(records []execution.Record) []RecordedStep {
	steps := make([]RecordedStep, len(records))
	for i, r := range records {
		steps[i].At, steps[i].Node = stepAddress(&r), r.Name()
		if r.NodeType == config.TransformNode && r.Error == nil && value.Size(r.Output) <= largestStep {
			steps[i].Output.Value, steps[i].Nothing = r.Output, r.Nothing()
		}
	}
	return steps
}

// stepAddress returns the address of a step of a part or in a frame, and "" for the others.
func stepAddress(r *execution.Record) execution.Address {
	if r.Frame == "" && r.Part == "" {
		return ""
	}
	return r.At()
}

// divergence returns where a run first leaves the expected path, or else diverges from the
// recorded run of the cassette; "" when it does not, or that is not known.
func divergence(e *Expect, t *tape, records []execution.Record) string {
	if found := leavesPath(e.Path, ownSteps(records)); found != "" {
		return found
	}
	if t == nil || t.steps == nil {
		return ""
	}
	for i, r := range records {
		if i >= len(t.steps) {
			return fmt.Sprintf("step %s: node %q, where the recorded run had ended", r.At(), r.Name())
		}
		was := t.steps[i]
		if was.Node != r.Name() || was.At != stepAddress(&r) {
			return fmt.Sprintf("step %s: %s, where the recorded run went to %s", r.At(), wentTo(records, i), was)
		}
		if was.Output.Value == nil && !was.Nothing || r.Error != nil {
			continue
		}
		if changes := diff.Values(was.Output.Value, r.Output); len(changes) > 0 {
			p := Problem{
				Message: fmt.Sprintf("step %s: the output of node %q is not the recorded one", r.At(), r.Name()),
				Changes: changes, Older: "recorded", Newer: "now",
			}
			return p.Text()
		}
	}
	if n := len(records); n < len(t.steps) && !failed(records) {
		return fmt.Sprintf("after step %s, where the recorded run went on to %s", records[n-1].At(), t.steps[n])
	}
	return ""
}

// String names a recorded step in a message.
func (s RecordedStep) String() string {
	if s.At == "" {
		return fmt.Sprintf("%q", s.Node)
	}
	return fmt.Sprintf("%q (step %s)", s.Node, s.At)
}

// leavesPath compares the tool's own steps with a path that names every node.
func leavesPath(path []string, records []execution.Record) string {
	for i, want := range path {
		switch {
		case want == ellipsis:
			return ""
		case i >= len(records) && failed(records):
			return "" // the failure has its own message
		case i >= len(records):
			return fmt.Sprintf("after step %d, where node %q was expected", i-1, want)
		case records[i].NodeID != want:
			return fmt.Sprintf("step %d: %s, expected %q", i, wentTo(records, i), want)
		}
	}
	return ""
}

func failed(records []execution.Record) bool {
	return len(records) == 0 || records[len(records)-1].Error != nil
}

// wentTo says how the run came to its i-th node.
func wentTo(records []execution.Record, i int) string {
	r := &records[i]
	for _, before := range slices.Backward(records[:i]) {
		if before.Frame != r.Frame || before.Part != "" {
			continue // it is below one of the two
		}
		if before.NodeType == config.SwitchNode {
			return fmt.Sprintf("switch %q went to %q", before.Name(), r.Name())
		}
		break
	}
	return fmt.Sprintf("node %q", r.Name())
}
