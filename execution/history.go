package execution

import (
	"slices"

	"toolgraph/expressions"
	"toolgraph/expressions/value"
)

// state is the History that expressions read.
var _ expressions.History = (*state)(nil)

// Previous is the output of the execution n before the one to come; nil is nothing.
func (s *state) Previous(n int) (value.Value, bool) {
	if s.edits > 0 {
		return s.previousEdited(n)
	}
	if n < 1 || n > len(s.records) {
		return nil, false
	}
	return s.records[len(s.records)-n].Output, true
}

// Count is how often the node has finished.
func (s *state) Count(id string) int { return len(s.outputs[id].all) }

// Execution is the node's i-th output, nil when it is nothing; a negative i counts from
// the last.
func (s *state) Execution(id string, i int) (value.Value, bool) {
	all := s.outputs[id].all
	if i < 0 {
		i += len(all)
	}
	if i < 0 || i >= len(all) {
		return nil, false
	}
	return all[i], true
}

// Executions are the outputs of the node that are not nothing, oldest first.
func (s *state) Executions(id string) []value.Value {
	return slices.Clip(s.outputs[id].values)
}

// executions is how many records are executions of nodes and no edits.
func (s *state) executions() int { return len(s.records) - s.edits }

// last is the record of the last execution, or nil.
func (s *state) last() *Record {
	for i := len(s.records) - 1; i >= 0; i-- {
		if !s.records[i].Edited {
			return &s.records[i]
		}
	}
	return nil
}

// lastNodes are the ids of the last n executions, oldest first.
func (s *state) lastNodes(n int) []string {
	ids := make([]string, 0, min(n, len(s.records)))
	for i := len(s.records) - 1; i >= 0 && len(ids) < n; i-- {
		if !s.records[i].Edited {
			ids = append(ids, s.records[i].NodeID)
		}
	}
	slices.Reverse(ids)
	return ids
}
