package graphtest

import (
	"encoding/json"
	"fmt"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// Source is what answered a call.
type Source string

// The sources of answers.
const (
	FromMock     Source = "mock"
	FromCassette Source = "cassette"
	FromServer   Source = "server"
	FromNowhere  Source = "nowhere" // nothing answered, which fails the case
)

// Call is a call that a run has made.
type Call struct {
	execution.Call
	Result value.Value // nil when Err is set
	Err    error
	Source Source
}

// toolError is the failure of a call that no server has made, told as the pool of
// servers tells one.
type toolError struct {
	code, text string
	structured json.RawMessage // what the tool said beside its text; nil: nothing
}

func (e *toolError) Error() string { return e.text }

// ErrorCode is the code that the failure of the run keeps.
func (e *toolError) ErrorCode() string { return e.code }

// StructuredContent is what the failure of the run keeps beside the text.
func (e *toolError) StructuredContent() json.RawMessage { return e.structured }

// mockedError is a tool's own error.
func mockedError(server, tool, message string) error {
	return &toolError{code: "tool-error", text: fmt.Sprintf("server %q, tool %q: %s", server, tool, message)}
}
