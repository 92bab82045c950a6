package authoring

import (
	"fmt"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// logged is one entry of a run's log.
type logged struct {
	Level     string      `json:"level"`
	Message   string      `json:"message"`
	Timestamp string      `json:"timestamp"` // RFC 3339
	Args      []jsonValue `json:"args,omitempty"`
}

// mostLogged bounds the log of one run.
const mostLogged = 1000

// runLog gathers what a run does, in the run's goroutine.
type runLog struct{ entries []logged }

func (l *runLog) add(at time.Time, level, message string, args ...jsonValue) {
	switch {
	case len(l.entries) < mostLogged:
		l.entries = append(l.entries, logged{Level: level, Message: message, Timestamp: at.Format(time.RFC3339Nano), Args: args})
	case len(l.entries) == mostLogged:
		l.entries = append(l.entries, logged{Level: "warn", Message: fmt.Sprintf("the log ends here: it has %d entries", mostLogged), Timestamp: at.Format(time.RFC3339Nano)})
	}
}

// rule is told what the log operator of a rule was given.
func (l *runLog) rule(v value.Value) { l.add(time.Now(), "debug", "a rule logs", jsonValue{v}) }

// Observe logs an event.
func (l *runLog) Observe(e execution.Event) {
	switch e.Kind {
	case execution.RunStarted:
		l.add(e.Time, "info", fmt.Sprintf("run of %s started", e.Start.Tool))
	case execution.CallStarted:
		args := e.Step.Args
		if value.Size(args) > mostShown {
			args = "larger than is logged"
		}
		l.add(e.Time, "info", fmt.Sprintf("node %s calls %s of server %s", e.Step.NodeID, e.Step.Tool, e.Step.Server), jsonValue{args})
	case execution.StepFinished:
		r := e.Record
		if r.Error != nil {
			l.add(e.Time, "error", fmt.Sprintf("node %s (%s) failed: %s", r.NodeID, r.NodeType, r.Error.Message))
			return
		}
		l.add(e.Time, "debug", fmt.Sprintf("node %s (%s) finished in %.2f ms", r.NodeID, r.NodeType, float64(r.Duration())/float64(time.Millisecond)))
	case execution.RunFinished:
		if e.End.Failure != nil {
			l.add(e.Time, "error", "run failed: "+e.End.Failure.Message)
			return
		}
		l.add(e.Time, "info", "run finished")
	}
}
