package config

import "slices"

// FailureCode is a kind of failure that retry and onError can name, and the code of $failure.
type FailureCode string

// The failures of calls, transforms and called graphs.
const (
	FailUnknownTool       FailureCode = "unknown-tool"
	FailInvalidArguments  FailureCode = "invalid-arguments"
	FailLoginNeeded       FailureCode = "login-needed"
	FailServerStart       FailureCode = "server-start"
	FailServerExited      FailureCode = "server-exited"
	FailTransport         FailureCode = "transport"
	FailPrivateAddress    FailureCode = "private-address"
	FailTooLarge          FailureCode = "too-large"
	FailTimeout           FailureCode = "timeout"
	FailToolError         FailureCode = "tool-error"
	FailRPCError          FailureCode = "rpc-error"
	FailInputRequired     FailureCode = "input-required"
	FailBadResult         FailureCode = "bad-result"
	FailDefinitionChanged FailureCode = "definition-changed"
	FailNotLocked         FailureCode = "not-locked"
	FailNotYet            FailureCode = "not-yet"         // retry.until does not hold
	FailDuplicateKey      FailureCode = "duplicate-key"   // two items of a step have the same key
	FailExpression        FailureCode = "expression"      // of args, of a transform, of a called graph
	FailRaised            FailureCode = "raised"          // $error(message) in an expression
	FailOutputMismatch    FailureCode = "output-mismatch" // the result of a called graph does not match its outputSchema
	FailDeclined          FailureCode = "declined"        // the user said no
	FailDismissed         FailureCode = "dismissed"       // the user closed the question
	FailNoUser            FailureCode = "no-user"         // the host cannot ask its user
	FailNotAllowed        FailureCode = "not-allowed"     // allow of the file or the tool excludes the call
)

// FailureCodes are all of them, in the order of the documentation. The slice must not be changed.
var FailureCodes = []FailureCode{
	FailTimeout, FailToolError, FailRPCError, FailTransport, FailServerStart, FailServerExited, FailTooLarge, FailBadResult,
	FailNotYet, FailDuplicateKey, FailExpression, FailRaised, FailOutputMismatch, FailDeclined, FailDismissed, FailNoUser,
	FailUnknownTool, FailInvalidArguments, FailLoginNeeded, FailPrivateAddress, FailInputRequired, FailDefinitionChanged, FailNotLocked, FailNotAllowed,
}

// CaughtByDefault reports whether an onError without codes takes the failure: it does not take
// those that an author or an operator has to mend.
func (c FailureCode) CaughtByDefault() bool {
	switch c {
	case FailUnknownTool, FailInvalidArguments, FailLoginNeeded, FailPrivateAddress, FailInputRequired, FailDefinitionChanged, FailNotLocked, FailNotAllowed:
		return false
	}
	return c.Catchable()
}

// Catchable reports whether an onError can take the failure when it names it. Limits,
// cancellations, internal errors and unknown outcomes always end the run.
func (c FailureCode) Catchable() bool { return slices.Contains(FailureCodes, c) }
