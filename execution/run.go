package execution

import (
	"context"
	"errors"
	"fmt"
	"time"

	"toolgraph/config"
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

// checkLimits returns the limit that keeps a node from running, or nil.
func (r *Run) checkLimits(ctx context.Context, node graph.Node) *Failure {
	limits := r.graph.Limits
	if r.state.executions() >= limits.MaxNodeExecutions {
		return failureAt(CodeLimit, node, nil, "executionLimits.maxNodeExecutions is %d, and that many nodes have run; "+
			"check the way out of the loop, or raise the limit", limits.MaxNodeExecutions)
	}
	if r.now().Sub(r.started) >= limits.MaxExecutionTime || errors.Is(context.Cause(ctx), errTimeLimit) {
		return timeLimit(limits.MaxExecutionTime, node, "before this node")
	}
	if ctx.Err() != nil {
		return endOf(ctx, limits, node, false, ctx.Err())
	}
	return nil
}

// measure checks an output against the size limits.
func (r *Run) measure(node graph.Node, output value.Value) (value.Value, int, *Failure) {
	limits := r.graph.Limits
	size := sizeOf(node.Type(), output)
	if size > limits.MaxNodeOutputBytes {
		return nil, 0, sizeLimit("maxNodeOutputBytes", size, limits.MaxNodeOutputBytes, node)
	}
	if total := r.state.bytes + size; total > limits.MaxHistoryBytes {
		return nil, 0, sizeLimit("maxHistoryBytes", total, limits.MaxHistoryBytes, node)
	}
	return output, size, nil
}

// sizeOf returns the size of an output for the limits: 0 for an entry, whose arguments are
// bounded by the server, for an exit, which adds no data, and for nothing.
func sizeOf(kind config.NodeType, output value.Value) int {
	if output == nil || kind == config.EntryNode || kind == config.ExitNode {
		return 0
	}
	return value.Size(output)
}
