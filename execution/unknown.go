package execution

import (
	"fmt"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/graph"
)

// Unknown is what somebody has found out about the call whose outcome is unknown. It is
// of one call: when another one's is unknown too, the run ends again.
type Unknown struct {
	Repeat bool              // it may be made again
	Answer expressions.Value // it was made, and this is its value; nil: not said
}

// WithUnknown tells Resume of the call whose outcome is unknown.
func WithUnknown(u Unknown) Option { return func(h *hooks) { h.unknown = u } }

// mayRepeat reports whether a node's call may be made twice.
func (h *hooks) mayRepeat(node *graph.MCP) bool {
	switch node.OnCrash {
	case config.RerunCall:
		return true
	case config.StopRun:
		return false
	}
	return h.repeatable != nil && h.repeatable(node.Server, node.Tool)
}

// settle decides what becomes of the calls that were made before a resumed run was cut
// and that have no record: the one under way, and those before it whose records were
// lost with the process. Such a call is made again, or its answer is known, or the run
// ends before it.
func (l *local) settle(step Step) Step {
	cut := l.interrupted
	at := len(l.run.Records()) + len(step.Records)
	if cut == nil || step.Failure != nil || at <= cut.Index && step.Call == nil {
		return step
	}
	if at >= cut.Index {
		l.interrupted = nil
		if step.Call == nil || at > cut.Index || !isCallOf(step.Call.Node, cut) {
			return l.elsewhere(step, cut)
		}
	}
	switch {
	case l.hooks.unknown.Answer != nil:
		l.answer = l.hooks.unknown.Answer
	case !l.hooks.unknown.Repeat && !l.hooks.mayRepeat(step.Call.Node):
		step.Failure, step.Call = unknownOutcome(step.Call), nil
	}
	l.hooks.unknown = Unknown{}
	return step
}

// elsewhere is a step that goes another way than the run had gone before it was cut, as
// it may after a call that answers otherwise than before. What was called on the old way
// is not forgotten.
func (l *local) elsewhere(step Step, cut *Visit) Step {
	node, isCall := l.run.graph.Node(cut.NodeID).(*graph.MCP)
	if isCall && isCallOf(node, cut) && l.hooks.mayRepeat(node) {
		return step
	}
	return Step{Failure: &Failure{
		Code: CodeOutcomeUnknown, Node: cut.NodeID,
		Message: fmt.Sprintf("the run was cut while it called %s.%s, whether the call was made is not known, "+
			"and the run would now go another way: look there for the idempotency key %s/%d", cut.Server, cut.Tool, l.run.id, cut.Index),
	}}
}

func isCallOf(node *graph.MCP, v *Visit) bool {
	return node.ID() == v.NodeID && node.Server == v.Server && node.Tool == v.Tool
}

// argumentsShown is how many bytes of arguments a message has room for. More are not
// shown at all: half a secret would not be recognised as one.
const argumentsShown = 2000

func unknownOutcome(c *Call) *Failure {
	args := "arguments that cannot be shown"
	if src, err := expressions.Encode(c.Args); err == nil {
		if args = "the arguments " + string(src); len(src) > argumentsShown {
			args = fmt.Sprintf("arguments of %d bytes", len(src))
		}
	}
	return &Failure{
		Code: CodeOutcomeUnknown, Node: c.Node.ID(), Pos: c.Node.Pos(),
		Message: fmt.Sprintf("the run was cut while it called %s.%s, and whether the call was made is not known: "+
			"look there for the idempotency key %s, with %s", c.Server, c.Tool, c.key(), args),
	}
}
