package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolgraph/config"
	"toolgraph/execution/call"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// Code is the kind of a failure that ended a run. It is part of the stored format.
type Code string

// The codes of failures.
const (
	CodeLimit      Code = "limit"      // an execution limit was reached
	CodeExpression Code = "expression" // JSONata or JSON Logic failed
	CodeTool       Code = "tool"       // an upstream server or its tool failed, or a poll has ended
	CodeGraph      Code = "graph"      // the call of a tool of the file failed, before or after its graph ran
	CodeUser       Code = "user"       // the user has not agreed or answered: see Detail
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

	// Lacks is the capability that the client has not declared, so that its user was not asked.
	Lacks string `json:"lacks,omitempty"`

	// Structured is the structuredContent of a failed tool's result, as JSON; nil when it had
	// none. Message includes it.
	Structured json.RawMessage `json:"structuredContent,omitempty"`

	Part string `json:"part,omitempty"` // number of the item, from 0, or name of the branch
	Item string `json:"item,omitempty"` // the item as JSON, truncated
	More int    `json:"more,omitempty"` // other parts that have failed as well

	// What onError and retry can read; only of nodes that have one of them, or that are in a frame.
	Plain    string          `json:"plain,omitempty"`    // Message without what is added for people; empty when nothing is added
	Raised   string          `json:"raised,omitempty"`   // the author's message, when $error ended an expression
	Result   json.RawMessage `json:"result,omitempty"`   // the value of a failed tool's result, or the last of a poll
	Attempts int             `json:"attempts,omitempty"` // of the call

	// Callers are the frames through which the failure has passed, innermost first, each with
	// the node that failed in it. Node and Part are then those of the frame around them.
	Callers []Caller `json:"callers,omitempty"`

	// At is the address of an in-doubt call in a frame or a part that ended the run.
	At Address `json:"at,omitempty"`

	err        error // the cause, in this process only
	unrecorded bool  // the step has no record: it had no outcome
}

