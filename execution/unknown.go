package execution

import (
	"errors"
	"fmt"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// Unknown is what somebody has found out about the call whose outcome is unknown. It is
// of one call: when another one's is unknown too, the run ends again.
type Unknown struct {
	Repeat  bool        // it may be made again
	Answer  value.Value // it was made, and this is its value; nil: not said
	Nothing bool        // it was made, and its value is nothing
}

// answered reports whether the value of the call is known.
func (u Unknown) answered() bool { return u.Nothing || u.Answer != nil }

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

// settle decides what becomes of the calls that were made before a resumed run was
// interrupted and that have no record: the one under way, and those before it whose records
// were lost with the process. Such a call is made again, or its value is known, or the run
// ends before it: that is the failure. node is about to run, nil at the end of the run; c is
// the call that it is to make, nil when it makes none.
func (l *live) settle(node graph.Node, c *Call) *Failure {
	cut := l.interrupted
	call, _ := node.(*graph.MCP)
	at := len(l.run.state.records)
	_, isExit := node.(*graph.Exit)
	ends := isExit || node == nil
	if cut == nil || at < cut.Index && c == nil && !ends {
		return nil
	}
	if at >= cut.Index || ends {
		l.interrupted = nil
		if c == nil || at > cut.Index || !isCallOf(call, cut) {
			return l.elsewhere(cut)
		}
	}
	switch found := l.found(at, cut); {
	case found.answered():
		l.answered, l.answer = true, found.Answer
	case !found.Repeat && !l.hooks.mayRepeat(call):
		return unknownOutcome(call, c, cut)
	}
	return nil
}

// found is what somebody has found out about the call at an index, and is used up by it.
// Nobody can mean another call than the one that was under way, or the one that the run
// has asked about at its last end.
func (l *live) found(at int, cut *Visit) Unknown {
	if at != cut.Index && at != l.askedAt {
		return Unknown{}
	}
	found := l.hooks.unknown
	l.hooks.unknown = Unknown{}
	return found
}

// elsewhere is the failure of a run that goes another way than it had gone before it was
// interrupted, as it may after a call that answers otherwise than before. The call on the old
// way still is in doubt, unless the operator has looked and lets the run go on.
func (l *live) elsewhere(cut *Visit) *Failure {
	if !l.doubted(cut) || l.askedAt >= 0 && l.hooks.unknown.Repeat {
		return nil
	}
	return &Failure{
		Code: CodeOutcomeUnknown, Node: cut.NodeID,
		Message: fmt.Sprintf("the run was cut while it called %s.%s, whether the call was made is not known, "+
			"and the run would now go another way: look there for the idempotency key %s/%d", cut.Server, cut.Tool, l.run.id, cut.Index),
	}
}

// doubted reports whether it matters that nobody knows whether a call was made.
func (l *live) doubted(cut *Visit) bool {
	node, isCall := l.run.graph.Node(cut.NodeID).(*graph.MCP)
	return !isCall || !isCallOf(node, cut) || !l.hooks.mayRepeat(node)
}

// reminded adds the call that was cut to a failure of a resumed run that has not come to
// it again, and never will.
func (l *live) reminded(err error) error {
	var step *StepError
	if cut := l.interrupted; cut == nil || !errors.As(err, &step) || step.Code() == CodeOutcomeUnknown || !l.doubted(cut) {
		return err
	}
	f := *keptFailure(err) // the journal may still be writing the failure itself down
	f.Message += fmt.Sprintf("; besides, the run had been cut while it called %s.%s, and whether that call was made is not known: "+
		"look there for the idempotency key %s/%d", l.interrupted.Server, l.interrupted.Tool, l.run.id, l.interrupted.Index)
	told := *step
	told.Err = &f
	return &told
}

func isCallOf(node *graph.MCP, v *Visit) bool {
	return node.ID() == v.NodeID && node.Server == v.Server && node.Tool == v.Tool
}

// argumentsShown is how many bytes of arguments a message has room for. More are not
// shown at all: half a secret would not be recognised as one.
const argumentsShown = 2000

func unknownOutcome(node *graph.MCP, c *Call, cut *Visit) *Failure {
	args := "arguments that cannot be shown"
	if src, err := value.Encode(c.Args); err == nil {
		if args = "the arguments " + string(src); len(src) > argumentsShown {
			args = fmt.Sprintf("arguments of %d bytes", len(src))
		}
		// Values before it may be others now: somebody had edited them, or they were
		// lost and asked for again.
		if c.Index == cut.Index && cut.Digest != "" && cut.Digest != digest(c.Args) {
			args = "other arguments than it would have now, " + strings.TrimPrefix(args, "the arguments ")
		}
	}
	return &Failure{
		Code: CodeOutcomeUnknown, Node: c.Node, Pos: node.Pos(),
		Message: fmt.Sprintf("the run was cut while it called %s.%s, and whether the call was made is not known: "+
			"look there for the idempotency key %s, with %s", c.Server, c.Tool, idempotencyKey(c.Run, c.Index), args),
	}
}
