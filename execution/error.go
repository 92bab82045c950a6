package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"toolgraph/config"
	"toolgraph/graph"
)

// Code is the kind of a failure that ended a run. It is part of the stored format.
type Code string

// The codes of failures.
const (
	CodeLimit      Code = "limit"      // an execution limit was reached
	CodeExpression Code = "expression" // JSONata or JSON Logic failed
	CodeTool       Code = "tool"       // an upstream server or its tool failed
	CodeCancelled  Code = "cancelled"  // the client cancelled, or the process is stopping
	CodeResult     Code = "result"     // the value does not match the outputSchema
	CodeInternal   Code = "internal"   // the journal, a gate, or a bug

	// CodeOutcomeUnknown: the process died during a call that is not safe to repeat, and its
	// outcome is unknown.
	CodeOutcomeUnknown Code = "outcome-unknown"
)

// Failure is why a run ended without a value, in a form that can be recorded.
type Failure struct {
	Code    Code       `json:"code"`
	Detail  string     `json:"detail,omitempty"` // a finer code: JSONata's, or the upstream client's
	Message string     `json:"message"`
	Node    string     `json:"nodeId,omitempty"`
	Pos     config.Pos `json:"pos,omitzero"`

	// Structured is the structuredContent of a failed tool's result, as JSON; nil when it had
	// none. Message includes it.
	Structured json.RawMessage `json:"structuredContent,omitempty"`

	// Result is the value of a failed tool's result, or the last value of a poll, as JSON. It is
	// recorded for failures in frames, which a caller's onError can read after a resume.
	Result json.RawMessage `json:"result,omitempty"`

	// Callers are the places through which a failure in a frame or a part has passed, innermost
	// first; empty for a failure of a whole step of the run's own graph.
	Callers []Caller `json:"callers,omitempty"`

	err error // the cause, in this process only
}

// Caller is one level of a failure that happened in a frame or a part.
type Caller struct {
	Tool string   `json:"tool"`
	Node string   `json:"nodeId"`
	Part string   `json:"part,omitempty"` // number of the item, from 0, or name of the branch
	Item string   `json:"item,omitempty"` // the item as JSON, truncated
	Path []string `json:"path,omitempty"` // the last nodes visited in the frame, oldest first
}

// Error is the message without the place.
func (f *Failure) Error() string { return f.Message }

// Unwrap returns the cause of the failure, when it happened in this process.
func (f *Failure) Unwrap() error { return f.err }

// StepError is the failure of a run: where it happened and how the run got there.
type StepError struct {
	Run  string
	Tool string
	Node string     // the node that failed or was about to run; may be empty
	Step int        // executionIndex of that node
	Pos  config.Pos // the place in the graph file
	Path []string   // the last nodes visited, oldest first
	Err  error      // a *Failure

	truncated bool // more nodes were visited before Path
}

// Error is "file:line:col: node "x" of tool "y": message", then the path of the run.
func (e *StepError) Error() string {
	var b strings.Builder
	if e.Pos.IsValid() {
		b.WriteString(e.Pos.String() + ": ")
	}
	if e.Node != "" {
		fmt.Fprintf(&b, "node %q of ", e.Node)
	}
	fmt.Fprintf(&b, "tool %q: %s", e.Tool, e.Err)
	if len(e.Path) > 0 {
		b.WriteString("\npath: ")
		if e.truncated {
			b.WriteString("… → ")
		}
		b.WriteString(strings.Join(e.Path, " → "))
	}
	return b.String()
}

func (e *StepError) Unwrap() error { return e.Err }

// Code is the failure's code.
func (e *StepError) Code() Code {
	var f *Failure
	if errors.As(e.Err, &f) {
		return f.Code
	}
	return CodeInternal
}

// errTimeLimit is the cause of a context that the run's time limit has ended.
var errTimeLimit = errors.New("maxExecutionTimeMs reached")

// failureAt returns a failure at a node. Its cause err may be nil.
func failureAt(code Code, node graph.Node, err error, format string, args ...any) *Failure {
	return &Failure{Code: code, Node: node.ID(), Pos: node.Pos(), Message: fmt.Sprintf(format, args...), err: err}
}

// failureOf returns the error of a node as a Failure. When ctx has ended, that is the reason,
// whatever the error says.
func failureOf(ctx context.Context, limits config.Limits, node graph.Node, err error) *Failure {
	var known *Failure
	if errors.As(err, &known) {
		return known
	}
	f := failureAt(CodeInternal, node, err, "%s", err)
	var fault *PanicError
	if errors.As(err, &fault) {
		return f
	}
	_, isCall := node.(*graph.MCP)
	if ctx.Err() != nil {
		return endOf(ctx, limits, node, isCall, err)
	}
	var placed *graph.PlacedError
	var coded interface{ ErrorCode() string }
	var structured interface{ StructuredContent() json.RawMessage }
	switch {
	case errors.As(err, &placed):
		f.Code, f.Pos = CodeExpression, placed.Pos
	case isCall:
		f.Code = CodeTool
	}
	if errors.As(err, &coded) {
		f.Detail = coded.ErrorCode()
	}
	if errors.As(err, &structured) {
		f.Structured = structured.StructuredContent()
	}
	return f
}

// endOf is the failure of a run whose ctx has ended: by its time limit, or by a cancellation.
func endOf(ctx context.Context, limits config.Limits, node graph.Node, isCall bool, err error) *Failure {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errTimeLimit) && isCall:
		return timeLimit(limits.MaxExecutionTime, node, "while this node waited for its server")
	case errors.Is(cause, errTimeLimit):
		return timeLimit(limits.MaxExecutionTime, node, "while this node was evaluated")
	case errors.Is(cause, ErrSuspended):
		return failureAt(CodeCancelled, node, ErrSuspended, "%s", ErrSuspended)
	}
	return failureAt(CodeCancelled, node, err, "the run was cancelled")
}

func timeLimit(limit time.Duration, node graph.Node, doing string) *Failure {
	return failureAt(CodeLimit, node, errTimeLimit,
		"executionLimits.maxExecutionTimeMs is %d, and the run has taken longer; it ended %s", limit.Milliseconds(), doing)
}

func sizeLimit(setting string, size, limit int, node graph.Node) *Failure {
	return failureAt(CodeLimit, node, nil,
		"executionLimits.%s is %d bytes, but the value has %d; let the tool return less, or select what is needed in a transform", setting, limit, size)
}
