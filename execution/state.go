package execution

import (
	"fmt"

	"toolgraph/expressions"
	"toolgraph/expressions/value"
)

// state is the state of a run: a fold over its records and nothing else.
type state struct {
	records []Record
	outputs map[string]outputs // nodeId → outputs of its finished executions
	context map[string]any     // nodeId → latest output; no key when that is nothing
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

// setOutput makes output the value of a node for expressions; nothing removes the value that
// the node had before.
func setOutput(context map[string]any, id string, output value.Value) {
	if output == nil {
		delete(context, id)
		return
	}
	context[id] = output
}

// Context returns the context of the expressions of execution len(records): {nodeId: latest
// output} over these records, edits included; a node whose latest output is nothing has no key.
func Context(records []Record) map[string]value.Value {
	context := map[string]value.Value{}
	for _, r := range records {
		if r.Error == nil {
			setOutput(context, r.NodeID, r.Output)
		}
	}
	return context
}

// ScopeOf returns the scope of the expressions of execution len(records): context and history.
func ScopeOf(records []Record) *expressions.Scope {
	s := newState()
	for i, r := range records {
		r.Index = i
		// The index is right by construction, so apply cannot refuse.
		_ = s.apply(r)
	}
	return expressions.NewScope(s.context, s)
}
