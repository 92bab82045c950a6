package authoring

import (
	"context"
	"time"

	"toolgraph/expressions"
	"toolgraph/expressions/value"
)

// called is how a call of a server's tool went: its output as a node would have it.
type called struct {
	Output        jsonValue  `json:"output"`
	Nothing       bool       `json:"nothing,omitempty"`       // the call gave nothing; Output is null
	EvaluatedArgs *jsonValue `json:"evaluatedArgs,omitempty"` // when there are expressions among them
	ExecutionTime float64    `json:"executionTime"`           // milliseconds
	Note          string     `json:"note,omitempty"`
	Error         *failure   `json:"error,omitempty"`
}

// testMcpTool calls a tool as an mcp node would.
func testMcpTool(ctx context.Context, k *Toolkit, v *view, a arguments) (any, error) {
	began := time.Now()
	told := called{Output: jsonValue{value.Null}}
	failed := func(err error) (any, error) {
		told.ExecutionTime, told.Error = since(began), failureOf(err)
		return told, nil
	}
	trial := &argsTrial{scope: expressions.NewScope(contextOf(a.get("context")), nil)}
	args, err := trial.eval(ctx, a.object("args"), "args")
	if err != nil {
		return failed(err)
	}
	if trial.expressions > 0 {
		told.EvaluatedArgs = &jsonValue{args}
	}
	pool, done, err := k.upstreams(v)
	if err != nil {
		return failed(err)
	}
	defer done()
	began = time.Now()
	output, err := pool.CallTool(ctx, a.text("server"), a.text("tool"), args, nil)
	if err != nil {
		return failed(err)
	}
	told.ExecutionTime, told.Nothing = since(began), output == nil
	told.Output, told.Note = whole(output, v.secrets)
	return told, nil
}

func since(began time.Time) float64 { return float64(time.Since(began)) / float64(time.Millisecond) }
