package execution

import (
	"time"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/value"
)

// EventKind is what happened.
type EventKind string

// The kinds of events, in the order in which they come.
const (
	RunStarted    EventKind = "run-started"
	StepReady     EventKind = "step-ready"   // only told to a Gate, never kept
	CallStarted   EventKind = "call-started" // before a call leaves the process
	StepFinished  EventKind = "step-finished"
	ContextEdited EventKind = "context-edited" // somebody replaced an output while the run was held
	RunFinished   EventKind = "run-finished"
)

// Event is one entry of a run's journal. Which fields are set depends on Kind.
type Event struct {
	Kind EventKind `json:"kind"`
	Run  string    `json:"run"`
	Time time.Time `json:"time"`

	Start  *Start  `json:"start,omitempty"`  // run-started
	Step   *Visit  `json:"step,omitempty"`   // step-ready, call-started
	Record *Record `json:"record,omitempty"` // step-finished, context-edited
	End    *End    `json:"end,omitempty"`    // run-finished

	// Lost is set by a journal: so many events of the run right before this one were not
	// recorded. A run with lost events cannot be resumed.
	Lost int `json:"lost,omitempty"`

	// Sync is set where losing the event could do harm, or make somebody look things
	// up: before a call that may not be made twice, on its record, on edits, and at the
	// end of a run. A journal that outlives the process has such a call-started, and
	// what is needed to know its run, before Append returns; it does not let others of
	// calls wait for more.
	Sync bool `json:"-"`
	// Scope is what expressions of the step would see (step-ready); only valid until
	// the Gate that it was given to returns.
	Scope *expressions.Scope `json:"-"`
}

// Start is how a run began.
type Start struct {
	Tool  string
	Graph string // the graph's hash
	Args  value.Value
}

// Visit is a step that is about to happen.
type Visit struct {
	Index    int             `json:"executionIndex"`
	NodeID   string          `json:"nodeId"`
	NodeType config.NodeType `json:"nodeType"`

	Server string      `json:"server,omitempty"` // of an mcp node
	Tool   string      `json:"tool,omitempty"`   // of an mcp node
	Args   value.Value `json:"-"`                // call-started; not kept: they follow from the records
	Digest string      `json:"digest,omitempty"` // call-started; of Args, to know the call again
}

// End is how a run ended: with a value or with a failure.
type End struct {
	Value   value.Value
	Failure *Failure
}
