package execution

import (
	"errors"
	"fmt"
	"strings"

	"toolgraph/config"
	"toolgraph/execution/call"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// Resolution is the operator's decision about an in-doubt call: one whose outcome is unknown,
// because the process died during it. It is for one call: the run ends again before another
// in-doubt call.
type Resolution struct {
	Repeat    bool // the call may be repeated
	RepeatAll bool // all in-doubt calls of the run may be repeated

	Value   value.Value // the call was made and returned this; nil: not given
	Nothing bool        // the call was made and returned nothing
}

// hasValue reports whether the result of the call is known.
func (r Resolution) hasValue() bool { return r.Nothing || r.Value != nil }

// WithResolution resolves the in-doubt call of a run that is resumed.
func WithResolution(r Resolution) Option { return func(h *hooks) { h.resolution = r } }

// mayRepeat reports whether a node's call is safe to repeat. A poll is.
func (h *hooks) mayRepeat(node *graph.MCP) bool {
	switch node.OnCrash {
	case config.RerunCall:
		return true
	case config.StopRun:
		return false
	}
	return node.Effect == config.ReadEffect || node.Retry != nil && node.Retry.Until != nil || h.repeatable != nil && h.repeatable(node.Server, node.Tool, node.Effect)
}

// diverged is the failure of a run that takes another path than before it was interrupted, as it
// may when a repeated call returns something else. The call on the old path is still in doubt,
// unless the operator has resolved it.
func (l *live) diverged(d *doubt) *Failure {
	if !d.matters || l.past.endedAt != "" && (l.past.resolution.Repeat || l.past.resolution.RepeatAll) {
		return nil
	}
	failed := &Failure{
		Code: CodeOutcomeUnknown, Node: d.NodeID, Part: d.Part,
		Message: l.unknownOutcome(d) + "; the resumed run would take another path",
	}
	failed.askAt(d.at)
	return failed
}

func (l *live) unknownOutcome(d *doubt) string {
	done, _ := l.past.attempted(d.at)
	return outcomeUnknown(d.Server, d.Tool, idempotencyKey(l.id, d.at, keyAfter(done)))
}

// outcomeUnknown says that the outcome of a call is unknown, and how to find it.
func outcomeUnknown(server, tool, key string) string {
	return fmt.Sprintf("the process died during the call to %s.%s, and its outcome is unknown; check the server for idempotency key %s",
		server, tool, key)
}

// withUnresolved adds the first call in flight to a failure of a resumed run that will not reach
// it again.
func (l *live) withUnresolved(err error) error {
	var step *StepError
	if !l.past.doubted() || !errors.As(err, &step) || step.Code() == CodeOutcomeUnknown {
		return err
	}
	l.past.mu.Lock()
	defer l.past.mu.Unlock()
	for _, d := range l.past.doubts {
		if d.matters {
			return step.with("besides, " + l.unknownOutcome(d))
		}
	}
	return err
}

func isCallOf(node graph.Node, v *Visit) bool {
	n, isCall := node.(*graph.MCP)
	return isCall && n.ID() == call.NameOf("", v.NodeID, v.Part) && n.Server == v.Server && n.Tool == v.Tool
}

// argumentsShown is how many bytes of arguments a message has room for. Longer ones are
// not shown at all: the redaction would not find half a secret.
const argumentsShown = 2000

// inDoubt is the failure before a call whose outcome is unknown. inFlight is that call as it was
// recorded; nil when its record may be lost. The mutex of the past is held.
func (l *live) inDoubt(node *graph.MCP, c *Call, inFlight *doubt) *Failure {
	args := "arguments that cannot be shown"
	if src, err := value.Encode(c.Args); err == nil {
		if args = "the arguments " + string(src); len(src) > argumentsShown {
			args = fmt.Sprintf("arguments of %d bytes", len(src))
		}
		// Earlier values may differ now: they were edited, or their calls were repeated.
		if inFlight != nil && inFlight.Digest != "" && inFlight.Digest != digest(c.Args) {
			args = "other arguments than it would have now, " + strings.TrimPrefix(args, "the arguments ")
		}
	}
	key, _ := c.Meta[idempotencyMeta].(string)
	text := outcomeUnknown(c.Server, c.Tool, key) + ", with " + args
	more := 0
	for _, d := range l.past.doubts {
		if d.matters {
			more++
		}
	}
	if more > 0 {
		text += fmt.Sprintf("; this is step %s, and %s in doubt", c.At(), moreCalls(more))
	}
	failed := failureAt(CodeOutcomeUnknown, node, nil, "%s", text)
	failed.askAt(c.At())
	return failed
}

// askAt notes the call that the operator has to resolve. Without a note it is the next step of
// the run's own frame.
func (f *Failure) askAt(at Address) {
	if frame, _, part := at.Split(); frame != "" || part != "" {
		f.At = at
	}
}

// moreCalls is the subject and the verb of a sentence about further calls.
func moreCalls(n int) string {
	if n == 1 {
		return "1 more call is"
	}
	return fmt.Sprintf("%d more calls are", n)
}
