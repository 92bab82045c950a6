package execution

import (
	"context"
	"fmt"
	"time"

	"toolgraph/expressions"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// Run is one run of one graph. It belongs to one goroutine.
type Run struct {
	id      string
	graph   *graph.Graph
	args    value.Value
	started time.Time
	now     func() time.Time

	state *state
	scope *expressions.Scope
}

func newRun(id string, g *graph.Graph, args value.Value, started time.Time, now func() time.Time) *Run {
	s := newState()
	return &Run{
		id: id, graph: g, args: args, started: started, now: now,
		state: s, scope: expressions.NewScope(s.context, s),
	}
}

// Apply adds a record to the run: the only way in which a run changes.
func (r *Run) Apply(rec Record) error { return r.state.apply(rec) }

// Records returns the history so far; not to be changed.
func (r *Run) Records() []Record { return r.state.records }

// failure returns the failure of the last record, or nil.
func (r *Run) failure() *Failure {
	if n := len(r.state.records); n > 0 {
		return r.state.records[n-1].Error
	}
	return nil
}

// next returns the node to run now, which follows from the last record alone; nil when the exit
// has run.
func (r *Run) next() (graph.Node, error) {
	if len(r.state.records) == 0 {
		return r.graph.Entry, nil
	}
	last := r.state.last()
	switch node := r.graph.Node(last.NodeID).(type) {
	case *graph.Entry:
		return node.Next, nil
	case *graph.MCP:
		return node.Next, nil
	case *graph.Transform:
		return node.Next, nil
	case *graph.Switch:
		output, _ := r.state.Previous(1) // with an edit of it
		id, _ := output.(string)
		if target := r.graph.Node(id); target != nil {
			return target, nil
		}
		return nil, fmt.Errorf("the history goes from node %q to %q, but this graph has no such node", last.NodeID, id)
	case *graph.Exit:
		return nil, nil
	}
	return nil, fmt.Errorf("the history has node %q, but this graph does not", last.NodeID)
}

// record makes the record of a node's work that began at start.
func (r *Run) record(ctx context.Context, node graph.Node, start time.Time, output value.Value, err error) Record {
	rec := Record{
		Index: len(r.state.records), NodeID: node.ID(), NodeType: node.Type(), Start: start, End: r.now(),
	}
	if err == nil {
		rec.Output, rec.Bytes, rec.Error = r.measure(node, output)
		return rec
	}
	rec.Error = failureOf(ctx, r.graph.Limits, node, err)
	return rec
}

// value returns the output of the exit, the last record: JSON, so nothing is null.
func (r *Run) value() value.Value {
	return orNull(r.state.records[len(r.state.records)-1].Output)
}

// pathShown is how many of the last nodes an error lists.
const pathShown = 12

func (r *Run) stepError(f *Failure) *StepError {
	step := len(r.state.records)
	if r.failure() != nil { // the last record is the step that failed
		step--
	}
	return &StepError{
		Run: r.id, Tool: r.graph.Tool.Name.Value, Node: f.Node, Step: step, Pos: f.Pos,
		Path: r.state.lastNodes(pathShown), truncated: r.state.executions() > pathShown, Err: f,
	}
}
