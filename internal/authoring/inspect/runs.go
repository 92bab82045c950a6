package inspect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/view"
	"toolgraph/internal/serving/toolset"
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

// DefaultValueBytes is the maximum size of a value unless the query has another.
const DefaultValueBytes = 4 << 10

// Step is one entry of a run's history.
type Step = view.Step

// Value is a recorded value: the whole or its beginning.
type Value = view.Recorded

// bounded returns a value, or its first bytes when it is longer than most; nil for nil.
func bounded(ctx context.Context, v value.Value, most int) *Value {
	if v == nil {
		return nil
	}
	if size := value.Size(v); size > most {
		return &Value{Beginning: view.Beginning(ctx, v, most, nil), Bytes: size}
	}
	text, err := value.Encode(v)
	if err != nil {
		text = []byte("null")
	}
	return &Value{Value: text, Bytes: len(text)}
}

// Outcome is the result of a run.
type Outcome struct {
	Run   string          `json:"run"`
	Value json.RawMessage `json:"value,omitempty"` // when it finished; of a pipeline also when it failed
	Error string          `json:"error,omitempty"` // when it failed
}

var errNotAllowed = errors.New("run_tool is not allowed; start toolgraph inspect with --allow-run to allow it")

// RunTool makes one run, which calls servers. The error of a run that failed is a
// *toolset.Failure with its outcome.
func (i *Inspector) RunTool(ctx context.Context, tool string, args value.Value) (*Outcome, error) {
	if i.Run == nil {
		return nil, errNotAllowed
	}
	p, g, err := i.tool(ctx, tool)
	if err != nil {
		return nil, err
	}
	result, failure := i.Run(ctx, p, g, args)
	if result == nil {
		return nil, failure
	}
	out := &Outcome{Run: result.RunID}
	made := result.Value
	if failure != nil {
		out.Error, made = p.File.Secrets.Redact(failure.Error()), result.Partial
	}
	if made != nil {
		raw, err := value.Encode(made)
		if err != nil {
			return nil, err
		}
		out.Value = p.File.Secrets.RedactJSON(raw)
	}
	if failure != nil {
		return nil, &toolset.Failure{Value: out, Err: errors.New(out.Error)}
	}
	return out, nil
}