// Caller is one frame through which a failure has passed.
type Caller struct {
	Tool string   `json:"tool"`           // whose graph the frame ran
	Node string   `json:"nodeId"`         // that failed
	Part string   `json:"part,omitempty"` // number of the item, from 0, or name of the branch
	Item string   `json:"item,omitempty"` // the item as JSON, truncated
	Path []string `json:"path,omitempty"` // the last nodes visited, oldest first
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

// Error is "file:line:col: node "x" of tool "y": message", then the path of the run. A failure in
// a frame or a part names each level, innermost first.
func (e *StepError) Error() string {
	var b strings.Builder
	if e.Pos.IsValid() {
		b.WriteString(e.Pos.String() + ": ")
	}
	failed := failureToRecord(e.Err)
	for _, c := range failed.Callers {
		b.WriteString(c.String() + ", ")
	}
	own := Caller{Tool: e.Tool, Node: e.Node, Part: failed.Part, Item: failed.Item}
	fmt.Fprintf(&b, "%s: %s", own, e.Err)
	if failed.More > 0 {
		fmt.Fprintf(&b, "; and %d more failed", failed.More)
	}
	for _, c := range failed.Callers {
		if !slices.Contains(c.Path, config.StepsID) {
			writePath(&b, "\npath of "+c.Tool+": ", c.Path)
		}
	}
	path := e.Path
	if e.truncated {
		path = append([]string{"…"}, path...)
	}
	if !slices.Contains(path, config.StepsID) {
		writePath(&b, "\npath: ", path)
	}
	return b.String()
}

// with returns the error with a clause added to its message. The journal may still be writing the failure itself.
func (e *StepError) with(clause string) *StepError {
	out := *e
	out.Err = failureToRecord(e.Err).with(clause)
	return &out
}

func writePath(b *strings.Builder, intro string, path []string) {
	if len(path) > 0 {
		b.WriteString(intro + strings.Join(path, " → "))
	}
}

// String is "node "x" of tool "y"", with the item or the branch before it.
func (c Caller) String() string {
	text := fmt.Sprintf("tool %q", c.Tool)
	if c.Node == config.StepsID && c.Part != "" {
		return c.step() + " of " + text
	}
	if c.Node != "" && c.Node != config.StepsID {
		text = fmt.Sprintf("node %q of %s", c.Node, text)
	}
	switch {
	case c.Item != "":
		return fmt.Sprintf("item %s (%s) of %s", c.Part, c.Item, text)
	case call.IsItem(c.Part):
		return fmt.Sprintf("item %s of %s", c.Part, text)
	case c.Part != "":
		return fmt.Sprintf("branch %q of %s", c.Part, text)
	}
	return text
}

// step is "step "rows.text"", with the place and the item where it is of one.
func (c Caller) step() string {
	name := call.NameOf("", c.Node, c.Part)
	text, item := fmt.Sprintf("step %q", name), ""
	if c.Item != "" {
		item = " (" + c.Item + ")"
	}
	inner, _ := strings.CutPrefix(c.Part, name) // empty, or .3, or @2; of a step in a block more
	switch {
	case inner == "":
		return text + item
	case inner[0] == '.' && call.IsItem(inner[1:]):
		return "item " + inner[1:] + item + " of " + text
	case inner[0] == '@':
		return "turn " + inner[1:] + item + " of " + text
	}
	return text + " at " + c.Part + item
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

// timeLimitError is the cause of a context that a time limit has ended.
type timeLimitError struct{ limit time.Duration }

func (e *timeLimitError) Error() string { return "maxExecutionTimeMs reached" }

// interruption is the cause of a context that ends with an enclosing part or graph call. What it
// ends has no outcome and no record.
type interruption struct{ why string }

func (e *interruption) Error() string { return e.why }

// interrupted reports whether an enclosing part or graph call has ended what failed.
func (f *Failure) interrupted() bool {
	if f == nil || f.Code != CodeCancelled {
		return false
	}
	var by *interruption
	return errors.As(f.err, &by)
}

// failureAt returns a failure at a node. Its cause err may be nil.
func failureAt(code Code, node graph.Node, err error, format string, args ...any) *Failure {
	return &Failure{Code: code, Node: node.ID(), Pos: node.Pos(), Message: fmt.Sprintf(format, args...), err: err}
}

// failureOf returns the error of a node as a Failure. When ctx has ended, that is the reason,
// whatever the error says.
func failureOf(ctx context.Context, node graph.Node, err error) *Failure {
	var known *Failure
	if errors.As(err, &known) {
		return known
	}
	f := failureAt(CodeInternal, node, err, "%s", err)
	var fault *PanicError
	if errors.As(err, &fault) {
		return f
	}
	var ended *value.EndedError
	if errors.As(err, &ended) {
		return endOfWork(ended, node)
	}
	isCall := graph.CallingOf(node) != nil
	if ctx.Err() != nil {
		doing := "while this node was evaluated"
		if isCall {
			doing = "while this node waited for its server"
		}
		return endOf(ctx, node, doing, err)
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
	f.details(err)
	return f
}

// endOf is the failure of a step whose ctx has ended: by a time limit, a cancellation, or the end
// of an enclosing part.
func endOf(ctx context.Context, node graph.Node, doing string, err error) *Failure {
	cause := context.Cause(ctx)
	var limit *timeLimitError
	var by *interruption
	var why *CancelledError
	var ended *value.EndedError
	switch {
	case errors.As(cause, &ended):
		return endOfWork(ended, node)
	case errors.As(cause, &why):
		return failureAt(CodeCancelled, node, why, "%s", why)
	case errors.As(cause, &limit):
		return timeLimit(limit.limit, node, doing)
	case errors.Is(cause, ErrSuspended):
		return failureAt(CodeCancelled, node, ErrSuspended, "%s", ErrSuspended)
	case errors.As(cause, &by):
		return failureAt(CodeCancelled, node, by, "%s", by)
	}
	return failureAt(CodeCancelled, node, err, "the run was cancelled")
}

// CancelledError is the cause of the end of a run's context that says why the run is cancelled. The failure of the run
// has the reason.
type CancelledError struct{ Why string }

// Error is "the run was cancelled: WHY".
func (e *CancelledError) Error() string { return "the run was cancelled: " + e.Why }

// Unwrap returns context.Canceled.
func (e *CancelledError) Unwrap() error { return context.Canceled }

// endOfWork is the failure of a step whose evaluation has ended before its context.
func endOfWork(ended *value.EndedError, node graph.Node) *Failure {
	return failureAt(CodeCancelled, node, ended.Cause, "%s", ended)
}

func timeLimit(limit time.Duration, node graph.Node, doing string) *Failure {
	return failureAt(CodeLimit, node, &timeLimitError{limit},
		"executionLimits.maxExecutionTimeMs is %d, and the run has taken longer; it ended %s", limit.Milliseconds(), doing)
}

func sizeLimit(setting, size string, limit int, node graph.Node) *Failure {
	return failureAt(CodeLimit, node, nil,
		"executionLimits.%s is %d bytes, but the value has %s; let the tool return less, or select what is needed in a transform", setting, limit, size)
}

// combinedLimit is the failure of a run whose value, which is made of the outputs of all steps, is
// too large.
func combinedLimit(limit int, node graph.Node) *Failure {
	return failureAt(CodeLimit, node, nil, "executionLimits.maxNodeOutputBytes is %d bytes, and the result has more, with the results of all steps; "+
		"let steps return less, or do the last steps in a tool that returns only what is needed. Large results of steps are left out", limit)
}

// argumentsLimit is the failure of a call whose arguments are too large to be sent.
func argumentsLimit(limit int, node graph.Node) *Failure {
	return failureAt(CodeLimit, node, nil, "executionLimits.maxNodeOutputBytes is %d bytes, and the arguments of the call have more; send less of them", limit)
}

// depthLimit is the failure of a call whose frame would lie too deep. callers are the tools
// around it and its own, outermost first.
func depthLimit(most int, node graph.Node, callers []string) *Failure {
	const shown = 12
	ring := strings.Join(callers[:min(shown, len(callers))], " → ")
	if len(callers) > shown {
		ring += " → …"
	}
	return failureAt(CodeLimit, node, nil, "executionLimits.maxDepth is %d and graphs have called each other that deep: %s; "+
		"check what ends the recursion", most, ring)
}

// endedWithRun reports whether the failure is that of a run which has ended: by its time limit or
// a cancellation.
func (f *Failure) endedWithRun() bool {
	var limit *timeLimitError
	return f.Code == CodeCancelled || errors.As(f.err, &limit)
}

// itemShown is how many characters of an item a message has room for.
const itemShown = 200

// located returns the failure with the place of the site.
func (s *site) located(failed *Failure) *Failure {
	out := *failed
	out.Node, out.Part, out.Item = s.owner.ID(), s.part, ""
	if s.item != nil {
		if src, err := value.Encode(s.item); err == nil {
			out.Item = wording.Truncate(s.frame.graph.Secrets.Redact(string(src)), itemShown)
		}
	}
	if s.frame.address == "" && s.part == "" && graph.OnErrorOf(s.node) == nil && !s.retried() && len(out.Callers) == 0 {
		out.Plain, out.Raised, out.Result, out.Attempts = "", "", nil, 0 // nothing can read them
	}
	return &out
}

// placed returns the failure with the place of the site, unless it has that of a step in the block there.
func (s *site) placed(failed *Failure) *Failure {
	if failed.Part != "" {
		return failed
	}
	return s.located(failed)
}

// retried reports whether the site's calls can be repeated.
func (s *site) retried() bool {
	n, isMCP := s.node.(*graph.MCP)
	return isMCP && n.Retry != nil
}
