package graphtest

import (
	"encoding/json"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// Status is how a case went.
type Status string

// The statuses of a Result.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Skipped Status = "skipped"
)

// Result is how one case went. Secrets are kept out of everything in it.
type Result struct {
	Suite      *Suite
	Case       *Case
	Status     Status
	Why        string      // why it was skipped
	Problems   []Problem   // what is not as expected, when it failed
	Value      value.Value // of the run; nil when it failed
	Failure    string      // of the run; "" when it gave a value
	Records    []execution.Record
	Calls      []Call
	Divergence string // where the run first left the expected or recorded way, when it failed and that is known
	Duration   time.Duration

	graph *graph.Graph
}

// Path is the nodes that the run walked.
func (r *Result) Path() []string {
	path := make([]string, len(r.Records))
	for i, record := range r.Records {
		path[i] = record.NodeID
	}
	return path
}

// MarshalJSON gives file, graph, test, tool, line, status, why, problems, path,
// divergence, value or error, calls and durationMs.
func (r *Result) MarshalJSON() ([]byte, error) {
	out := resultView{
		File: r.Suite.Path, Graph: r.Suite.Graph, Test: r.Case.Name, Tool: r.Case.Tool.Value, Line: r.Case.Pos.Line,
		Status: r.Status, Why: r.Why, Error: r.Failure, Path: r.Path(), Divergence: r.Divergence,
		DurationMs: float64(r.Duration.Microseconds()) / 1000,
	}
	for _, p := range r.Problems {
		out.Problems = append(out.Problems, problemView{What: p.What, Pos: p.Pos, Text: p.Text()})
	}
	var err error
	if r.Value != nil {
		if out.Value, err = value.Encode(r.Value); err != nil {
			return nil, err
		}
	}
	for _, c := range r.Calls {
		view := callView{Node: c.Node, Server: c.Server, Tool: c.Tool, Source: c.Source}
		if view.Args, err = value.Encode(c.Args); err != nil {
			return nil, err
		}
		out.Calls = append(out.Calls, view)
	}
	return json.Marshal(out)
}

type resultView struct {
	File       string          `json:"file"`
	Graph      string          `json:"graph"`
	Test       string          `json:"test"`
	Tool       string          `json:"tool"`
	Line       int             `json:"line"`
	Status     Status          `json:"status"`
	Why        string          `json:"why,omitempty"`
	Problems   []problemView   `json:"problems,omitempty"`
	Path       []string        `json:"path"`
	Divergence string          `json:"divergence,omitempty"`
	Value      json.RawMessage `json:"value,omitempty"`
	Error      string          `json:"error,omitempty"`
	Calls      []callView      `json:"calls,omitempty"`
	DurationMs float64         `json:"durationMs"`
}

type problemView struct {
	What string     `json:"what"`
	Pos  config.Pos `json:"pos,omitzero"`
	Text string     `json:"text"`
}

type callView struct {
	Node   string          `json:"node"`
	Server string          `json:"server"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Source Source          `json:"source"`
}
