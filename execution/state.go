package execution

import (
	"fmt"
	"slices"

	"toolgraph/expressions"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// state is the state of a run: a fold over its records and nothing else.
type state struct {
	records []*Record           // not changed any more
	outputs map[string]*outputs // nodeId → outputs of its finished executions
	context map[string]any      // nodeId → latest output; no key when that is nothing
	edits   int                 // records that are edits
}

// fewRecords is the largest number of records for which a new state has room; a loop needs more,
// a way that is not taken fewer.
const fewRecords = 16

// newState makes a state for about so many records.
func newState(records int) *state {
	room := min(records, fewRecords)
	return &state{records: make([]*Record, 0, room), outputs: make(map[string]*outputs, room), context: make(map[string]any, room)}
}

// apply is the only place where state grows. O(1).
func (s *state) apply(r *Record) error {
	if r.Index != len(s.records) {
		return fmt.Errorf("record %d does not follow record %d", r.Index, len(s.records)-1)
	}
	if r.Edited {
		return s.edit(r)
	}
	s.records = append(s.records, r)
	if r.Error == nil {
		of := s.outputs[r.NodeID]
		if of == nil {
			of = &outputs{}
			s.outputs[r.NodeID] = of
		}
		of.add(r.Output)
		setOutput(s.context, r.NodeID, r.Output)
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

// FrameOf returns the records of the frame of a step or part that its expressions see: those
// before it. Records of other frames and of parts are not among them. records are in any order in
// which those of the frame are in theirs, as in Result.History or the events of a run.
func FrameOf(records []Record, at Address) []Record {
	frame, index, _ := at.Split()
	var before []Record
	for _, r := range records {
		if r.Frame == frame && r.Part == "" && r.Index < index {
			before = append(before, r)
		}
	}
	return before
}

// Context returns the context of the expressions of execution len(records), {nodeId: latest
// output}, over these records of one frame, without parts, edits included; a node whose latest
// output is nothing has no key. See FrameOf.
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
// The records are of one frame, as for Context.
func ScopeOf(records []Record) *expressions.Scope {
	s := newState(len(records))
	for i, r := range records {
		r.Index = i
		// The index is right by construction, so apply cannot refuse.
		_ = s.apply(&r)
	}
	return expressions.NewScope(s.context, s)
}

// ScopeIn is ScopeOf for a frame of a graph: with its constants, those of vars before those of its file.
// vars is what the run has recorded, see Start; without a graph they are all that is known.
func ScopeIn(g *graph.Graph, vars value.Value, records []Record) *expressions.Scope {
	scope := ScopeOf(records)
	switch {
	case g != nil:
		scope.Variables = g.Variables(vars)
	case vars != nil:
		scope.Variables = map[string]value.Value{expressions.VarVars: vars}
	}
	return scope
}

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
func (s *state) Count(id string) int { return len(s.of(id).all) }

// Execution is the node's i-th output, nil when it is nothing; a negative i counts from
// the last.
func (s *state) Execution(id string, i int) (value.Value, bool) {
	all := s.of(id).all
	if i < 0 {
		i += len(all)
	}
	if i < 0 || i >= len(all) {
		return nil, false
	}
	return all[i], true
}

// Failed reports whether the last execution of the node failed, and an onError took it.
func (s *state) Failed(id string) bool {
	for _, r := range slices.Backward(s.records) {
		if r.NodeID == id && !r.Edited {
			return r.Handled != nil
		}
	}
	return false
}

// Executions are the outputs of the node that are not nothing, oldest first.
func (s *state) Executions(id string) []value.Value {
	return slices.Clip(s.of(id).values)
}

// executions is how many records are executions of nodes and no edits.
func (s *state) executions() int { return len(s.records) - s.edits }

// last is the record of the last execution, or nil.
func (s *state) last() *Record {
	for i := len(s.records) - 1; i >= 0; i-- {
		if !s.records[i].Edited {
			return s.records[i]
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

// outputs are the outputs of one node's finished executions, oldest first.
type outputs struct {
	all    []value.Value // one for each execution; nil is nothing
	values []value.Value // those of all that are not nothing; all itself while there are no others
}

// of returns the outputs of a node, none when it has not finished yet.
func (s *state) of(id string) outputs {
	if of := s.outputs[id]; of != nil {
		return *of
	}
	return outputs{}
}

// add adds one. O(1).
func (o *outputs) add(v value.Value) {
	complete := len(o.values) == len(o.all)
	o.all = append(o.all, v)
	switch {
	case complete && v == nil:
		o.values = slices.Clip(o.values) // from here on the two differ
	case complete:
		o.values = o.all
	case v != nil:
		o.values = append(o.values, v)
	}
}

// replace returns the outputs with another last one. Slices that were returned before do not
// change.
func (o outputs) replace(v value.Value) outputs {
	all := slices.Clone(o.all)
	all[len(all)-1] = v
	o = outputs{all: all, values: all}
	if slices.Contains(all, nil) {
		o.values = slices.DeleteFunc(slices.Clone(all), func(v value.Value) bool { return v == nil })
	}
	return o
}

// edit applies an edit. Slices that Executions returned before do not change.
func (s *state) edit(r *Record) error {
	was := s.of(r.NodeID)
	if len(was.all) == 0 {
		return fmt.Errorf("record %d edits the output of node %q, which has not run", r.Index, r.NodeID)
	}
	s.records = append(s.records, r)
	s.edits++
	*s.outputs[r.NodeID] = was.replace(r.Output)
	setOutput(s.context, r.NodeID, r.Output)
	return nil
}

// previousEdited is Previous for a history with edits: an execution has the output
// that the last edit before the node's next execution gave it.
func (s *state) previousEdited(n int) (value.Value, bool) {
	edits := map[string]value.Value{} // of executions that are not reached yet
	for i := len(s.records) - 1; i >= 0 && n > 0; i-- {
		r := s.records[i]
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
