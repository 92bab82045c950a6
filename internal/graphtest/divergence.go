package graphtest

import (
	"fmt"
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/diff"
)

// largestStep is the largest output of a step that a cassette has, in bytes.
const largestStep = 16 << 10

// stepsOf returns the steps of a run for a cassette, so that a later run can be compared with
// it. They have the outputs of transforms; all others follow from the calls.
func stepsOf(records []execution.Record) []RecordedStep {
	steps := make([]RecordedStep, len(records))
	for i, r := range records {
		steps[i].Node = r.NodeID
		if r.NodeType == config.TransformNode && r.Error == nil && value.Size(r.Output) <= largestStep {
			steps[i].Output.Value, steps[i].Nothing = r.Output, r.Nothing()
		}
	}
	return steps
}

// divergence returns where a run first leaves the expected path, or else diverges from the
// recorded run of the cassette; "" when it does not, or that is not known.
func divergence(e *Expect, t *tape, records []execution.Record) string {
	if found := leavesPath(e.Path, records); found != "" {
		return found
	}
	if t == nil || t.steps == nil {
		return ""
	}
	for i, r := range records {
		if i >= len(t.steps) {
			return fmt.Sprintf("step %d: node %q, where the recorded run had ended", i, r.NodeID)
		}
		was := t.steps[i]
		if was.Node != r.NodeID {
			return fmt.Sprintf("step %d: %s, where the recorded run went to %q", i, wentTo(records, i), was.Node)
		}
		if was.Output.Value == nil && !was.Nothing || r.Error != nil {
			continue
		}
		if changes := diff.Values(was.Output.Value, r.Output); len(changes) > 0 {
			p := Problem{
				Message: fmt.Sprintf("step %d: the output of node %q is not the recorded one", i, r.NodeID),
				Changes: changes, Older: "recorded", Newer: "now",
			}
			return p.Text()
		}
	}
	if len(records) < len(t.steps) && !failed(records) {
		return fmt.Sprintf("after step %d, where the recorded run went on to %q", len(records)-1, t.steps[len(records)].Node)
	}
	return ""
}

// leavesPath compares with a path that names every node.
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
	if i > 0 && records[i-1].NodeType == config.SwitchNode {
		return fmt.Sprintf("switch %q went to %q", records[i-1].NodeID, records[i].NodeID)
	}
	return fmt.Sprintf("node %q", records[i].NodeID)
}

// PathText returns a path for people; of a long one the first and the last nodes.
func PathText(path []string) string {
	const shown = 24
	if len(path) > shown {
		path = append(append(path[:shown/2:shown/2], fmt.Sprintf("… %d more …", len(path)-shown)), path[len(path)-shown/2:]...)
	}
	return strings.Join(path, " → ")
}
