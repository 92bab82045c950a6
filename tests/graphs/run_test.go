package graphs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// mock is the upstream server; reference/main.mjs has the same.
type mock struct{}

func (mock) CallTool(_ context.Context, c execution.Call) (value.Value, error) {
	tool, args := c.Tool, c.Args
	o, ok := args.(value.Object)
	if !ok {
		return nil, fmt.Errorf("arguments are %T", args)
	}
	switch tool {
	case "echo":
		return args, nil
	case "pick":
		v, _ := o.Get("value")
		return v, nil
	case "wrap":
		return value.NewObject([]string{"items", "total"}, []value.Value{[]any{args}, float64(o.Len())}), nil
	}
	return nil, errors.New("the tool failed")
}

// ourRun is a run in this process.
type ourRun struct {
	steps  []answer // of each execution
	nodes  []string
	failed string // as in refRun
	at     string
	value  answer // the result
}

// build makes the graph of a sample.
func build(ctx context.Context, s sample) (*graph.Graph, error) {
	file := map[string]any{
		"version":         "1.0",
		"server":          map[string]any{"name": "random", "version": "1.0.0"},
		"mcpServers":      map[string]any{"mock": map[string]any{"command": "mock"}},
		"executionLimits": map[string]any{"maxNodeExecutions": s.file.Max},
		"tools": []any{map[string]any{
			"name": "random", "description": "random", "inputSchema": map[string]any{"type": "object"}, "nodes": s.file.Nodes,
		}},
	}
	var src bytes.Buffer
	enc := json.NewEncoder(&src)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(file); err != nil {
		return nil, err
	}
	parsed, err := config.Parse("graph.yaml", src.Bytes(), config.Options{})
	if err != nil {
		return nil, err
	}
	graphs, found, err := graph.Build(ctx, parsed)
	if err := errors.Join(err, found.Err()); err != nil {
		return nil, err
	}
	return graphs[0], nil
}

// runHere runs a graph in this process.
func runHere(ctx context.Context, g *graph.Graph, s sample) (ourRun, error) {
	input, err := value.Decode([]byte(s.input))
	if err != nil {
		return ourRun{}, err
	}
	result, failed := execution.New(mock{}).Run(ctx, g, input)
	var ours ourRun
	for _, r := range result.History() {
		a := answer{}
		if r.Error != nil {
			a.Error = r.Error.Message
		} else if a, err = answerOfRecord(r); err != nil {
			return ourRun{}, err
		}
		ours.steps = append(ours.steps, a)
		ours.nodes = append(ours.nodes, r.NodeID)
	}
	if failed == nil {
		ours.value = answerOf(result.Value, nil)
		return ours, nil
	}
	var failure *execution.Failure
	if !errors.As(failed, &failure) {
		return ourRun{}, failed
	}
	ours.at, ours.failed = failure.Node, "error"
	if failure.Code == execution.CodeLimit {
		ours.failed = "limit"
	}
	return ours, nil
}

// answerOfRecord reads a record as it is written down, so that what is written is
// compared as well.
func answerOfRecord(r execution.Record) (answer, error) {
	text, err := r.MarshalJSON()
	if err != nil {
		return answer{}, err
	}
	var written struct {
		Output  json.RawMessage `json:"output"`
		Nothing bool            `json:"nothing"`
	}
	if err := json.Unmarshal(text, &written); err != nil {
		return answer{}, err
	}
	if written.Nothing {
		return answer{Nothing: true}, nil
	}
	return answer{Value: written.Output}, nil
}
