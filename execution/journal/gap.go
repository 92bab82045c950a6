package journal

import (
	"encoding/json"
	"fmt"

	"toolgraph/expressions/value"
)

// Gap tells why a value was not kept as it was.
type Gap struct {
	Reason Reason `json:"reason"`
	Bytes  int    `json:"bytes,omitempty"` // of the value's JSON
	Limit  int    `json:"limit,omitempty"` // how many it may have
}

// Reason is why a value was not kept as it was.
type Reason string

// The reasons.
const (
	TooLarge  Reason = "too-large" // it is longer than Options.MaxValue
	Redacted  Reason = "redacted"  // it held a secret, which was replaced
	Unwritten Reason = "unwritten" // the store could not be written, and no more could wait for it
)

// noteKey is the one key of an object that stands for a value that was not kept.
const noteKey = "toolgraph/notKept"

// note is the JSON that stands for the value.
func (g *Gap) note() []byte {
	text, err := json.Marshal(map[string]*Gap{noteKey: g})
	if err != nil {
		return []byte(`null`) // it always can be written
	}
	return text
}

// value is the note as a value.
func (g *Gap) value() value.Value {
	v, err := value.Decode(g.note())
	if err != nil {
		return value.Null // it always can be read
	}
	return v
}

// GapOf is the gap that a note stands for, as events from Store.Load hold it; ok is
// false for any other value.
func GapOf(v value.Value) (gap Gap, ok bool) {
	note, ok := v.(value.Object)
	if !ok || note.Len() != 1 {
		return Gap{}, false
	}
	told, ok := note.Get(noteKey)
	if !ok {
		return Gap{}, false
	}
	text, err := value.Encode(told)
	if err != nil || json.Unmarshal(text, &gap) != nil || gap.Reason == "" {
		return Gap{}, false
	}
	return gap, true
}

// GapError refuses to give a run that is not kept whole to those who would take it on.
type GapError struct {
	Run  string
	What string // "its arguments", `the output of step 3 (node "list")`
	Gap  Gap
}

// Error tells what is missing, why, and the remedy.
func (e *GapError) Error() string {
	why := "held a secret, and secrets are not written down; run the tool again"
	switch e.Gap.Reason {
	case Unwritten:
		why = "could not be recorded, because the store was locked or full for too long; run the tool again"
	case TooLarge:
		why = fmt.Sprintf("has %d bytes and was not kept, because a value may have %d; run the tool again with a higher --history-max-value",
			e.Gap.Bytes, e.Gap.Limit)
	}
	return fmt.Sprintf("run %s is not kept whole: %s %s", e.Run, e.What, why)
}
