package mcpclient

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolgraph/internal/wording"
)

// The codes of an Error.
const (
	CodeUnknownServer    = "unknown-server"    // the file has no such server
	CodeUnknownTool      = "unknown-tool"      // the server has no such tool
	CodeNotListed        = "not-listed"        // it does not tell its tools, and they have to be checked
	CodeListedTwice      = "listed-twice"      // it lists the tool with different definitions, and it has to be checked
	CodeInvalidArguments = "invalid-arguments" // its inputSchema does not allow them; nothing was sent
	CodeBadSchema        = "bad-schema"        // its inputSchema is too large or takes too long to validate by; nothing was sent
	CodeLoginNeeded      = "login-needed"      // somebody has to log in, by the command of the hint
	CodeServerStart      = "server-start"      // it could not be started, or is not tried again yet
	CodeServerExited     = "server-exited"     // its process ended
	CodeTransport        = "transport"         // its connection broke or carried nonsense
	CodePrivateAddress   = "private-address"   // its address may not be dialled; see allowPrivate
	CodeTooLarge         = "too-large"         // it sent more than we read
	CodeTimeout          = "timeout"           // it did not answer in time
	CodeCancelled        = "cancelled"         // the caller gave up; Unwrap tells why
	CodeToolError        = "tool-error"        // it answered with isError
	CodeRPCError         = "rpc-error"         // it answered with a JSON-RPC error
	CodeInputRequired    = "input-required"    // the tool wants to ask somebody something
	CodeBadResult        = "bad-result"        // its answer is no tool result
	CodeClosed           = "closed"            // the pool is closed
)

// Error is a failure of an upstream server. Message is lower case unless it is the
// server's own. Everything in it is redacted.
type Error struct {
	Server, Tool string // Tool is empty when no call was concerned
	Code         string
	Message      string
	Hint         string   // one remedy, or empty
	ExitCode     *int     // of the server's process, 128+n after signal n; nil when unknown
	Stderr       []string // the last lines of the server's stderr that may concern it
	Err          error    // the cause, or nil; its text is part of Message already

	// RetryAfter is how long the server asks to be left alone, 0 when it does not. Starts respect
	// it; Message has it too.
	RetryAfter time.Duration

	// Structured is the structuredContent of a result with isError; nil when there was
	// none, or more than 64 KiB of it. Message has it too, or the same in words.
	Structured json.RawMessage
}

// Error is for people: the server, the tool, what happened, a remedy, and the
// server's last lines, one a line.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "server %q", e.Server)
	if e.Tool != "" {
		fmt.Fprintf(&b, ", tool %q", e.Tool)
	}
	b.WriteString(": ")
	b.WriteString(e.Message)
	if e.Hint != "" {
		b.WriteString("; ")
		b.WriteString(e.Hint)
	}
	for _, line := range e.Stderr {
		b.WriteString("\n  stderr: ")
		b.WriteString(line)
	}
	return b.String()
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// StructuredContent is Structured, for callers that know this package only by what it can do.
func (e *Error) StructuredContent() json.RawMessage { return e.Structured }

// ErrorCode is Code, for those who know this package only by what it can do.
func (e *Error) ErrorCode() string { return e.Code }

// during is the error as it concerns the call of a tool.
func (e *Error) during(tool string) *Error {
	c := *e
	c.Tool = tool
	return &c
}

// namesShown is how many names a hint lists.
const namesShown = 8

// suggest is the hint for a name that is none of those known: the one that was
// likely meant, else what there is; "" when there is nothing.
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
	sorted := slices.Sorted(slices.Values(known))
	more := ""
	if len(sorted) > namesShown {
		sorted, more = sorted[:namesShown], " …"
	}
	return "it may be one of " + presentable(strings.Join(sorted, ", "), 500) + more
}
