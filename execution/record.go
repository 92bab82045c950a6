package execution

import (
	"encoding/json"
	"fmt"
	"time"

	"toolgraph/config"
	"toolgraph/execution/call"
	"toolgraph/expressions/value"
)

// Record is one execution of a node: an entry of the history. It has no input; the
// context that its expressions saw is that of the records before it.
type Record struct {
	Frame    Address         // of the frame; empty: the run's own
	Index    int             // 0-based place in the history of the frame
	Part     string          // of a part: the number of the item, the name of the branch, or the path of the step; else empty
	Tool     string          // whose graph the frame runs; empty for the run's own
	NodeID   string          // the node
	NodeType config.NodeType // its kind
	Start    time.Time
	End      time.Time
	Output   value.Value // nil when the node yielded nothing, or Error is set
	Bytes    int         // size of Output as compact JSON; 0 for nothing, or when not measured yet
	Error    *Failure    // nil when the node finished
	Handled  *Failure    // what onError has taken; Output is then its value
	Attempts []Attempt   // those that another attempt followed

	// Parts is how many parts Output is made of, for a list of a forEach with items, for a
	// parallel and for steps; their records are before this one. 0 for other records.
	Parts int

	// Skipped: the step was not run, because its if did not hold.
	Skipped bool

	Confirmed *Confirmation // the user has agreed to the call; nil: no confirmation was needed

	// Cached: the output is the answer to an equal call of this process, and no call was made for it.
	// Digest is then that of the server, the tool and the arguments, by which a replay finds it.
	Cached bool
	Digest string

	// Edited: this is not an execution; a debugger replaced the node's latest output, for
	// everything after it.
	Edited bool
}

// Confirmation is that a user has agreed to a call, or to all calls of a forEach.
type Confirmation struct {
	At     time.Time `json:"at"`
	Digest string    `json:"digest"` // of the server, the tool and the arguments
}

// At returns the address of the record.
func (r *Record) At() Address { return AddressOf(r.Frame, r.Index, r.Part) }

// Step returns the node for people: of a step its path of ids, as users.lookup, else the node's id.
func (r *Record) Step() string {
	if r.NodeID == config.StepsID && r.Part != "" {
		return call.NameOf("", r.NodeID, r.Part)
	}
	return r.NodeID
}

// Name returns the name of the node for mocks, breakpoints, expectations and coverage.
func (r *Record) Name() string { return call.NameOf(r.Tool, r.NodeID, r.Part) }

// Attempt is a failed attempt of a call that another attempt followed.
type Attempt struct {
	Start time.Time `json:"startTime"`
	End   time.Time `json:"endTime"`
	Error *Failure  `json:"error"`
}

// Nothing reports whether the node finished and yielded nothing; it has no value in the context
// then.
func (r Record) Nothing() bool { return r.Error == nil && r.Output == nil }

// Duration is the time between Start and End, never negative.
func (r Record) Duration() time.Duration { return max(0, r.End.Sub(r.Start)) }

type recordJSON struct {
	Frame    Address         `json:"frame,omitempty"`
	Index    int             `json:"executionIndex"`
	Part     string          `json:"part,omitempty"`
	Tool     string          `json:"tool,omitempty"`
	NodeID   string          `json:"nodeId"`
	NodeType config.NodeType `json:"nodeType"`
	Start    time.Time       `json:"startTime"`
	End      time.Time       `json:"endTime"`
	Duration float64         `json:"duration"` // milliseconds
	Output   value.JSON      `json:"output,omitzero"`
	Nothing  bool            `json:"nothing,omitempty"`
	Error    *Failure        `json:"error,omitempty"`
	Handled  *Failure        `json:"handled,omitempty"`
	Attempts []Attempt       `json:"attempts,omitempty"`
	Parts    int             `json:"parts,omitempty"`
	Edited   bool            `json:"edited,omitempty"`

	Confirmed *Confirmation `json:"confirmed,omitempty"`
	Cached    bool          `json:"cached,omitempty"`
	Digest    string        `json:"digest,omitempty"`
	Skipped   bool          `json:"skipped,omitempty"`
}

// MarshalJSON writes executionIndex, nodeId, nodeType, startTime, endTime (RFC 3339),
// duration (milliseconds), one of output, nothing and error, and edited for an edit; where they
// apply, frame, part, tool, handled, attempts, parts, confirmed, cached, digest and skipped.
func (r Record) MarshalJSON() ([]byte, error) {
	out := recordJSON{
		Frame: r.Frame, Index: r.Index, Part: r.Part, Tool: r.Tool, NodeID: r.NodeID, NodeType: r.NodeType,
		Start: r.Start, End: r.End, Duration: float64(r.Duration().Microseconds()) / 1000,
		Nothing: r.Nothing(), Error: r.Error, Handled: r.Handled, Attempts: r.Attempts, Parts: r.Parts, Edited: r.Edited,
		Confirmed: r.Confirmed, Cached: r.Cached, Digest: r.Digest, Skipped: r.Skipped,
	}
	if r.Error == nil {
		out.Output.Value = r.Output
	}
	return json.Marshal(out)
}

// UnmarshalJSON is the reverse of MarshalJSON. A record with none of output, nothing and
// error has the output null, as the first releases wrote it.
// When the times do not match the duration, which comes from the monotonic clock, End is Start
// and the duration.
func (r *Record) UnmarshalJSON(src []byte) error {
	var in recordJSON
	if err := json.Unmarshal(src, &in); err != nil {
		return err
	}
	if in.Nothing && (in.Output.Value != nil || in.Error != nil) {
		return fmt.Errorf("record %d has nothing: true and also an output or an error, expected one of them", in.Index)
	}
	*r = Record{
		Frame: in.Frame, Index: in.Index, Part: in.Part, Tool: in.Tool, NodeID: in.NodeID, NodeType: in.NodeType,
		Start: in.Start, End: in.End, Output: in.Output.Value,
		Error: in.Error, Handled: in.Handled, Attempts: in.Attempts, Parts: in.Parts, Edited: in.Edited, Confirmed: in.Confirmed,
		Cached: in.Cached, Digest: in.Digest, Skipped: in.Skipped,
	}
	took := time.Duration(in.Duration * float64(time.Millisecond))
	if by := r.End.Sub(r.Start) - took; took > 0 && by.Abs() >= time.Millisecond { // the wall clock was set meanwhile
		r.End = r.Start.Add(took)
	}
	if in.Error == nil && !in.Nothing {
		r.Output = orNull(r.Output)
	}
	return nil
}
