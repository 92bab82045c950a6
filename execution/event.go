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
	StepReady     EventKind = "step-ready"   // only for a Gate, never recorded
	CallStarted   EventKind = "call-started" // before a call leaves the process
	StepFinished  EventKind = "step-finished"
	ContextEdited EventKind = "context-edited" // a debugger replaced an output while the run was paused
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

	// Sync marks the events whose loss could do harm or leave an in-doubt call: the start and
	// the record of a call that is not safe to repeat, edits, and the end of a run. A journal
	// that outlives the process has such a call-started, and what identifies its run, before
	// Append returns; other events of calls do not wait for more.
	Sync bool `json:"-"`
	// Scope is the scope of the step's expressions (step-ready); only valid until the Gate
	// that gets it returns.
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
	Args   value.Value `json:"-"`                // call-started; not recorded: they follow from the records
	Digest string      `json:"digest,omitempty"` // call-started; of Args, to recognise the call
}

// End is how a run ended: with a value or with a failure.
type End struct {
	Value   value.Value
	Failure *Failure
}
