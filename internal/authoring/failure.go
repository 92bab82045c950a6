package authoring

import (
	"cmp"
	"encoding/json"
	"errors"
	"reflect"

	"toolgraph/execution"
	"toolgraph/graph"
	"toolgraph/internal/authoring/view"
	"toolgraph/mcpclient"
)

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
	Caret  string   `json:"caret,omitempty"`  // an expression's line with a caret under the place
	Hint   string   `json:"hint,omitempty"`

	Structured json.RawMessage `json:"structuredContent,omitempty"` // of a tool that failed

	Part    string             `json:"part,omitempty"`    // number of the item, from 0, or name of the branch
	Callers []execution.Caller `json:"callers,omitempty"` // the called tools in which it failed, innermost first
}

// failureOf returns an error for an agent, nil for nil.
func failureOf(err error) *failure { return failureIn("", err) }

// failureIn returns the failure of an expression with its source.
func failureIn(source string, err error) *failure {
	if err == nil {
		return nil
	}
	d := &failureDetails{}
	var step *execution.StepError
	if errors.As(err, &step) {
		d.Code, d.Node, d.Path = string(step.Code()), step.Node, step.Path
		d.Line, d.Column = step.Pos.Line, step.Pos.Column
	}
	var inner *execution.Failure
	if errors.As(err, &inner) {
		d.Detail, d.Structured, d.Part, d.Callers = inner.Detail, inner.Structured, inner.Part, inner.Callers
	}
	problem := view.ProblemOf(source, err)
	switch problem.Kind {
	case "rule", "syntax":
		problem.Code = problem.Kind
	case "json":
		problem.Offset = -1 // of the answer of a server
	}
	d.Code, d.Hint = cmp.Or(d.Code, problem.Code), problem.Hint
	if problem.Offset >= 0 {
		d.Offset = &problem.Offset
	}
	if source != "" {
		d.Caret = problem.Caret
	}
	var placed *graph.PlacedError
	if errors.As(err, &placed) {
		d.Caret = placed.Caret
	}
	var upstream *mcpclient.Error
	if errors.As(err, &upstream) {
		d.Code, d.Stderr, d.Structured = cmp.Or(d.Code, upstream.Code), upstream.Stderr, upstream.Structured
		d.Hint = upstream.Hint
	}
	f := &failure{Message: err.Error(), Details: d}
	if reflect.ValueOf(*d).IsZero() {
		f.Details = nil
	}
	return f
}
