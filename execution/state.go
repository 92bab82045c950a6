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
	edited  []value.Value      // what each edit replaced, oldest first
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

// truncate takes the state back to its first n records: the reverse of apply, O(1)
// per record.
func (s *state) truncate(n int) {
	for len(s.records) > n {
		last := len(s.records) - 1
		r := s.records[last]
		s.records[last] = Record{}
		s.records = s.records[:last]
		if r.Error != nil {
			continue
		}
		s.bytes -= r.Bytes
		if r.Edited {
			s.unedit(r.NodeID)
			continue
		}
		// A slice that Executions handed out may still see the slot: it is filled with
		// the same output again, or was dropped with the step that had asked for it.
		before := s.outputs[r.NodeID].drop()
		s.outputs[r.NodeID] = before
		if len(before.all) == 0 {
			delete(s.outputs, r.NodeID)
			delete(s.context, r.NodeID)
			continue
		}
		setOutput(s.context, r.NodeID, before.last())
	}
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
