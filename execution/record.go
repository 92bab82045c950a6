package execution

import (
	"encoding/json"
	"fmt"
	"time"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// Record is one execution of a node: an entry of the history. It has no input; the
// context that its expressions saw is that of the records before it.
type Record struct {
	Index    int             // 0-based place in the history
	NodeID   string          // the node
	NodeType config.NodeType // its kind
	Start    time.Time
	End      time.Time
	Output   value.Value // nil when the node yielded nothing, or Error is set
	Bytes    int         // size of Output as compact JSON; 0 for nothing, or when not measured yet
	Error    *Failure    // nil when the node finished

	// Edited: this is not an execution; a debugger replaced the node's latest output, for
	// everything after it.
	Edited bool
}

// Nothing reports whether the node finished and yielded nothing; it has no value in the context
// then.
func (r Record) Nothing() bool { return r.Error == nil && r.Output == nil }

// Duration is the time between Start and End, never negative.
func (r Record) Duration() time.Duration { return max(0, r.End.Sub(r.Start)) }

type recordJSON struct {
	Index    int             `json:"executionIndex"`
	NodeID   string          `json:"nodeId"`
	NodeType config.NodeType `json:"nodeType"`
	Start    time.Time       `json:"startTime"`
	End      time.Time       `json:"endTime"`
	Duration float64         `json:"duration"` // milliseconds
	Output   value.JSON      `json:"output,omitzero"`
	Nothing  bool            `json:"nothing,omitempty"`
	Error    *Failure        `json:"error,omitempty"`
	Edited   bool            `json:"edited,omitempty"`
}

// MarshalJSON writes executionIndex, nodeId, nodeType, startTime, endTime (RFC 3339),
// duration (milliseconds), one of output, nothing and error, and edited for an edit.
func (r Record) MarshalJSON() ([]byte, error) {
	out := recordJSON{
		Index: r.Index, NodeID: r.NodeID, NodeType: r.NodeType, Start: r.Start, End: r.End,
		Duration: float64(r.Duration().Microseconds()) / 1000, Error: r.Error, Edited: r.Edited,
		Nothing: r.Nothing(),
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
		Index: in.Index, NodeID: in.NodeID, NodeType: in.NodeType,
		Start: in.Start, End: in.End, Output: in.Output.Value, Error: in.Error, Edited: in.Edited,
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
