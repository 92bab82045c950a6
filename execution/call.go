package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// Call is one call of an mcp node. It is plain data: its JSON form loses nothing, so that
// the call can be made by another process.
type Call struct {
	Run     string        `json:"run"` // id of the run
	Frame   Address       `json:"frame,omitempty"`
	Index   int           `json:"executionIndex"` // that the call's record will have
	Part    string        `json:"part,omitempty"`
	Graph   string        `json:"graph,omitempty"` // the tool whose graph the frame runs; empty for the run's own
	Node    string        `json:"nodeId"`
	Attempt int           `json:"attempt,omitempty"` // from 2 on; 0 is the first
	Server  string        `json:"server"`            // name in mcpServers
	Tool    string        `json:"tool"`
	Timeout time.Duration `json:"timeout,omitempty"` // ns, from the moment the call is sent; 0: the server's
	Args    value.Value   `json:"-"`                 // an object; as "args"
	// Meta goes upstream as _meta, nil for none: values of package value, not to be
	// changed. The engine sends a key that is the same when the same step is called again,
	// so that a server can recognise a repetition.
	Meta map[string]any `json:"-"`
}

// At returns the address that the call's record will have.
func (c *Call) At() Address { return AddressOf(c.Frame, c.Index, c.Part) }

// Name returns the name of the node for mocks, breakpoints, expectations and coverage.
func (c *Call) Name() string { return nameOf(c.Graph, c.Node, c.Part) }

// idempotencyKey is the key that the engine sends with the call of a step.
func idempotencyKey(run string, index int) string { return fmt.Sprintf("%s/%d", run, index) }

type callJSON struct {
	callFields
	Args value.JSON `json:"args,omitzero"`
	Meta value.JSON `json:"meta,omitzero"`
}

type callFields Call // without its methods

// MarshalJSON gives run, executionIndex, nodeId, server, tool, args and meta.
func (c Call) MarshalJSON() ([]byte, error) {
	out := callJSON{callFields: callFields(c), Args: value.JSON{Value: c.Args}}
	if c.Meta != nil {
		out.Meta.Value = c.Meta
	}
	return json.Marshal(out)
}

// UnmarshalJSON is the reverse of MarshalJSON.
func (c *Call) UnmarshalJSON(src []byte) error {
	var in callJSON
	if err := json.Unmarshal(src, &in); err != nil {
		return err
	}
	*c = Call(in.callFields)
	c.Args = in.Args.Value
	switch meta := in.Meta.Value.(type) {
	case nil:
	case value.Object:
		c.Meta = make(map[string]any, meta.Len())
		for _, key := range meta.Keys() {
			c.Meta[key], _ = meta.Get(key)
		}
	default:
		return errors.New("meta of a call is not an object")
	}
	return nil
}

// call makes the call of an mcp node and returns its record. The failure is why the run
// ends before the call.
func (l *live) call(node *graph.MCP) (*Record, *Failure) {
	r := l.run
	start := r.now()
	args, err := r.arguments(l.ctx, node)
	if err != nil {
		rec := r.record(l.ctx, node, start, nil, err)
		return &rec, l.resolve(node, nil)
	}
	index := len(r.state.records)
	c := &Call{
		Run: r.id, Index: index, Node: node.ID(), Server: node.Server, Tool: node.Tool, Args: args,
		Meta: map[string]any{"toolgraph/idempotencyKey": idempotencyKey(r.id, index)},
	}
	if failed := l.resolve(node, c); failed != nil {
		return nil, failed
	}
	start = r.now()
	output, err := l.outcome(node, c)
	rec := r.record(context.Background(), node, start, output, err)
	return &rec, nil
}

func (r *Run) arguments(ctx context.Context, node *graph.MCP) (args value.Value, err error) {
	defer recovered(&err)
	return node.Args.Eval(ctx, r.scope)
}

// outcome makes a call. Its start is recorded first: if the process dies then, the call may
// have been made.
func (l *live) outcome(node *graph.MCP, c *Call) (value.Value, error) {
	started := Event{
		Kind: CallStarted, Run: c.Run, Time: l.hooks.now(),
		Step: &Visit{
			Index: c.Index, NodeID: c.Node, NodeType: node.Type(),
			Server: c.Server, Tool: c.Tool, Args: c.Args, Digest: digest(c.Args),
		},
	}
	l.unsafe = !l.hooks.mayRepeat(node)
	if l.hasResult {
		result := l.result
		l.hasResult, l.result = false, nil
		return result, recordFailure(node, l.hooks.record(l.ctx, started)) // a replay finds the result by it
	}
	if err := l.ctx.Err(); err != nil { // before it is recorded as a call that may have been made
		return nil, failureOf(l.ctx, l.run.graph.Limits, node, err)
	}
	if err := l.hooks.stopped(); err != nil {
		return nil, err
	}
	started.Sync = l.unsafe
	if err := recordFailure(node, l.hooks.emit(l.ctx, started)); err != nil {
		return nil, err
	}
	output, err := l.callTool(c)
	if err != nil {
		return nil, failureOf(l.ctx, l.run.graph.Limits, node, err)
	}
	return output, nil
}

func (l *live) callTool(c *Call) (output value.Value, err error) {
	defer recovered(&err)
	return l.caller.CallTool(l.ctx, *c)
}

// recordFailure returns the error of the journal or an observer as a failure of a call.
func recordFailure(node *graph.MCP, err error) error {
	if err == nil {
		return nil
	}
	return failureAt(CodeInternal, node, err, "%s", err)
}
