package authoring

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
)

// ran is how a run went. Result is null when it failed.
type ran struct {
	Result  jsonValue `json:"result"`
	Error   *failure  `json:"error,omitempty"`
	RunID   string    `json:"runId"`
	Path    []string  `json:"path"` // the nodes that the run visited
	Logging []logged  `json:"logging,omitempty"`
	History []step    `json:"executionHistory"`
	Note    string    `json:"note,omitempty"` // what was left out
}

// failure is why there is no result.
type failure struct {
	Message string          `json:"message"`
	Details *failureDetails `json:"details,omitempty"`
}

type failureDetails struct {
	Code   string   `json:"code,omitempty"`
	Detail string   `json:"detail,omitempty"`
	Node   string   `json:"nodeId,omitempty"`
	Line   int      `json:"line,omitempty"`
	Column int      `json:"column,omitempty"`
	Offset *int     `json:"offset,omitempty"` // the byte in an expression
	Path   []string `json:"path,omitempty"`   // the last nodes visited
	Stderr []string `json:"stderr,omitempty"` // the last lines of a server
	Caret  string   `json:"caret,omitempty"`  // an expression's line with the place under it
	Hint   string   `json:"hint,omitempty"`

	Structured json.RawMessage `json:"structuredContent,omitempty"` // of a tool that failed
}

func runGraphTool(ctx context.Context, k *Toolkit, v *view, a arguments) (any, error) {
	held, name, err := v.subject(a)
	if err != nil {
		return nil, notStarted(v, err)
	}
	p, err := held.live(ctx)
	if err != nil {
		return nil, notStarted(held, err)
	}
	g, err := graphOf(p, name)
	if err != nil {
		return nil, err
	}
	args := a.object("arguments")
	pool, done := k.lease(p)
	defer done()
	var opts []execution.Option
	log := &runLog{}
	if a.flag("logging") {
		ctx = jsonlogic.WithLog(ctx, log.rule)
		opts = append(opts, execution.WithObserver(log))
	}
	result, err := k.opts.Run(ctx, p, pool, g, args, opts...)
	var refused *execution.ArgumentsError
	if errors.As(err, &refused) {
		return nil, fmt.Errorf("nothing was run, because the arguments do not fit the tool's inputSchema: %w", err)
	}
	if result == nil {
		return nil, err
	}
	told := ran{RunID: result.RunID, Logging: log.entries, Error: failureOf(err), Result: jsonValue{value.Null}}
	var cut, left string
	if err == nil {
		told.Result, cut = whole(result.Value, v.secrets)
	}
	told.Path, _ = ends(pathOf(result.History), mostSteps)
	told.History, left = stepsOf(result.History, detailOf(a), v.secrets)
	if left != "" && k.opts.Runs != nil {
		left += "; readRun shows more of this run"
	} else if left != "" {
		left += "; give valueBytes for more"
	}
	told.Note = joined(cut, left)
	return told, nil
}

// pathOf is the nodes of a history.
func pathOf(history []execution.Record) []string {
	path := make([]string, len(history))
	for i, r := range history {
		path[i] = r.NodeID
	}
	return path
}

// notStarted tells why there was no run.
func notStarted(v *view, err error) error {
	var found config.Diagnostics
	if !errors.As(err, &found) {
		return err
	}
	errs, _ := found.Split()
	return fmt.Errorf("nothing was run, because the graph file with this tool has %s\n%s", mistakes(len(errs)), v.tell(errs))
}

// failureOf is an error for an agent; nil when there is none.
func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	details := &failureDetails{}
	var step *execution.StepError
	if errors.As(err, &step) {
		details.Code, details.Node, details.Path = string(step.Code()), step.Node, step.Path
		details.Line, details.Column = step.Pos.Line, step.Pos.Column
	}
	var inner *execution.Failure
	if errors.As(err, &inner) {
		details.Detail, details.Structured = inner.Detail, inner.Structured
	}
	details.concerning(err)
	if reflect.ValueOf(*details).IsZero() {
		details = nil
	}
	return &failure{Message: err.Error(), Details: details}
}
