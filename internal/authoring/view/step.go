package view

import (
	"encoding/json"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// Step is one step of a recorded run.
type Step struct {
	Address  execution.Address   `json:"address,omitempty"` // in a run with called graphs or parts
	Index    int                 `json:"executionIndex"`
	Part     string              `json:"part,omitempty"` // number of the item, from 0, or name of the branch
	Tool     string              `json:"tool,omitempty"` // whose graph the frame runs; empty for the run's own
	Node     string              `json:"nodeId"`
	Type     config.NodeType     `json:"nodeType"`
	Started  time.Time           `json:"startTime"`
	Ended    time.Time           `json:"endTime,omitzero"`
	Duration float64             `json:"duration"` // milliseconds
	Output   *Recorded           `json:"output,omitempty"`
	Nothing  bool                `json:"nothing,omitempty"` // the node yielded nothing
	Error    *execution.Failure  `json:"error,omitempty"`
	Handled  *execution.Failure  `json:"handled,omitempty"`  // what onError has taken; Output is then its value
	Attempts []execution.Attempt `json:"attempts,omitempty"` // failed attempts that another one followed
	Open     bool                `json:"open,omitempty"`     // it has no record: it had not ended
	Below    *journal.Below      `json:"below,omitempty"`    // steps below this one that the list leaves out

	Confirmed *execution.Confirmation `json:"confirmed,omitempty"` // the user has agreed to the call
	Skipped   bool                    `json:"skipped,omitempty"`   // a step whose if did not hold
	Cached    bool                    `json:"cached,omitempty"`    // the answer to an equal call: no call was made
	Edited    bool                    `json:"edited,omitempty"`    // a user gave the output: the node did not run
	Questions []Question              `json:"questions,omitempty"` // that the user was asked, in their order
}

// At returns the address of the step.
func (s *Step) At() execution.Address {
	if s.Address != "" {
		return s.Address
	}
	return execution.AddressOf("", s.Index, s.Part)
}

// StepOf returns a recorded step.
func StepOf(s journal.Step) Step {
	r := s.Record
	step := Step{
		Index: r.Index, Part: r.Part, Tool: r.Tool, Node: r.Step(), Type: r.NodeType, Started: r.Start, Ended: r.End,
		Duration: float64(r.Duration().Microseconds()) / 1000, Error: r.Error, Handled: r.Handled, Attempts: r.Attempts,
		Nothing: s.Output.Nothing, Skipped: r.Skipped, Confirmed: r.Confirmed, Cached: r.Cached, Edited: r.Edited,
	}
	if r.Error == nil && !step.Nothing {
		output := RecordedOf(s.Output)
		step.Output = &output
	}
	return step
}

// Recorded is a recorded value: the whole or its beginning.
type Recorded struct {
	Value     json.RawMessage `json:"value,omitempty"`     // when it is whole
	Beginning string          `json:"beginning,omitempty"` // of its JSON, when it is longer than the maximum
	Bytes     int             `json:"bytes"`               // of the whole JSON
	Gap       *journal.Gap    `json:"gap,omitempty"`       // why it was not recorded unchanged; nil when it was
}

// Whole reports whether the value is complete.
func (v Recorded) Whole() bool { return v.Beginning == "" && v.Gap == nil }

// Text returns the value as one line.
func (v Recorded) Text() string {
	if v.Beginning != "" {
		return v.Beginning + "…"
	}
	return string(v.Value)
}

// RecordedOf returns a recorded value.
func RecordedOf(k journal.Recorded) Recorded {
	if k.Truncated && k.Gap == nil || k.Truncated && k.Gap.Reason == journal.Redacted {
		return Recorded{Beginning: string(k.JSON), Bytes: k.Bytes, Gap: k.Gap}
	}
	return Recorded{Value: k.JSON, Bytes: k.Bytes, Gap: k.Gap}
}

// Call is a call of a run whose outcome is unknown.
type Call struct {
	Address execution.Address `json:"address"`
	Node    string            `json:"nodeId"` // as messages name it: facts.weather, todos_of_file:read
	Server  string            `json:"server"`
	Tool    string            `json:"tool"`
	Attempt int               `json:"attempt,omitempty"` // from 2 on
}

// CallOf returns a call that has started.
func CallOf(v execution.Visit) Call {
	return Call{Address: v.At(), Node: v.Name(), Server: v.Server, Tool: v.Tool, Attempt: v.Attempt}
}
