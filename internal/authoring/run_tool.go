package authoring

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project"
	"toolgraph/internal/serving/toolset"
)

// runResult is a run. Result is null when it failed.
type runResult struct {
	Result  toolset.Value `json:"result"`
	Error   *failure      `json:"error,omitempty"`
	RunID   string        `json:"runId"`
	Path    []string      `json:"path"` // the nodes of the tool itself that the run visited
	Logging []logEntry    `json:"logging,omitempty"`
	History []shownStep   `json:"executionHistory"`
	Note    string        `json:"note,omitempty"` // what was left out
}

func (r *request) runGraphTool(ctx context.Context) (any, error) {
	files, name, err := r.subject()
	if err != nil {
		return nil, r.notStarted(err)
	}
	p, err := project.Parse(ctx, files.path, files.src, config.Options{ServersFile: files.servers})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, files.notStarted(err)
	}
	g, err := graphOf(p, name)
	if err != nil {
		return nil, err
	}
	pool, done := r.lease(p.File)
	defer done()
	var opts []execution.Option
	log := &runLog{}
	if r.Flag("logging") {
		ctx = jsonlogic.WithLog(ctx, log.rule)
		opts = append(opts, execution.WithObserver(log))
	}
	result, err := r.opts.Run(ctx, p, pool, g, r.Object("arguments"), opts...)
	var invalid *execution.ArgumentsError
	if errors.As(err, &invalid) {
		return nil, fmt.Errorf("nothing was run: the arguments do not match the tool's inputSchema: %w", err)
	}
	if result == nil {
		return nil, err
	}
	out := runResult{RunID: result.RunID, Logging: log.entries, Error: failureOf(err)}
	var valueNote, historyNote string
	if err == nil {
		out.Result, valueNote = bounded(ctx, result.Value, r.secrets)
	}
	history := result.History()
	visited, _ := ends(ownSteps(history), mostSteps)
	out.Path = make([]string, len(visited))
	for i, record := range visited {
		out.Path[i] = record.NodeID
	}
	out.History, historyNote = stepsOf(ctx, history, detailOf(r.Arguments), r.secrets)
	if historyNote != "" && r.opts.Runs != nil {
		historyNote += "; readRun shows more of this run"
	} else if historyNote != "" {
		historyNote += "; give valueBytes to see more"
	}
	out.Note = joined(valueNote, historyNote)
	return out, nil
}

// notStarted is the error about a run that was not started because of the files.
func (s *snapshot) notStarted(err error) error {
	var found config.Diagnostics
	if !errors.As(err, &found) {
		return err
	}
	errs, _ := found.Split()
	return fmt.Errorf("nothing was run: the graph file with this tool has %s\n%s", wording.Count(len(errs), "error"), s.text(errs))
}

// logEntry is one entry of a run's log.
type logEntry struct {
	Level     string          `json:"level"`
	Message   string          `json:"message"`
	Timestamp string          `json:"timestamp"` // RFC 3339
	Args      []toolset.Value `json:"args,omitempty"`
}

// mostLogged bounds the log of one run.
const mostLogged = 1000

// runLog gathers what a run does. Safe for concurrent use: the rules of parts are evaluated at the
// same time.
type runLog struct {
	mu      sync.Mutex // guards entries until the run has ended
	entries []logEntry
}

func (l *runLog) add(at time.Time, level, message string, args ...toolset.Value) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case len(l.entries) > mostLogged:
		return
	case len(l.entries) == mostLogged:
		level, message, args = "warn", fmt.Sprintf("the log is truncated after %d entries", mostLogged), nil
	}
	l.entries = append(l.entries, logEntry{Level: level, Message: message, Timestamp: at.Format(time.RFC3339Nano), Args: args})
}

// rule logs what the log operator of a rule was given.
func (l *runLog) rule(v value.Value) {
	l.add(time.Now(), "debug", "log operator of a rule", toolset.Value{Value: logged(v)})
}

// logged returns a value as the log has it. A value inside a rule may share its parts.
func logged(v value.Value) value.Value {
	if value.Exceeds(v, mostShown) {
		return "larger than is logged"
	}
	return v
}

// placeOf names a node, with its address when it is below a step of the run.
func placeOf(name string, at execution.Address) string {
	if frame, _, part := at.Split(); frame == "" && part == "" {
		return name
	}
	return fmt.Sprintf("%s at %s", name, at)
}

// Observe logs an event.
func (l *runLog) Observe(e execution.Event) {
	switch e.Kind {
	case execution.RunStarted:
		l.add(e.Time, "info", fmt.Sprintf("run of %s started", e.Start.Tool))
	case execution.CallStarted:
		l.add(e.Time, "info", fmt.Sprintf("node %s calls %s of server %s", placeOf(e.Step.Name(), e.At()), e.Step.Tool, e.Step.Server), toolset.Value{Value: logged(e.Step.Args)})
	case execution.AttemptFailed:
		l.add(e.Time, "info", fmt.Sprintf("node %s is attempted again in %d ms: %s", placeOf(e.Step.Name(), e.At()), e.Retry.WaitMs, e.Retry.Error.Message))
	case execution.PartsStarted:
		l.add(e.Time, "info", fmt.Sprintf("node %s makes %s", placeOf(e.Step.Name(), e.At()), wording.Count(e.Parts.Count, "call")))
	case execution.StepFinished:
		r, node := e.Record, placeOf(e.Record.Name(), e.At())
		switch {
		case r.Error != nil:
			l.add(e.Time, "error", fmt.Sprintf("node %s (%s) failed: %s", node, r.NodeType, r.Error.Message))
			return
		case r.Handled != nil:
			l.add(e.Time, "info", fmt.Sprintf("node %s (%s) failed, which its onError handles: %s", node, r.NodeType, r.Handled.Message))
			return
		}
		l.add(e.Time, "debug", fmt.Sprintf("node %s (%s) finished in %.2f ms", node, r.NodeType, float64(r.Duration())/float64(time.Millisecond)))
	case execution.RunFinished:
		if e.End.Failure != nil {
			l.add(e.Time, "error", "run failed: "+e.End.Failure.Message)
			return
		}
		l.add(e.Time, "info", "run finished")
	}
}
