package execution

import (
	"fmt"

	"toolgraph/expressions"
	"toolgraph/expressions/value"
)

// state is what a run has come to: a fold over its records and nothing else.
type state struct {
	records []Record
	outputs map[string]outputs // nodeId → outputs of its finished executions
	context map[string]any     // nodeId → latest output; no key where that is nothing
	bytes   int                // sum of the outputs' sizes
	edits   int                // records that are edits
}

func newState() *state {
	return &state{outputs: map[string]outputs{}, context: map[string]any{}}
}

// apply is the only place where state grows. O(1).
func (s *state) apply(r Record) error {
	if r.Index != len(s.records) {
		return fmt.Errorf("record %d does not follow record %d", r.Index, len(s.records)-1)
	}
	if r.Edited {
		return s.edit(r)
	}
	s.records = append(s.records, r)
	if r.Error == nil {
		s.outputs[r.NodeID] = s.outputs[r.NodeID].add(r.Output)
		setOutput(s.context, r.NodeID, r.Output)
		s.bytes += r.Bytes
	}
	return nil
}

// setOutput makes output the value that expressions see of a node: none when it is
// nothing, also where the node had one before.
func setOutput(context map[string]any, id string, output value.Value) {
	if output == nil {
		delete(context, id)
		return
	}
	context[id] = output
}

// Context is what expressions of execution len(records) saw: {nodeId: latest output}
// over these records, edits among them; a node whose latest output is nothing has no
// key. It is the time travel of a kept history.
func Context(records []Record) map[string]value.Value {
	context := map[string]value.Value{}
	for _, r := range records {
		if r.Error == nil {
			setOutput(context, r.NodeID, r.Output)
		}
	}
	return context
}

// ScopeOf is what expressions of execution len(records) saw: context and history.
func ScopeOf(records []Record) *expressions.Scope {
	s := newState()
	for i, r := range records {
		r.Index = i
		// The index is right by construction, so apply cannot refuse.
		_ = s.apply(r)
	}
	return expressions.NewScope(s.context, s)
}
