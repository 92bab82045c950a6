package journal

import (
	"errors"
	"time"

	"toolgraph/execution"
)

// Status is what has become of a run.
type Status string

// The statuses of runs.
const (
	Running     Status = "running"     // in a process that lives
	Finished    Status = "finished"    // with a value
	Failed      Status = "error"       // with a failure
	Cancelled   Status = "cancelled"   // by its client, or because its process had to end
	Interrupted Status = "interrupted" // its process is gone without having ended it
)

// Statuses are all statuses.
var Statuses = []Status{Running, Finished, Failed, Cancelled, Interrupted}

// Run is what is kept of a run beside its steps.
type Run struct {
	ID     string `json:"id"`
	Tool   string `json:"tool"`
	Status Status `json:"status"`

	File   string `json:"file,omitempty"`   // the graph file, an absolute path
	Server string `json:"server,omitempty"` // the name in that file
	Graph  string `json:"graph"`            // the graph's hash

	Args     string             `json:"args"` // the arguments as JSON, or as much of it as ArgsShown allows
	Started  time.Time          `json:"started"`
	Ended    time.Time          `json:"ended,omitzero"`
	Duration float64            `json:"duration"` // milliseconds; of a run that has not ended, up to its last step
	Steps    int                `json:"steps"`    // records of its history
	Bytes    int64              `json:"bytes"`    // what it takes in the store, about
	Durable  bool               `json:"durable,omitempty"`
	Lost     int                `json:"lost,omitempty"`    // events that were not recorded, see execution.Event
	Resumed  int                `json:"resumed,omitempty"` // how often it was resumed since its last recorded step
	Failure  *execution.Failure `json:"failure,omitempty"`

	Damaged string `json:"damaged,omitempty"` // how it differs from what was recorded; nothing else of it can be relied on then
}

// ArgsShown is how many bytes of its arguments a Run tells.
const ArgsShown = 256

// Filter selects runs; its zero fields select all.
type Filter struct {
	Tool   string
	Status Status
	File   string    // the absolute path of a graph file
	Text   string    // is in the id, the tool, the arguments or the failure, upper or lower case
	Since  time.Time // started then or later
	Until  time.Time // started before then
	Before string    // the id of a run: only those that began before it, for the next page
	Limit  int       // at most so many, the newest; 0: 50, below 0: all
}

// Step is one kept record, its output perhaps not whole.
type Step struct {
	Record execution.Record // without Output
	Output Recorded
}

// Recorded is a value as it is kept.
type Recorded struct {
	JSON      []byte // compact; the beginning of it when Cut, nil when there is none
	Bytes     int    // of the whole JSON
	Truncated bool   // JSON is only the beginning, because no more was asked for
	Gap       *Gap   // not kept as it was; JSON is then what stands for it
	Nothing   bool   // the node yielded nothing, so there is no JSON
}

// ErrNotFound is that there is no such run.
var ErrNotFound = errors.New("no such run is kept")

// Retention bounds what is kept; a zero field does not. Runs that are running are kept.
type Retention struct {
	MaxAge   time.Duration // since the run began
	MaxBytes int64         // of all runs together
	MaxRuns  int
}
