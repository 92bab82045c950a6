package execution

import "toolgraph/expressions"

// state is the History that expressions read.
var _ expressions.History = (*state)(nil)

// Previous is the output of the execution n before the one to come.
func (s *state) Previous(n int) (expressions.Value, bool) {
	if n < 1 || n > len(s.records) {
		return nil, false
	}
	return s.records[len(s.records)-n].Output, true
}

// Count is how often the node has finished.
func (s *state) Count(id string) int { return len(s.outputs[id]) }

// Execution is the node's i-th output; a negative i counts from the last.
func (s *state) Execution(id string, i int) (expressions.Value, bool) {
	outputs := s.outputs[id]
	if i < 0 {
		i += len(outputs)
	}
	if i < 0 || i >= len(outputs) {
		return nil, false
	}
	return outputs[i], true
}

// Executions are all outputs of the node, oldest first.
func (s *state) Executions(id string) []expressions.Value {
	outputs := s.outputs[id]
	return outputs[:len(outputs):len(outputs)]
}

// lastNodes are the ids of the last n executions, oldest first.
func (s *state) lastNodes(n int) []string {
	from := max(0, len(s.records)-n)
	ids := make([]string, 0, len(s.records)-from)
	for _, r := range s.records[from:] {
		ids = append(ids, r.NodeID)
	}
	return ids
}
