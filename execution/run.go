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
	batch   int // pure nodes that one Advance takes

	state *state
	scope *expressions.Scope
}

// Step is what Advance came to: records of the pure nodes that ran, then a call to
// make, the end (Done), a failure before a node could run, or neither: a pause.
type Step struct {
	Records []Record
	Call    *Call
	Done    bool
	Failure *Failure
}

// Call is a call that a run wants made.
type Call struct {
	RunID  string
	Index  int // executionIndex that its record will have
	Node   *graph.MCP
	Server string
	Tool   string
	Args   value.Value
}

// Meta goes upstream as _meta: a key that is the same when the same step is called
// again, so that a server can recognise a repetition.
func (c Call) Meta() map[string]any {
	return map[string]any{"toolgraph/idempotencyKey": c.key()}
}

func (c Call) key() string { return fmt.Sprintf("%s/%d", c.RunID, c.Index) }

func newRun(id string, g *graph.Graph, args value.Value, started time.Time, now func() time.Time) *Run {
	s := newState()
	return &Run{
		id: id, graph: g, args: args, started: started, now: now, batch: defaultBatch,
		state: s, scope: expressions.NewScope(s.context, s),
	}
}

// defaultBatch bounds how much work an Advance does before it is committed.
const defaultBatch = 64

// Apply adds a record to the run: the only way in which a run changes.
func (r *Run) Apply(rec Record) error { return r.state.apply(rec) }

// Records is the history so far; not to be changed.
func (r *Run) Records() []Record { return r.state.records }

// failure is the failure of the last record, or nil.
func (r *Run) failure() *Failure {
	if n := len(r.state.records); n > 0 {
		return r.state.records[n-1].Error
	}
	return nil
}

// next is the node to run now: it follows from the last record alone. It is nil
// when the exit has run.
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
		return nil, fmt.Errorf("the history goes from %q to %q, which this graph does not have", last.NodeID, id)
	case *graph.Exit:
		return nil, nil
	}
	return nil, fmt.Errorf("the history has node %q, which this graph does not have", last.NodeID)
}

// Advance runs pure nodes up to the next call, the end, a failure or a full batch.
// It does not change the run: the records that it returns are for Apply.
func (r *Run) Advance(ctx context.Context) (step Step, err error) {
	mark := len(r.state.records)
	defer func() {
		step.Records = append([]Record(nil), r.state.records[mark:]...)
		r.state.truncate(mark)
	}()
	for len(r.state.records)-mark < r.batch {
		node, err := r.next()
		if err != nil {
			return step, err
		}
		if node == nil {
			step.Done = true
			return step, nil
		}
		if step.Failure = r.checkLimits(ctx, node); step.Failure != nil {
			return step, nil
		}
		if call, isCall := node.(*graph.MCP); isCall {
			step.Call = r.prepare(ctx, call)
			return step, nil
		}
		if rec := r.visit(ctx, node); !r.add(rec) {
			return step, nil
		}
	}
	return step, nil
}

// add applies a record that Advance made and reports whether the run goes on.
func (r *Run) add(rec Record) bool {
	// The index is right by construction, so apply cannot refuse.
	_ = r.state.apply(rec)
	return rec.Error == nil
}

// prepare evaluates a call's arguments; when that fails it leaves the failed record
// in the state and returns nil.
func (r *Run) prepare(ctx context.Context, node *graph.MCP) *Call {
	start := r.now()
	args, err := r.arguments(ctx, node)
	if err != nil {
		r.add(r.record(ctx, node, start, nil, err))
		return nil
	}
	return &Call{
		RunID: r.id, Index: len(r.state.records), Node: node,
		Server: node.Server, Tool: node.Tool, Args: args,
	}
}

func (r *Run) arguments(ctx context.Context, node *graph.MCP) (args value.Value, err error) {
	defer recovered(&err)
	return node.Args.Eval(ctx, r.scope)
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
