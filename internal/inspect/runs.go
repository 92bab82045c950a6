package inspect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/wording"
)

// Runs are recorded runs, the newest first.
type Runs struct {
	Runs []journal.Run `json:"runs"`
	Next string        `json:"next,omitempty"` // before of the next page; empty at the end
}

// ListRuns returns the runs that a filter selects; only those of the file when there is one.
func (i *Inspector) ListRuns(ctx context.Context, f journal.Filter) (*Runs, error) {
	s, err := i.store()
	if err != nil {
		return nil, err
	}
	if i.File != "" {
		if f.File, err = i.ofFile(); err != nil {
			return nil, err
		}
	}
	limit := cmp.Or(f.Limit, journal.DefaultList)
	if limit > 0 {
		f.Limit = limit + 1 // one more shows whether there is a next page
	}
	runs, err := s.List(ctx, f)
	if err != nil {
		return nil, err
	}
	out := &Runs{Runs: append([]journal.Run{}, runs...)}
	if limit > 0 && len(runs) > limit {
		out.Runs, out.Next = out.Runs[:limit], runs[limit-1].ID
	}
	return out, nil
}

// RunQuery selects one run and what is shown of it.
type RunQuery struct {
	Run        string // an id, the beginning of one, or "last"
	From       int    // the first step
	Limit      int    // at most so many steps; 0: 100
	ValueBytes int    // of each value; 0: DefaultValueBytes, below 0: all
	Context    *int   // also return the context that the expressions of this step saw; nil: no
}

const defaultSteps = 100

// Run is a recorded run.
type Run struct {
	journal.Run
	Arguments Value            `json:"arguments"`
	History   []Step           `json:"history"`
	Context   map[string]Value `json:"context,omitempty"` // by node: its latest output before that step, unless it is nothing
	Next      int              `json:"next,omitempty"`    // from of the next steps; 0 at the end
}

// Step is one entry of a run's history.
type Step struct {
	Index    int                `json:"executionIndex"`
	Node     string             `json:"nodeId"`
	Type     config.NodeType    `json:"nodeType"`
	Started  time.Time          `json:"startTime"`
	Duration float64            `json:"duration"` // milliseconds
	Output   *Value             `json:"output,omitempty"`
	Nothing  bool               `json:"nothing,omitempty"` // the node yielded nothing
	Error    *execution.Failure `json:"error,omitempty"`
}

// ReadRun returns a run with its steps.
func (i *Inspector) ReadRun(ctx context.Context, q RunQuery) (*Run, error) {
	s, err := i.store()
	if err != nil {
		return nil, err
	}
	most := max(0, cmp.Or(q.ValueBytes, DefaultValueBytes))
	recorded, err := i.find(ctx, s, q.Run)
	if err != nil {
		return nil, err
	}
	args, err := s.Arguments(ctx, recorded.ID, most)
	if err != nil {
		return nil, err
	}
	steps, err := s.Steps(ctx, recorded.ID, q.From, cmp.Or(q.Limit, defaultSteps), most)
	if err != nil {
		return nil, err
	}
	out := &Run{Run: recorded, Arguments: valueOf(args), History: make([]Step, len(steps))}
	for n, step := range steps {
		out.History[n] = stepOf(step)
	}
	if q.Context != nil {
		if out.Context, err = contextOf(ctx, s, recorded, *q.Context, most); err != nil {
			return nil, err
		}
	}
	if end := q.From + len(steps); len(steps) > 0 && end < recorded.Steps {
		out.Next = end
	}
	return out, nil
}

// contextOf returns the context of a step: the latest output of each node before it.
func contextOf(ctx context.Context, s *journal.Store, run journal.Run, step, most int) (map[string]Value, error) {
	if step < 0 || step > run.Steps {
		return nil, fmt.Errorf("run %s has %d steps; step %d has no context", run.ID, run.Steps, step)
	}
	const page = 100 // bounds the memory: only latest outputs are held
	seen := map[string]Value{}
	for from := 0; from < step; from += page {
		before, err := s.Steps(ctx, run.ID, from, min(page, step-from), most)
		if err != nil {
			return nil, err
		}
		for _, b := range before {
			switch {
			case b.Record.Error != nil:
			case b.Output.Nothing:
				delete(seen, b.Record.NodeID)
			default:
				seen[b.Record.NodeID] = valueOf(b.Output)
			}
		}
	}
	return seen, nil
}

func stepOf(s journal.Step) Step {
	r := s.Record
	step := Step{
		Index: r.Index, Node: r.NodeID, Type: r.NodeType, Started: r.Start,
		Duration: float64(r.Duration().Microseconds()) / 1000, Error: r.Error,
		Nothing: s.Output.Nothing,
	}
	if r.Error == nil && !step.Nothing {
		output := valueOf(s.Output)
		step.Output = &output
	}
	return step
}

// DefaultValueBytes is the maximum size of a value unless the query has another.
const DefaultValueBytes = 4 << 10

// Value is a recorded value: the whole or its beginning.
type Value struct {
	Value     json.RawMessage `json:"value,omitempty"`     // when it is whole
	Beginning string          `json:"beginning,omitempty"` // of its JSON, when it is longer than the maximum
	Bytes     int             `json:"bytes"`               // of the whole JSON
	Gap       *journal.Gap    `json:"gap,omitempty"`       // why it was not recorded unchanged; nil when it was
}

// Whole reports whether the value is complete.
func (v Value) Whole() bool { return v.Beginning == "" && v.Gap == nil }

// Text returns the value as one line.
func (v Value) Text() string {
	if v.Beginning != "" {
		return v.Beginning + "…"
	}
	return string(v.Value)
}

func valueOf(k journal.Recorded) Value {
	if k.Truncated && k.Gap == nil || k.Truncated && k.Gap.Reason == journal.Redacted {
		return Value{Beginning: string(k.JSON), Bytes: k.Bytes, Gap: k.Gap}
	}
	return Value{Value: k.JSON, Bytes: k.Bytes, Gap: k.Gap}
}

// bounded returns a value, or its first bytes when it is longer than most; nil for nil.
func bounded(v value.Value, most int) *Value {
	if v == nil {
		return nil
	}
	text, err := value.Encode(v)
	if err != nil {
		text = []byte("null")
	}
	if len(text) > most {
		return &Value{Beginning: wording.Head(string(text), most), Bytes: len(text)}
	}
	return &Value{Value: text, Bytes: len(text)}
}

// Outcome is the result of a run.
type Outcome struct {
	Run   string          `json:"run"`
	Value json.RawMessage `json:"value,omitempty"` // when it finished
	Error string          `json:"error,omitempty"` // when it failed
}

var errNotAllowed = errors.New("run_tool is not allowed; start toolgraph inspect with --allow-run to allow it")

// RunTool makes one run, which calls servers. Its failure is part of the outcome.
func (i *Inspector) RunTool(ctx context.Context, tool string, args value.Value) (*Outcome, error) {
	if i.Run == nil {
		return nil, errNotAllowed
	}
	p, g, err := i.tool(ctx, tool)
	if err != nil {
		return nil, err
	}
	result, err := i.Run(ctx, p, g, args)
	if result == nil {
		return nil, err
	}
	out := &Outcome{Run: result.RunID}
	if err != nil {
		out.Error = p.File.Secrets.Redact(err.Error())
		return out, nil
	}
	raw, err := value.Encode(result.Value)
	out.Value = p.File.Secrets.RedactJSON(raw)
	return out, err
}
