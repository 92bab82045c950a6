package mcpclient

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolgraph/execution/call"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// The codes of an Error.
const (
	CodeUnknownServer    = "unknown-server"     // the file has no such server
	CodeUnknownTool      = "unknown-tool"       // the server has no such tool
	CodeNotListed        = "not-listed"         // the server does not list its tools, and they have to be checked
	CodeListedTwice      = "listed-twice"       // it lists the tool with different definitions, and it has to be checked
	CodeInvalidArguments = "invalid-arguments"  // its inputSchema does not allow them; nothing was sent
	CodeBadSchema        = "bad-schema"         // its inputSchema is too large or takes too long to validate by; nothing was sent
	CodeNotAllowed       = "not-allowed"        // this process may not start it
	CodeLoginNeeded      = "login-needed"       // the user has to log in, by the command of the hint
	CodeServerStart      = "server-start"       // it could not be started, or is not tried again yet
	CodeServerExited     = "server-exited"      // its process ended
	CodeTransport        = "transport"          // its connection broke, or carried a message that the protocol does not allow
	CodePrivateAddress   = "private-address"    // its address must not be dialled; see allowPrivate
	CodeTooLarge         = "too-large"          // it sent more than the limit
	CodeTimeout          = "timeout"            // it did not answer in time
	CodeCancelled        = "cancelled"          // the caller's context ended; Unwrap returns why
	CodeToolError        = "tool-error"         // it answered with isError
	CodeRPCError         = "rpc-error"          // it answered with a JSON-RPC error
	CodeInputRequired    = "input-required"     // the tool asks for input that it cannot get
	CodeBadResult        = "bad-result"         // its answer is not a tool result
	CodeTaskUnknown      = call.CodeTaskUnknown // the task of the call could not be taken up
	CodeClosed           = "closed"             // the pool is closed
)

// Error is a failure of an upstream server. Message is lower case unless it is the
// server's own. Everything in it but Result is redacted.
type Error struct {
	Server, Tool string // Tool is empty when no call was concerned
	Code         string
	Message      string
	Hint         string   // one remedy, or empty
	ExitCode     *int     // of the server's process, 128+n after signal n; nil when unknown
	Stderr       []string // the last lines of the server's stderr that may concern it
	Err          error    // the cause, or nil; Message has its text already

	// RetryAfter is how long the server asks not to be called, 0 when it does not. Starts
	// respect it; Message has it too.
	RetryAfter time.Duration

	// Structured is the structuredContent of a result with isError; nil when it is missing
	// or longer than 64 KiB. Message has it too, or the same in words.
	Structured json.RawMessage

	// Result is the value of a result with isError, read as that of any other result. Secrets
	// in it are not redacted. Nil when the result has none.
	Result value.Value
}

// Error returns the server, the tool, the message and a remedy in one line. When the server has said
// more, in a message of several lines, each of which begins with "| ", or in its last lines on
// standard error, the remedy is on a line after that.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "server %q", e.Server)
	if e.Tool != "" {
		fmt.Fprintf(&b, ", tool %q", e.Tool)
	}
	said := wording.Foreign(e.Message)
	isLong := strings.HasPrefix(said, "\n")
	if !isLong {
		said = " " + said
	}
	b.WriteString(":" + said)
	isShort := !isLong && len(e.Stderr) == 0
	if e.Hint != "" && isShort {
		b.WriteString("; " + e.Hint)
	}
	for _, line := range e.Stderr {
		b.WriteString("\n  stderr: " + line)
	}
	if e.Hint != "" && !isShort { // the server's reason comes first
		b.WriteString("\n" + e.Hint)
	}
	return b.String()
}

// Unwrap returns the cause, or nil.
func (e *Error) Unwrap() error { return e.Err }

// StructuredContent returns Structured, for callers that do not import this package.
func (e *Error) StructuredContent() json.RawMessage { return e.Structured }

// FailedResult returns Result, for callers that do not import this package.
func (e *Error) FailedResult() value.Value { return e.Result }

// ErrorCode returns Code, for callers that do not import this package.
func (e *Error) ErrorCode() string { return e.Code }

// suggest returns the hint for an unknown name: the known one that was likely meant,
// otherwise those there are; "" when there are none.
func suggest(name string, known []string) string {
	near := wording.Nearest(name, known)
	for _, k := range known {
		if near == "" && len(name) > 2 && strings.HasPrefix(strings.ToLower(k), strings.ToLower(name)) {
			near = k
		}
	}
	if near != "" {
		return fmt.Sprintf("did you mean %q?", presentable(near, 200))
	}
	if len(known) == 0 {
		return ""
	}
	return "it may be one of " + presentable(wording.List(slices.Sorted(slices.Values(known))), 500)
}
