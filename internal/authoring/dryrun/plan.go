package dryrun

import (
	"encoding/json"
	"slices"

	"toolgraph/execution"
)

// Plan is the result of a dry run. It contains no secrets.
type Plan struct {
	Tool      string          `json:"tool"`
	Complete  bool            `json:"complete"` // the run has reached its exit
	Assumed   bool            `json:"assumed"`  // outputs or answers were assumed, so a real run may take another path
	Parts     []Parts         `json:"parts,omitempty"`
	Questions []Question      `json:"questions,omitempty"`
	Refused   []Refusal       `json:"refused,omitempty"` // calls that allow refuses
	Calls     []Call          `json:"calls"`             // in the order of their addresses
	Path      []string        `json:"path"`              // of the tool itself
	Result    json.RawMessage `json:"result,omitempty"`
	Ended     string          `json:"ended,omitempty"` // why the run could not continue
	Error     string          `json:"error,omitempty"`

	compare func(a, b execution.Address) int
}

// Compare orders two addresses of the plan: steps are in the order of the file.
func (p *Plan) Compare(a, b execution.Address) int { return p.compare(a, b) }

// Parts is an execution that makes several calls at once.
type Parts struct {
	At       execution.Address `json:"at"`
	Node     string            `json:"node"`               // its name
	Count    int               `json:"count"`              // of the items of a forEach or a step, of the branches or the steps
	Branches []string          `json:"branches,omitempty"` // of a parallel
	Steps    []string          `json:"steps,omitempty"`    // of a tool or a block that is written as steps, in file order
	Assumed  bool              `json:"assumed,omitempty"`  // outputs had been assumed before it, so a real run may have other items

	// NotReached are the branches and steps that the plan does not have, because it ended in another.
	NotReached []string `json:"notReached,omitempty"`
}

// IsRepeated reports whether an execution belongs to an item after the first: it does the same as
// that of the first, or nearly.
func (p *Parts) IsRepeated(at execution.Address) bool {
	first := p.At + ".0"
	return p.Branches == nil && p.Steps == nil && p.At.Contains(at) && at != first && !first.Contains(at)
}

// notReached returns the branches and steps of which there is neither a call nor a record.
func (p *Parts) notReached(calls []Call, history []execution.Record) []string {
	var missing []string
	for _, branch := range slices.Concat(p.Branches, p.Steps) {
		at := p.At + execution.Address("."+branch)
		isBelow := func(other execution.Address) bool { return other == at || at.Contains(other) }
		if !slices.ContainsFunc(calls, func(c Call) bool { return isBelow(c.Address()) }) &&
			!slices.ContainsFunc(history, func(r execution.Record) bool { return isBelow(r.At()) }) {
			missing = append(missing, branch)
		}
	}
	return missing
}

// Call is a call of a dry run.
type Call struct {
	Step      int               `json:"step"`
	At        execution.Address `json:"at,omitempty"` // of a part, or in a frame
	Node      string            `json:"node"`         // its name
	Server    string            `json:"server"`
	Tool      string            `json:"tool"`
	Args      json.RawMessage   `json:"args"`
	Made      bool              `json:"made"`                // the tool is read-only, so it was called
	Confirmed bool              `json:"confirmed,omitempty"` // the user has to agree before it
	Output    json.RawMessage   `json:"output,omitempty"`    // the assumed output of a call that was not made
	From      string            `json:"from,omitempty"`      // the source of the assumed output
	Error     string            `json:"error,omitempty"`
}

// Address is the place of the call.
func (c *Call) Address() execution.Address {
	if c.At != "" {
		return c.At
	}
	return execution.AddressOf("", c.Step, "")
}
