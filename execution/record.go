package execution

import (
	"encoding/json"
	"time"

	"toolgraph/config"
	"toolgraph/expressions"
)

// Record is one execution of a node: an entry of the history. It has no input; the
// context that its expressions saw is that of the records before it.
type Record struct {
	Index    int             // 0-based place in the history
	NodeID   string          // the node
	NodeType config.NodeType // its kind
	Start    time.Time
	End      time.Time
	Output   expressions.Value // nil when Error is set
	Bytes    int               // size of Output as compact JSON; 0 when not measured yet
	Error    *Failure          // nil when the node finished

	// Edited: this is no execution, but somebody replaced the node's latest output,
	// which everything after it sees.
	Edited bool
}

// Duration is the time between Start and End, never negative.
func (r Record) Duration() time.Duration { return max(0, r.End.Sub(r.Start)) }

type recordJSON struct {
	Index    int             `json:"executionIndex"`
	NodeID   string          `json:"nodeId"`
	NodeType config.NodeType `json:"nodeType"`
	Start    time.Time       `json:"startTime"`
	End      time.Time       `json:"endTime"`
	Duration float64         `json:"duration"` // milliseconds
	Output   *kept           `json:"output,omitempty"`
	Error    *Failure        `json:"error,omitempty"`
	Edited   bool            `json:"edited,omitempty"`
}

// MarshalJSON gives executionIndex, nodeId, nodeType, startTime, endTime (RFC 3339),
// duration (milliseconds), output or error, and edited when it is one.
func (r Record) MarshalJSON() ([]byte, error) {
	out := recordJSON{
		Index: r.Index, NodeID: r.NodeID, NodeType: r.NodeType, Start: r.Start, End: r.End,
		Duration: float64(r.Duration().Microseconds()) / 1000, Error: r.Error, Edited: r.Edited,
	}
	if r.Error == nil {
		out.Output = &kept{r.Output}
	}
	return json.Marshal(out)
}

// UnmarshalJSON is the reverse of MarshalJSON.
func (r *Record) UnmarshalJSON(src []byte) error {
	var in recordJSON
	if err := json.Unmarshal(src, &in); err != nil {
		return err
	}
	*r = Record{
		Index: in.Index, NodeID: in.NodeID, NodeType: in.NodeType,
		Start: in.Start, End: in.End, Error: in.Error, Edited: in.Edited,
	}
	switch { // null makes no kept
	case in.Output != nil:
		r.Output = in.Output.value
	case in.Error == nil:
		r.Output = expressions.Null
	}
	return nil
}
