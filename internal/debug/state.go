package debug

import (
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// Status is what a session is doing.
type Status string

// The statuses of a session.
const (
	NotStarted Status = "not_started"
	Running    Status = "running"
	Paused     Status = "paused"
	Finished   Status = "finished"
	Failed     Status = "error"
	Stopped    Status = "stopped" // somebody stopped it
)

// Ended reports whether the run is over.
func (s Status) Ended() bool { return s == Finished || s == Failed || s == Stopped }

// Reason is why a run is held.
type Reason string

// The reasons.
const (
	AtStart      Reason = "start"
	AtBreakpoint Reason = "breakpoint"
	AfterStep    Reason = "step"
	OnPause      Reason = "pause"
	AtRunTo      Reason = "run-to"
)

// State is a session as it is now. It is a copy.
type State struct {
	Status   Status             `json:"status"`
	Run      string             `json:"run"`
	Tool     string             `json:"tool"`
	Next     *execution.Visit   `json:"next,omitempty"`     // paused: the node about to run
	Current  *execution.Visit   `json:"current,omitempty"`  // running: the node that runs; with Server and Tool while it is called
	Steps    int                `json:"steps"`              // executions so far, edits not counted
	Records  int                `json:"records"`            // records so far, edits among them
	PausedBy Reason             `json:"pausedBy,omitempty"` // paused: why
	Pausing  bool               `json:"pausing,omitempty"`  // running: it will be held before the next node
	Problem  string             `json:"problem,omitempty"`  // paused: why the condition of the breakpoint could not be evaluated
	Watches  []Watched          `json:"watches,omitempty"`  // as of the last time that the run was held or ended
	Error    *execution.Failure `json:"error,omitempty"`    // error, stopped
	Message  string             `json:"message,omitempty"`  // Error with its place and the path walked
	Result   value.Value        `json:"-"`                  // finished
}

// Breakpoint holds a run before a node.
type Breakpoint struct {
	Node      string `json:"node"`
	Condition string `json:"condition,omitempty"` // JSONata; when empty, always
	Disabled  bool   `json:"disabled,omitempty"`
	Hits      int    `json:"hits"` // how often it has held the run
}

// Watched is an expression and its value.
type Watched struct {
	Expr  string      `json:"expr"`
	Value value.Value `json:"-"` // nil: nothing
	Error string      `json:"error,omitempty"`
}
