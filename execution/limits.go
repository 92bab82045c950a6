package execution

import (
	"context"
	"errors"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// checkLimits returns the limit that keeps a node from running, or nil.
func (r *Run) checkLimits(ctx context.Context, node graph.Node) *Failure {
	limits := r.graph.Limits
	if r.state.executions() >= limits.MaxNodeExecutions {
		return countLimit(limits.MaxNodeExecutions, node)
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
