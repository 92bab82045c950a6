package journal

import "fmt"

// Gap tells why a value was not kept as it was.
type Gap struct {
	Reason Reason `json:"reason"`
	Bytes  int    `json:"bytes,omitempty"` // of the value's JSON
	Limit  int    `json:"limit,omitempty"` // what it would have had to be
}

// Reason is why a value was not kept as it was.
type Reason string

// The reasons.
const (
	TooLarge Reason = "too-large" // it is longer than Options.MaxValue
	Redacted Reason = "redacted"  // it holds a secret
)

// GapError refuses to load a run that is not whole.
type GapError struct {
	Run  string
	What string // "the arguments", `the output of step 3 (node "list")`
	Gap  Gap
}

// Error tells what is missing, why, and the remedy.
func (e *GapError) Error() string {
	why := "held a secret, and secrets are never written down; run the tool again"
	if e.Gap.Reason == TooLarge {
		why = fmt.Sprintf("has %d bytes and was not kept, because --history-max-value is %d; run the tool again with a higher one",
			e.Gap.Bytes, e.Gap.Limit)
	}
	return fmt.Sprintf("run %s is not kept whole: %s %s", e.Run, e.What, why)
}
