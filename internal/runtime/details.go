package runtime

import (
	"context"
	"sync/atomic"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/mcpclient"
)

// resultDetails are what the text items of the last result of a run's own calls say of themselves:
// the client gets them when that result is the run's, unchanged. Safe for concurrent use.
type resultDetails struct{ last atomic.Pointer[callDetails] }

// callDetails are the details of the result of one call.
type callDetails struct {
	index   int // of the call's record
	details mcpclient.Details
}

type resultDetailsKey struct{}

// canPassOn reports whether the result of a call can be that of a run of the graph.
func canPassOn(g *graph.Graph) bool {
	if g.Output != nil || g.Result != nil {
		return false
	}
	for _, node := range g.Nodes {
		if n, isMCP := node.(*graph.MCP); isMCP && n.ForEach == nil && n.Next.Type() == config.ExitNode {
			return true
		}
	}
	return false
}

// keepDetails keeps the details of a result for the client of its run. Those of parts and of called
// graphs are not kept.
func keepDetails(ctx context.Context, c *execution.Call, details mcpclient.Details) {
	if details == nil || c.Frame != "" || c.Part != "" {
		return
	}
	if of, wanted := ctx.Value(resultDetailsKey{}).(*resultDetails); wanted {
		of.last.Store(&callDetails{c.Index, details})
	}
}

// of returns the details for the result of a run that has finished: nil unless its exit has the value of the
// call that they belong to, and both together are within maxResultBytes.
func (d *resultDetails) of(g *graph.Graph, result *execution.Result) []value.Value {
	last := d.last.Load()
	if last == nil {
		return nil
	}
	exit := 0
	for _, rec := range result.History() {
		if rec.Frame == "" && rec.Part == "" {
			exit = rec.Index
		}
	}
	if exit != last.index+1 {
		return nil
	}
	if limit := g.Limits.MaxResultBytes; limit > 0 && value.Size(result.Value)+value.Size([]value.Value(last.details)) > limit {
		return nil
	}
	return last.details
}
