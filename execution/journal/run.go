package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// Status is the status of a run.
type Status string

// The statuses of runs.
const (
	Running     Status = "running"     // its process is alive
	Waiting     Status = "waiting"     // likewise, and a question to its user is open; or the run is parked
	Finished    Status = "finished"    // with a value
	Failed      Status = "error"       // with a failure
	Cancelled   Status = "cancelled"   // by its client, or because its process was stopped
	Interrupted Status = "interrupted" // its process ended before it
)

// Statuses are all statuses.
var Statuses = []Status{Running, Waiting, Finished, Failed, Cancelled, Interrupted}

// Run is a recorded run without its steps.
type Run struct {
	ID     string `json:"id"`
	Tool   string `json:"tool"`
	Status Status `json:"status"`

	File   string `json:"file,omitempty"`   // the graph file, an absolute path
	Server string `json:"server,omitempty"` // the name in that file
	Graph  string `json:"graph"`            // the graph's hash

	Args     string             `json:"args"` // the first ArgsShown bytes of the arguments as JSON
	Started  time.Time          `json:"started"`
	Ended    time.Time          `json:"ended,omitzero"`
	Duration float64            `json:"duration"`         // milliseconds; of a run that has not ended, up to its last step
	Steps    int                `json:"steps"`            // records of its history
	Nested   int                `json:"nested,omitempty"` // of these, records in the frames of called graphs and of parts
	Bytes    int64              `json:"bytes"`            // in the store, about
	Durable  bool               `json:"durable,omitempty"`
	Lost     int                `json:"lost,omitempty"`    // events that were not recorded, see execution.Event
	Resumed  int                `json:"resumed,omitempty"` // how often it was resumed since its last recorded step
	Failure  *execution.Failure `json:"failure,omitempty"`

	Question  *Asked   `json:"question,omitempty"`  // the open one, also of an interrupted run; nil: none
	Beside    []*Asked `json:"beside,omitempty"`    // the other open ones, see execution.AtOnce
	Questions int      `json:"questions,omitempty"` // how often its user was asked
	Spilled   int      `json:"spilled,omitempty"`   // see execution.End
	Usage     *Usage   `json:"usage,omitempty"`     // nil: the run has not ended, or an earlier version has recorded it

	Owner   string   `json:"-"`                 // the name of the process that has, or had, the run
	Process *Process `json:"process,omitempty"` // the process of a run in progress: its host and number; nil of earlier versions

	ForkedFrom string `json:"forkedFrom,omitempty"` // RUN/ADDRESS, see execution.Start

	Parked bool      `json:"parked,omitempty"` // it waits without a process, see Store.Park
	Due    time.Time `json:"due,omitzero"`     // when a parked run goes on without an answer; zero: never, or at once

	Old bool `json:"old,omitempty"` // it is beyond the bounds of the store, and not deleted because it can continue

	Damaged string `json:"damaged,omitempty"` // how it differs from what was recorded; no other field is reliable then
}

// InProgress reports whether the process of the run is alive.
func (r Run) InProgress() bool { return !r.Parked && (r.Status == Running || r.Status == Waiting) }

// CanResume reports whether any process may claim the run to go on with it: it is interrupted or parked.
func (r Run) CanResume() bool { return r.Status == Interrupted || r.Parked }

// HasEnded reports whether the run is over, also because of an in-doubt call.
func (r Run) HasEnded() bool { return !r.InProgress() && !r.CanResume() }

// canContinue reports whether the run may continue, so that retention does not delete it: it is in
// progress, waits for an answer, is interrupted, or has an in-doubt call that can be resolved.
func (r Run) canContinue() bool {
	return !r.HasEnded() || r.Failure != nil && r.Failure.Code == execution.CodeOutcomeUnknown
}

func (r Run) facts() facts {
	return facts{Question: r.Question, Beside: r.Beside, Questions: r.Questions, Spilled: r.Spilled, Forked: r.ForkedFrom, Used: (*usedText)(r.Usage.used())}
}

// ArgsShown is how many bytes of its arguments a Run has.
const ArgsShown = 256

// Filter selects runs; its zero fields select all.
type Filter struct {
	Tool   string
	Status Status
	File   string    // the absolute path of a graph file
	Text   string    // part of the id, the tool, the arguments or the failure, in upper or lower case
	Since  time.Time // started then or later
	Until  time.Time // started before then
	Before string    // the id of a run: only those that began before it, for the next page
	Limit  int       // at most so many, the newest; 0: 50, below 0: all
	Old    bool      // see Run
}

// Step is one recorded step.
type Step struct {
	Record execution.Record // without Output
	Output Recorded
}

