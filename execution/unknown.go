package execution

import (
	"fmt"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/graph"
)

// Unknown is what somebody has found out about the call in the middle of which a run
// was cut.
type Unknown struct {
	Repeat bool              // it may be made again
	Answer expressions.Value // it was made, and this is its value; nil: not said
}

// WithUnknown tells Resume of the call in the middle of which the run was cut.
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

// settle decides what becomes of the call in the middle of which the run was cut: it is
// made again, or not, or its answer is known.
func (l *local) settle(step Step) Step {
	if l.interrupted == nil || step.Call == nil {
		return step
	}
	l.interrupted = nil
	switch {
	case l.hooks.unknown.Answer != nil:
		l.answer = l.hooks.unknown.Answer
	case !l.hooks.unknown.Repeat && !l.hooks.mayRepeat(step.Call.Node):
		return Step{Failure: unknownOutcome(step.Call)}
	}
	return step
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
