package debug

import (
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// Status is what a session is doing. A run is paused when a step or part of it is held, and nothing
// else of it comes to a step before a call has ended.
type Status string

// The statuses of a session.
const (
	NotStarted Status = "not_started"
	Running    Status = "running"
	Paused     Status = "paused"
	Waiting    Status = "waiting" // for the answer of its user
	Finished   Status = "finished"
	Failed     Status = "error"
	Stopped    Status = "stopped" // by Session.Stop
)

// Ended reports whether the run is over.
func (s Status) Ended() bool { return s == Finished || s == Failed || s == Stopped }

// Reason is why a run is paused.
type Reason string

// The reasons.
const (
	AtStart      Reason = "start"
	AtBreakpoint Reason = "breakpoint"
	AfterStep    Reason = "step"
	OnPause      Reason = "pause"
	AtRunTo      Reason = "run-to"
	Beside       Reason = "beside" // another part is held
)

// State is a session at one moment. It belongs to the caller.
type State struct {
	Status   Status
	Next     *execution.Visit    // paused: the node or part about to run, on which commands act; one of Held
	Held     []Held              // all nodes and parts that are held, in order; also while others run
	Current  *execution.Visit    // running, waiting: the node or part that runs; with Server and Tool during a call
	Question *execution.Question // waiting: what the user is asked
	Graph    *graph.Graph        // of the frame of Next or Current; nil before the first step
	Stack    []Caller            // the callers of that frame, from the inside out; empty for the run's own
	Steps    int                 // executions so far, parts among them, without edits
	Records  int                 // records so far, edits among them
	PausedBy Reason              // paused: why
	Pausing  bool                // running, waiting: it pauses before the next node or part
	Problem  string              // paused: why the condition of the breakpoint failed; "" when it did not
	Watches  []Watched           // as of the last pause or the end
	Error    *execution.Failure  // failed or stopped
	Message  string              // Error with its place and the path of the run
	Result   value.Value         // finished
	Used     *execution.Used     // when the run has ended; nil: it is not known
}

// Held is a node or part before which a run is held.
type Held struct {
	Visit    *execution.Visit
	PausedBy Reason
	Problem  string // see State
}

// Caller is an execution or a part that has called a graph.
type Caller struct {
	At   execution.Address // that of the frame of the graph
	Tool string            // whose graph has the node
	Node string
}

// Breakpoint pauses a run before a node, a branch or the parts of a node.
type Breakpoint struct {
	// Node names the place: read, before the node; read[], before each part of it; facts.weather,
	// before a branch; todos_of_file:read, in another tool. It is the same in all frames of a tool.
	Node      string `json:"node"`
	Condition string `json:"condition,omitempty"` // JSONata, which sees $item and $index before a part; "" is always true
	Disabled  bool   `json:"disabled,omitempty"`
	Hits      int    `json:"hits"` // how often it has paused the run
}

// Watched is an expression and its value.
type Watched struct {
	Expr  string
	Value value.Value // nil: nothing, or Error is set
	Error string
}
