package execution

import (
	"errors"
	"fmt"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// Resolution is the operator's decision about an in-doubt call: one whose outcome is unknown,
// because the process died during it. It is for one call: the run ends again before another
// in-doubt call.
type Resolution struct {
	Repeat  bool        // the call may be repeated
	Value   value.Value // the call was made and returned this; nil: not given
	Nothing bool        // the call was made and returned nothing
}

// hasValue reports whether the result of the call is known.
func (r Resolution) hasValue() bool { return r.Nothing || r.Value != nil }

// WithResolution resolves the in-doubt call of a run that is resumed.
func WithResolution(r Resolution) Option { return func(h *hooks) { h.resolution = r } }

// mayRepeat reports whether a node's call is safe to repeat.
func (h *hooks) mayRepeat(node *graph.MCP) bool {
	switch node.OnCrash {
	case config.RerunCall:
		return true
	case config.StopRun:
		return false
	}
	return node.Effect == config.ReadEffect || h.repeatable != nil && h.repeatable(node.Server, node.Tool, node.Effect)
}

// resolve decides about the calls that were made before a resumed run was interrupted and that
// have no record: the one in flight, and those before it whose records were lost with the
// process. Such a call is repeated, or its result is known, or the run ends before it: then
// the failure is returned. node is about to run, nil at the end of the run; c is its call, nil
// when it makes none.
func (l *live) resolve(node graph.Node, c *Call) *Failure {
	inFlight := l.interrupted
	call, _ := node.(*graph.MCP)
	at := len(l.run.state.records)
	_, isExit := node.(*graph.Exit)
	ends := isExit || node == nil
	if inFlight == nil || at < inFlight.Index && c == nil && !ends {
		return nil
	}
	if at >= inFlight.Index || ends {
		l.interrupted = nil
		if c == nil || at > inFlight.Index || !isCallOf(call, inFlight) {
			return l.diverged(inFlight)
		}
	}
	switch resolution := l.resolutionAt(at, inFlight); {
	case resolution.hasValue():
		l.hasResult, l.result = true, resolution.Value
	case !resolution.Repeat && !l.hooks.mayRepeat(call):
		return inDoubt(call, c, inFlight)
	}
	return nil
}

// resolutionAt returns the operator's resolution for the call at an index, once. It is for the
// call that was in flight, or for the one before which the run has ended last.
func (l *live) resolutionAt(at int, inFlight *Visit) Resolution {
	if at != inFlight.Index && at != l.endedAt {
		return Resolution{}
	}
	resolution := l.hooks.resolution
	l.hooks.resolution = Resolution{}
	return resolution
}

// diverged is the failure of a run that takes another path than before it was interrupted, as it
// may when a repeated call returns something else. The call on the old path is still in doubt,
// unless the operator has resolved it.
func (l *live) diverged(inFlight *Visit) *Failure {
	if !l.matters(inFlight) || l.endedAt >= 0 && l.hooks.resolution.Repeat {
		return nil
	}
	return &Failure{
		Code: CodeOutcomeUnknown, Node: inFlight.NodeID,
		Message: l.unknownOutcome(inFlight) + "; the resumed run would take another path",
	}
}

// matters reports whether the unknown outcome of a call matters: it is not safe to repeat.
func (l *live) matters(inFlight *Visit) bool {
	node, isCall := l.run.graph.Node(inFlight.NodeID).(*graph.MCP)
	return !isCall || !isCallOf(node, inFlight) || !l.hooks.mayRepeat(node)
}

func (l *live) unknownOutcome(inFlight *Visit) string {
	return outcomeUnknown(inFlight.Server, inFlight.Tool, l.run.id, inFlight.Index)
}

// outcomeUnknown says that the outcome of a call is unknown, and how to find it.
func outcomeUnknown(server, tool, run string, index int) string {
	return fmt.Sprintf("the process died during the call to %s.%s, and its outcome is unknown; check the server for idempotency key %s",
		server, tool, idempotencyKey(run, index))
}

// withUnresolved adds the call in flight to a failure of a resumed run that will not reach it
// again.
func (l *live) withUnresolved(err error) error {
	var step *StepError
	inFlight := l.interrupted
	if inFlight == nil || !errors.As(err, &step) || step.Code() == CodeOutcomeUnknown || !l.matters(inFlight) {
		return err
	}
	f := *failureToRecord(err) // a copy, because the journal may still be writing the failure
	f.Message += "; besides, " + l.unknownOutcome(inFlight)
	combined := *step
	combined.Err = &f
	return &combined
}

func isCallOf(node *graph.MCP, v *Visit) bool {
	return node.ID() == v.NodeID && node.Server == v.Server && node.Tool == v.Tool
}

// argumentsShown is how many bytes of arguments a message has room for. Longer ones are
// not shown at all: the redaction would not find half a secret.
const argumentsShown = 2000

// inDoubt is the failure before a call whose outcome is unknown.
func inDoubt(node *graph.MCP, c *Call, inFlight *Visit) *Failure {
	args := "arguments that cannot be shown"
	if src, err := value.Encode(c.Args); err == nil {
		if args = "the arguments " + string(src); len(src) > argumentsShown {
			args = fmt.Sprintf("arguments of %d bytes", len(src))
		}
		// Earlier values may differ now: they were edited, or their calls were repeated.
		if c.Index == inFlight.Index && inFlight.Digest != "" && inFlight.Digest != digest(c.Args) {
			args = "other arguments than it would have now, " + strings.TrimPrefix(args, "the arguments ")
		}
	}
	return failureAt(CodeOutcomeUnknown, node, nil, "%s, with %s", outcomeUnknown(c.Server, c.Tool, c.Run, c.Index), args)
}
