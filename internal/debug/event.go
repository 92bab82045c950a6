package debug

import "toolgraph/execution"

// Kind is what an Event tells.
type Kind string

// The kinds of events.
const (
	KindRecord Kind = "record" // a step has finished, or an output was edited
	KindState  Kind = "state"  // the state has changed
)

// Event is something that a subscriber is told.
type Event struct {
	Seq    int               `json:"seq"` // records told so far: where Subscribe goes on after this event
	Kind   Kind              `json:"kind"`
	State  *State            `json:"state,omitempty"`
	Record *execution.Record `json:"record,omitempty"`
}