// Recorded is a value in the store.
type Recorded struct {
	JSON      []byte // compact; its beginning when Truncated, nil for no value
	Bytes     int    // of the whole JSON
	Truncated bool   // JSON is only the beginning, as the caller has asked
	Gap       *Gap   // the value was not recorded unchanged; JSON is what was recorded
	Nothing   bool   // the node yielded nothing, so there is no JSON
}

// ErrNotFound is the error for a run that the store does not have.
var ErrNotFound = errors.New("run not found")

// Gap is why a value was not recorded unchanged.
type Gap struct {
	Reason Reason `json:"reason"`
	Bytes  int    `json:"bytes,omitempty"` // of the value's JSON
	Limit  int    `json:"limit,omitempty"` // the most that it may have
}

// Reason is why a value was not recorded unchanged.
type Reason string

// The reasons.
const (
	TooLarge  Reason = "too-large" // it is longer than Options.MaxValue
	Redacted  Reason = "redacted"  // it had a secret, which was replaced
	Unwritten Reason = "unwritten" // the store could not be written, and the queue was full
)

// noteKey is the one key of an object in place of a value that was not recorded.
const noteKey = "toolgraph/notKept"

// note returns the JSON in place of the value.
func (g *Gap) note() []byte {
	text, err := json.Marshal(map[string]*Gap{noteKey: g})
	if err != nil {
		return []byte(`null`) // this does not happen
	}
	return text
}

// value returns the note as a value.
func (g *Gap) value() value.Value {
	v, err := value.Decode(g.note())
	if err != nil {
		return value.Null // this does not happen
	}
	return v
}

// GapOf returns the gap of a note, as events from Store.Load have it; ok is false for any other
// value.
func GapOf(v value.Value) (gap Gap, ok bool) {
	note, ok := v.(value.Object)
	if !ok || note.Len() != 1 {
		return Gap{}, false
	}
	inner, ok := note.Get(noteKey)
	if !ok {
		return Gap{}, false
	}
	text, err := value.Encode(inner)
	if err != nil || json.Unmarshal(text, &gap) != nil || gap.Reason == "" {
		return Gap{}, false
	}
	return gap, true
}

// GapError is the error of loading a run to resume it when it was not recorded completely.
type GapError struct {
	Run  string
	What string // "its arguments", `the output of step 3 (node "list")`
	Gap  Gap
}

// Error names the missing part, the reason and the remedy.
func (e *GapError) Error() string {
	why := "had a secret, and secrets are not recorded; run the tool again"
	switch e.Gap.Reason {
	case Unwritten:
		why = "could not be recorded, because the store was locked or full for too long; run the tool again"
	case TooLarge:
		why = fmt.Sprintf("has %d bytes and was not recorded, because a value may have %d; run the tool again with a higher --history-max-value",
			e.Gap.Bytes, e.Gap.Limit)
	}
	return fmt.Sprintf("run %s is not recorded completely: %s %s", e.Run, e.What, why)
}

// State is the state of a store.
type State struct {
	Path     string // of the database
	Exists   bool   // a run was recorded
	Readable bool   // by other users of this machine
	Remote   bool   // it is on a server, not in a directory
	Runs     int
	Old      int   // see Run.Old
	Bytes    int64 // of its files
	Keep     Policy
	HasKeep  bool // a policy is recorded
}

// State returns the state of the store without changing it. The error is why it cannot be used.
func (s *Store) State(ctx context.Context) (State, error) {
	state := State{Path: s.Path()}
	var server Remote
	server, state.Remote = s.data.(Remote)
	db, err := s.reader(ctx)
	if errors.Is(err, ErrNoStore) {
		if state.Remote {
			return state, server.CanCreate(ctx)
		}
		return state, nil
	}
	if err != nil {
		return state, err
	}
	state.Exists = true
	// Each status is a part of the text, so that its index is used; all others are counted.
	const open = `SELECT started FROM runs WHERE status = `
	err = db.QueryRowContext(ctx, `SELECT (SELECT CAST(coalesce(sum(runs), 0) AS BIGINT) FROM totals) + count(*), coalesce(sum(CASE WHEN `+isOld+` THEN 1 ELSE 0 END), 0) FROM (`+
		open+`'running' UNION ALL `+open+`'interrupted' UNION ALL `+open+`'error' AND failure LIKE '`+unknownOutcome+`') AS runs`).Scan(&state.Runs, &state.Old)
	if err != nil {
		return state, s.readFault(err)
	}
	if state.Keep, state.HasKeep, err = policyOf(ctx, db); err != nil {
		return state, s.readFault(err)
	}
	err = s.data.State(ctx, &state)
	return state, s.readFault(err)
}
