package execution

import (
	"fmt"

	"toolgraph/expressions/value"
)

// Edit replaces the latest output of a node of a paused run.
type Edit struct {
	NodeID string
	Output value.Value // nil: nothing
}

// edit applies an edit. Slices that Executions returned before do not change.
func (s *state) edit(r Record) error {
	was := s.outputs[r.NodeID]
	if len(was.all) == 0 {
		return fmt.Errorf("record %d edits the output of node %q, which has not run", r.Index, r.NodeID)
	}
	s.records = append(s.records, r)
	s.edits++
	s.outputs[r.NodeID] = was.replace(r.Output)
	setOutput(s.context, r.NodeID, r.Output)
	s.bytes += r.Bytes
	return nil
}

// previousEdited is Previous for a history with edits: an execution has the output
// that the last edit before the node's next execution gave it.
func (s *state) previousEdited(n int) (value.Value, bool) {
	edits := map[string]value.Value{} // of executions that are not reached yet
	for i := len(s.records) - 1; i >= 0 && n > 0; i-- {
		r := &s.records[i]
		edit, edited := edits[r.NodeID]
		switch {
		case r.Edited && !edited:
			edits[r.NodeID] = r.Output
		case r.Edited: // a later edit wins
		case n == 1 && edited && r.Error == nil:
			return edit, true
		case n == 1:
			return r.Output, true
		default:
			if r.Error == nil {
				delete(edits, r.NodeID)
			}
			n--
		}
	}
	return nil, false
}

// edit returns the record of an edit.
func (r *Run) edit(e Edit) (Record, error) {
	node := r.graph.Node(e.NodeID)
	if node == nil {
		return Record{}, fmt.Errorf("the edit is of node %q, but this graph has no such node", e.NodeID)
	}
	now := r.now()
	rec := Record{
		Index: len(r.state.records), NodeID: e.NodeID, NodeType: node.Type(), Start: now, End: now, Edited: true,
	}
	output, size, failed := r.measure(node, e.Output)
	if failed != nil {
		return Record{}, failed
	}
	rec.Output, rec.Bytes = output, size
	return rec, nil
}
