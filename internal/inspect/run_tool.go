package inspect

import (
	"context"
	"encoding/json"
	"errors"

	"toolgraph/expressions/value"
)

// Outcome is what a run came to.
type Outcome struct {
	Run   string          `json:"run"`
	Value json.RawMessage `json:"value,omitempty"` // when it finished
	Error string          `json:"error,omitempty"` // when it did not
}

// errNotAllowed refuses runs.
var errNotAllowed = errors.New("run_tool is not allowed here; toolgraph inspect --allow-run allows it")

// RunTool makes one run, which calls servers. Its failure is part of the answer.
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
	told := &Outcome{Run: result.RunID}
	if err != nil {
		told.Error = p.File.Secrets.Redact(err.Error())
		return told, nil
	}
	raw, err := value.Encode(result.Value)
	told.Value = p.File.Secrets.RedactJSON(raw)
	return told, err
}
