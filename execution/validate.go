package execution

import (
	"context"
	"errors"
	"fmt"

	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// ArgumentsError is why a run does not start: the arguments do not match the tool's inputSchema,
// or cannot be validated.
type ArgumentsError struct {
	Tool     string
	Problems schema.Problems // with the arguments; none when Err is set
	Err      error
}

// Error names each argument, what was expected and what was given.
func (e *ArgumentsError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("the arguments cannot be validated against inputSchema of tool %q: %s", e.Tool, e.Err)
	}
	return "invalid arguments: " + e.Problems.Text("arguments")
}

func (e *ArgumentsError) Unwrap() error { return e.Err }

// Arguments returns the arguments of a run of the graph: with the defaults of its inputSchema,
// and validated. The error is an *ArgumentsError. Every run calls it.
func Arguments(ctx context.Context, g *graph.Graph, args value.Value) (value.Value, error) {
	name := g.Tool.Name.Value
	ctx, cancel := context.WithTimeoutCause(ctx, g.Limits.MaxExecutionTime, &timeLimitError{g.Limits.MaxExecutionTime})
	defer cancel()
	full, err := g.Input.Complete(ctx, args)
	if err == nil {
		var found schema.Problems
		if found, err = g.Input.Check(ctx, full); err == nil && len(found) > 0 {
			return nil, &ArgumentsError{Tool: name, Problems: found}
		}
	}
	if err == nil {
		return full, nil
	}
	var late *timeLimitError
	if errors.As(err, &late) {
		err = fmt.Errorf("executionLimits.maxExecutionTimeMs is %d, and it takes longer", g.Limits.MaxExecutionTime.Milliseconds())
	}
	return nil, &ArgumentsError{Tool: name, Err: err}
}

// checkResult validates the value of a run; one that is made of the outputs of all steps counts
// against maxNodeOutputBytes.
func (f *frame) checkResult(result value.Value) *Failure {
	if f.graph.Result != nil && value.Exceeds(result, f.largest) {
		return combinedLimit(f.largest, f.graph.Node(f.state.last().NodeID))
	}
	return f.checkValue(result)
}

// checkValue validates the value of a frame whose exit has run.
func (f *frame) checkValue(value value.Value) *Failure {
	found, err := f.graph.Output.Check(f.work, value)
	if err == nil && len(found) == 0 {
		return nil
	}
	exit := f.graph.Node(f.state.last().NodeID)
	failure := &Failure{Code: CodeResult, Node: exit.ID()}
	var budget *schema.BudgetError
	switch {
	case errors.As(err, &budget):
		failure.Code, failure.Message, failure.err = CodeLimit, "the value cannot be validated against outputSchema: "+err.Error(), err
	case err != nil:
		failure = endOf(f.work, exit, "while this node was evaluated", err)
	default:
		failure.Message = "the value does not fit its outputSchema: " + found.Text("result")
	}
	if out := f.graph.Tool.OutputSchema; out != nil {
		failure.Pos = out.Pos
	}
	return failure
}
