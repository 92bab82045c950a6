package execution

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/graph"
)

// cancelledCall notes a call that was cancelled while it was in flight, if it may have changed something.
func (l *live) cancelledCall(call *Visit) {
	g := l.root.graph.ReachedTool(call.Graph)
	node, isCall := g.NodeAt(call.NodeID, call.Part).(*graph.MCP)
	switch {
	case !isCall: // of a graph that has changed since
		return
	case call.NodeID == config.StepsID && !l.order.Changes(g.StepAt(call.NodeID, call.Part)):
		return
	case call.NodeID != config.StepsID && !l.hooks.mayChange(l.base, node):
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cancelled = append(l.cancelled, call)
}

// cancelledShown is how many cancelled calls a message names.
const cancelledShown = 3

// withCancelled adds to the failure of a run the calls that were cancelled in flight, whatever has cancelled them,
// and that may have changed something.
func (l *live) withCancelled(err error) error {
	var step *StepError
	l.mu.Lock()
	defer l.mu.Unlock()
	calls := slices.SortedFunc(slices.Values(l.cancelled), func(a, b *Visit) int { return a.At().Compare(b.At()) })
	if len(calls) == 0 || !errors.As(err, &step) || suspended(l.base, failureToRecord(err)) {
		return err
	}
	names := make([]string, 0, cancelledShown)
	for _, c := range calls[:min(len(calls), cancelledShown)] {
		names = append(names, fmt.Sprintf("%s.%s at step %s", c.Server, c.Tool, c.At()))
	}
	if len(calls) == 1 {
		return step.with("the call to " + names[0] + " was cancelled, and its outcome is unknown; check the server")
	}
	more := ""
	if n := len(calls) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return step.with(fmt.Sprintf("%d calls were cancelled, and their outcomes are unknown: %s%s; check the server", len(calls), strings.Join(names, ", "), more))
}
