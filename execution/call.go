package execution

import (
	"context"
	"fmt"

	"toolgraph/expressions/value"
	"toolgraph/graph"
)

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

// call makes the call of an mcp node and returns its record. The failure is why the run
// ends before the call.
func (l *live) call(node *graph.MCP) (*Record, *Failure) {
	r := l.run
	start := r.now()
	args, err := r.arguments(l.ctx, node)
	if err != nil {
		rec := r.record(l.ctx, node, start, nil, err)
		return &rec, l.settle(node, nil)
	}
	c := &Call{
		RunID: r.id, Index: len(r.state.records), Node: node,
		Server: node.Server, Tool: node.Tool, Args: args,
	}
	if failed := l.settle(node, c); failed != nil {
		return nil, failed
	}
	start = r.now()
	output, err := l.outcome(c)
	rec := r.record(context.Background(), node, start, output, err)
	return &rec, nil
}

func (r *Run) arguments(ctx context.Context, node *graph.MCP) (args value.Value, err error) {
	defer recovered(&err)
	return node.Args.Eval(ctx, r.scope)
}

// outcome is what a call came to. That it is about to be made is recorded first: if the
// process dies then, the call may have been made.
func (l *live) outcome(c *Call) (value.Value, error) {
	started := Event{
		Kind: CallStarted, Run: c.RunID, Time: l.hooks.now(),
		Step: &Visit{
			Index: c.Index, NodeID: c.Node.ID(), NodeType: c.Node.Type(),
			Server: c.Server, Tool: c.Tool, Args: c.Args, Digest: digest(c.Args),
		},
	}
	l.doubtful = !l.hooks.mayRepeat(c.Node)
	if l.answered {
		answer := l.answer
		l.answered, l.answer = false, nil
		return answer, l.kept(c, l.hooks.keep(l.ctx, started)) // for a replay, which knows answers by it
	}
	if err := l.ctx.Err(); err != nil { // before it passes for one that may have been made
		return nil, failureOf(l.ctx, l.run.graph.Limits, c.Node, err)
	}
	if err := l.hooks.stopped(); err != nil {
		return nil, err
	}
	started.Sync = l.doubtful
	if err := l.kept(c, l.hooks.emit(l.ctx, started)); err != nil {
		return nil, err
	}
	output, err := l.callTool(c)
	if err != nil {
		return nil, failureOf(l.ctx, l.run.graph.Limits, c.Node, err)
	}
	return output, nil
}

func (l *live) callTool(c *Call) (output value.Value, err error) {
	defer recovered(&err)
	return l.caller.CallTool(l.ctx, c.Server, c.Tool, c.Args, c.Meta())
}

// kept is the error of the journal as a failure of a call.
func (l *live) kept(c *Call, err error) error {
	if err == nil {
		return nil
	}
	return &Failure{Code: CodeInternal, Node: c.Node.ID(), Pos: c.Node.Pos(), Message: err.Error(), err: err}
}
