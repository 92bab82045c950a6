package page

import (
	"strings"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/debug"
)

// info is a run as lists and events show it.
type info struct {
	ID       string       `json:"id"`
	Tool     string       `json:"tool"`
	Graph    string       `json:"graph"`  // its hash
	Status   string       `json:"status"` // of debug.Status and journal.Status; a stopped run is cancelled
	Live     bool         `json:"live"`   // in this process: it takes commands while it is not over
	Args     string       `json:"args"`   // a preview
	Started  time.Time    `json:"started"`
	Ended    *time.Time   `json:"ended"`
	MS       float64      `json:"ms"`
	Steps    int          `json:"steps"` // records, edits among them
	Rev      int          `json:"rev"`   // of two of the same run, the one with more is newer
	PausedBy debug.Reason `json:"pausedBy"`
	Problem  string       `json:"problem"` // why a breakpoint's condition failed
	Next     *nextJSON    `json:"next"`    // the node about to run, or that runs
	Error    *failureJSON `json:"error"`
	Warning  string       `json:"warning"` // the value does not fit the outputSchema
}

type nextJSON struct {
	Index int    `json:"index"`
	Node  string `json:"node"`
}

// failureJSON is why a step or a run failed.
type failureJSON struct {
	Code    execution.Code `json:"code"`
	Detail  string         `json:"detail,omitempty"`
	Message string         `json:"message"`
	Node    string         `json:"node,omitempty"`
	Line    int            `json:"line,omitempty"`
	Column  int            `json:"column,omitempty"`
	Caret   string         `json:"caret,omitempty"` // the line with a caret under the place
}

func failureOf(f *execution.Failure) *failureJSON {
	if f == nil {
		return nil
	}
	out := &failureJSON{Code: f.Code, Detail: f.Detail, Message: f.Message, Node: f.Node, Line: f.Pos.Line, Column: f.Pos.Column}
	out.Message, out.Caret = cutCaret(out.Message)
	return out
}

// cutCaret parts a message from the two lines at its end that point into an expression.
func cutCaret(message string) (rest, caret string) {
	lines := strings.Split(message, "\n")
	n := len(lines)
	if n < 3 || strings.TrimSpace(lines[n-1]) != "^" {
		return message, ""
	}
	return strings.Join(lines[:n-2], "\n"), strings.Join(lines[n-2:], "\n")
}

// keptInfo is a run of the store.
func keptInfo(run journal.Run, secrets *config.Secrets) info {
	out := info{
		ID: run.ID, Tool: run.Tool, Graph: run.Graph, Status: string(run.Status), Args: secrets.Redact(run.Args), Started: run.Started,
		MS: run.Duration, Steps: run.Steps, Error: failureOf(hiddenFailure(secrets, run.Failure)),
	}
	if !run.Ended.IsZero() {
		out.Ended = &run.Ended
	}
	if run.Damaged != "" {
		out.Status, out.Error = "damaged", &failureJSON{Message: "the run is damaged: " + run.Damaged}
	}
	return out
}

// update takes over what a session says of itself.
func (i *info) update(state debug.State, secrets *config.Secrets) {
	i.Status, i.PausedBy, i.Steps = string(state.Status), state.PausedBy, state.Records
	i.Problem, i.Next, i.Error = secrets.Redact(state.Problem), nil, failureOf(hiddenFailure(secrets, state.Error))
	if state.Status == debug.Stopped {
		i.Status = string(journal.Cancelled)
	}
	switch {
	case state.Next != nil:
		i.Next = &nextJSON{Index: state.Records, Node: state.Next.NodeID}
	case state.Current != nil:
		i.Next = &nextJSON{Index: state.Records, Node: state.Current.NodeID}
	}
	end := time.Now()
	if i.Ended != nil {
		end = *i.Ended
	} else if state.Status.Ended() {
		i.Ended = &end
	}
	i.MS = float64(end.Sub(i.Started).Microseconds()) / 1000
}
