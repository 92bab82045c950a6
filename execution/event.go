package execution

import (
	"encoding/json"
	"time"

	"toolgraph/config"
	"toolgraph/execution/call"
	"toolgraph/expressions"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// EventKind is what happened.
type EventKind string

// The kinds of events, in the order in which they come.
const (
	RunStarted    EventKind = "run-started"
	StepReady     EventKind = "step-ready"     // only for a Gate, never recorded
	CallStarted   EventKind = "call-started"   // before a call, or another attempt of it, leaves the process
	AttemptFailed EventKind = "attempt-failed" // of a call that is attempted again
	PartsStarted  EventKind = "parts-started"  // before the first part of a forEach or a parallel
	QuestionAsked EventKind = "question-asked" // before an ask, or a call that the user has to confirm, puts its question
	Answered      EventKind = "answered"       // the user has answered, or has not in time
	StepFinished  EventKind = "step-finished"
	ContextEdited EventKind = "context-edited" // a debugger replaced an output while the run was paused
	RunFinished   EventKind = "run-finished"

	// RunSuspended is for observers only: nothing more of the run happens here, and it has not ended.
	RunSuspended EventKind = "run-suspended"
)

// Event is one entry of a run's journal. Which fields are set depends on Kind.
type Event struct {
	Kind EventKind `json:"kind"`
	Run  string    `json:"run"`
	Time time.Time `json:"time"`

	Start *Start `json:"start,omitempty"` // run-started
	Step  *Visit `json:"step,omitempty"`  // step-ready, call-started, attempt-failed, parts-started, question-asked, answered
	Retry *Retry `json:"retry,omitempty"` // attempt-failed
	Parts *Parts `json:"parts,omitempty"` // parts-started

	Question *Question `json:"question,omitempty"` // question-asked
	Answer   *Answer   `json:"answer,omitempty"`   // answered

	Record *Record `json:"record,omitempty"` // step-finished, context-edited
	End    *End    `json:"end,omitempty"`    // run-finished

	// Lost is set by a journal: so many events of the run right before this one were not
	// recorded. A run with lost events cannot be resumed.
	Lost int `json:"lost,omitempty"`

	// Sync marks the events whose loss could do harm or leave an in-doubt call: the start and
	// the record of a call that is not safe to repeat, edits, and the start and the end of a run
	// that happens once, see WithCaller. A journal that outlives the process has such a
	// run-started or run-finished, or such a call-started and what identifies
	// its run, before Append returns; other events of calls do not wait for more.
	Sync bool `json:"-"`
	// Scope is the scope of the step's expressions (step-ready); only valid until the Gate
	// that gets it returns.
	Scope *expressions.Scope `json:"-"`
	// Graph is the graph of the step's frame (step-ready).
	Graph *graph.Graph `json:"-"`
	// Turn is passed on by the Gate when it holds this part (step-ready).
	Turn *Turn `json:"-"`
}

// Turn keeps the order of parts that run at once: each comes to the Gate when the one before it
// begins its call, or is held there.
type Turn struct{ next func() }

// Pass lets the part after this one come to the Gate. It does nothing for nil.
func (t *Turn) Pass() {
	if t != nil && t.next != nil {
		t.next()
	}
}

// At returns the address of the event's step or record; empty for events of the run.
func (e *Event) At() Address {
	switch {
	case e.Record != nil:
		return e.Record.At()
	case e.Step != nil:
		return e.Step.At()
	}
	return ""
}

// Start is how a run began.
type Start struct {
	Tool  string
	Graph string // the graph's hash
	Args  value.Value
	Vars  value.Value // an object: the constants that the graph and those that it calls read, see graph.ReadVars; nil: none

	ForkedFrom string // RUN/ADDRESS: the step at which this run was forked from another, see Engine.Fork; else empty
	Copied     int    // of a fork: so many events after this one are copied or edits, and were there before it went on

	// Changing are the steps that may change something, as tool:users.save: for the order of steps, which is
	// decided once. Nil where the run has no steps.
	Changing []string
	// Asking are the steps of a plan about whose calls the user is asked, likewise: they keep the order that follows.
	Asking []string

	Subject string // a digest of whose client made the run, see WithSubject; empty: it had no subject

	Caller string // what only the same request of the same client can repeat, see WithCaller; empty: nothing joins the run
}

// IsOf reports whether a run was started on a graph, apart from the values of constants: those of the run
// count.
func (s *Start) IsOf(g *graph.Graph) bool { return s.Graph == g.HashWith(s.Vars) }

// Visit is a step that is about to happen, or a part of one.
type Visit struct {
	Frame    Address         `json:"frame,omitempty"`
	Index    int             `json:"executionIndex"`
	Part     string          `json:"part,omitempty"`
	Graph    string          `json:"graph,omitempty"` // the tool whose graph the frame runs; empty for the run's own
	NodeID   string          `json:"nodeId"`
	NodeType config.NodeType `json:"nodeType"`          // of a branch: that of the branch
	Attempt  int             `json:"attempt,omitempty"` // call-started, attempt-failed: from 2 on; 0 is the first

	Server string      `json:"server,omitempty"` // of an mcp node
	Tool   string      `json:"tool,omitempty"`   // of an mcp node; of a graph node the tool of the file
	Args   value.Value `json:"-"`                // call-started; not recorded: they follow from the records
	Digest string      `json:"digest,omitempty"` // call-started; of Args, to recognise the call
	Task   string      `json:"task,omitempty"`   // of another call-started of the same attempt: the server has answered with the task of this id
}

// At returns the address of the step or part.
func (v *Visit) At() Address { return AddressOf(v.Frame, v.Index, v.Part) }

// Name returns the name of the node for mocks, breakpoints, expectations and coverage.
func (v *Visit) Name() string { return call.NameOf(v.Graph, v.NodeID, v.Part) }

// Retry is a failed attempt, and the wait before the next one.
type Retry struct {
	Attempt
	WaitMs int64 `json:"waitMs"`
}

// Parts are the parts of an execution that makes several calls.
type Parts struct {
	Count    int      `json:"count"`
	Digest   string   `json:"digest,omitempty"`   // of the items of a forEach
	Branches []string `json:"branches,omitempty"` // of a parallel, or the steps of a block, in file order
}

// End is how a run ended: with a value or with a failure.
type End struct {
	Value   value.Value
	Failure *Failure
	Spilled int   // bytes of Value as compact JSON when it exceeds executionLimits.maxResultBytes, so that the client got a summary; else 0
	Used    *Used // what the run has used; nil: it was not counted, as by earlier versions
}

type startJSON struct {
	Tool  string     `json:"tool"`
	Graph string     `json:"graph"`
	Args  value.JSON `json:"args"`
	Vars  value.JSON `json:"vars,omitzero"`

	ForkedFrom string `json:"forkedFrom,omitempty"`
	Caller     string `json:"caller,omitempty"`
	Subject    string `json:"subject,omitempty"`
	Copied     int    `json:"copied,omitempty"`

	Changing []string `json:"changing,omitempty"`
	Asking   []string `json:"asking,omitempty"`
}

// MarshalJSON writes tool, graph, args and, where there are some, vars; forkedFrom and copied of a fork.
func (s Start) MarshalJSON() ([]byte, error) {
	return json.Marshal(startJSON{
		Tool: s.Tool, Graph: s.Graph, Args: value.JSON{Value: s.Args}, Vars: value.JSON{Value: s.Vars}, ForkedFrom: s.ForkedFrom, Copied: s.Copied, Caller: s.Caller, Subject: s.Subject,
		Changing: s.Changing, Asking: s.Asking,
	})
}

// UnmarshalJSON is the reverse of MarshalJSON.
func (s *Start) UnmarshalJSON(src []byte) error {
	var in startJSON
	err := json.Unmarshal(src, &in)
	*s = Start{Tool: in.Tool, Graph: in.Graph, Args: in.Args.Value, Vars: in.Vars.Value, ForkedFrom: in.ForkedFrom, Copied: in.Copied, Caller: in.Caller, Subject: in.Subject, Changing: in.Changing, Asking: in.Asking}
	return err
}

type endJSON struct {
	Value   value.JSON `json:"value,omitzero"`
	Failure *Failure   `json:"failure,omitempty"`
	Spilled int        `json:"spilled,omitempty"`
	Used    *Used      `json:"usage,omitempty"`
}

// MarshalJSON writes value, and spilled where it applies, or failure; and usage.
func (e End) MarshalJSON() ([]byte, error) {
	if e.Failure != nil {
		return json.Marshal(endJSON{Failure: e.Failure, Used: e.Used})
	}
	return json.Marshal(endJSON{Value: value.JSON{Value: orNull(e.Value)}, Spilled: e.Spilled, Used: e.Used})
}

// UnmarshalJSON is the reverse of MarshalJSON.
func (e *End) UnmarshalJSON(src []byte) error {
	var in endJSON
	err := json.Unmarshal(src, &in)
	*e = End{Value: in.Value.Value, Failure: in.Failure, Spilled: in.Spilled, Used: in.Used}
	if in.Failure == nil {
		e.Value = orNull(e.Value)
	}
	return err
}

// orNull returns the value, or null when there is none.
func orNull(v value.Value) value.Value {
	if v == nil {
		return value.Null
	}
	return v
}
