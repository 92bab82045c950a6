package pipeline

import (
	"toolgraph/config"
	"toolgraph/graph"
)

// retriable reports whether the same step can succeed when it is sent again, and sending it again
// does no harm: the cause may have passed, and the call is safe to repeat or was not made.
func retriable(p *graph.Problem) bool { return p.Safe && isTransient(p.Code) }

// isTransient reports whether a failure can pass by itself.
func isTransient(code string) bool {
	switch config.FailureCode(code) {
	case config.FailServerStart, config.FailServerExited, config.FailTransport, config.FailTimeout:
		return true
	}
	return false
}

// hint returns what a client can do after a failure; "" when the message says all.
func hint(p *graph.Problem) string {
	switch {
	case retriable(p):
		return "send the request again, without the steps before this one that succeeded"
	case isTransient(p.Code):
		return "the call may have taken effect; check that before you send it again"
	}
	switch p.Code {
	case CodeInvalid:
		return "nothing was called; correct the request"
	case CodeRecursion:
		return "nothing was called; list the tools themselves as steps"
	case graph.CodeMissingValue:
		return "refer to a field that the result has, or skip the step with if when it may be missing"
	case "limit": // execution.CodeLimit
		return "split the request, or fetch less in one step; steps that succeeded need not be sent again"
	}
	switch config.FailureCode(p.Code) {
	case config.FailInvalidArguments:
		return "correct args of this step"
	case config.FailUnknownTool:
		return "name a tool that the server has"
	case config.FailToolError, config.FailRPCError:
		return "the message is the server's; change args of this step, or leave it out"
	case config.FailDeclined, config.FailDismissed:
		return "do not send the step again unless the user asks for it"
	case config.FailLoginNeeded, config.FailPrivateAddress, config.FailDefinitionChanged, config.FailNotLocked, config.FailNotAllowed, config.FailNoUser:
		return "report this to the user; the request cannot change it"
	}
	return ""
}
