package runtime

import (
	"context"
	"errors"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/runtime/results"
	"toolgraph/internal/serving/server"
)

// door is what the client of a run gets of its result.
type door struct {
	listed *graph.Graph // as clients see it, which is not that of a single run of the pipeline
	typed  bool
	prompt bool
	whole  *wholeAnswer // nil: the answer of a server is not passed on whole
}

type doorKey struct{}

// through returns the context of a run with its door changed.
func through(ctx context.Context, change func(*door)) context.Context {
	d, _ := ctx.Value(doorKey{}).(door)
	change(&d)
	return context.WithValue(ctx, doorKey{}, d)
}

// bytesOut returns the function that counts what the client of a run gets. The end of a run is recorded before there is an
// answer, so they are those of the answer as it would be sent, see execution.WithBytesOut.
func (l *Loaded) bytesOut(ctx context.Context, g *graph.Graph) func(*execution.Result, error) int {
	d, _ := ctx.Value(doorKey{}).(door)
	if d.listed == nil {
		d.listed, d.typed = g, g.Output != nil
	}
	return func(result *execution.Result, err error) int {
		v, spilled := resultOf(d.listed, result, err)
		if spilled > 0 {
			return l.large.BytesOut(l.resultsFile(), results.Result{
				Run: result.RunID, Tool: d.listed.Tool.Name.Value, Value: v, Bytes: spilled, Typed: d.typed,
			})
		}
		if out, ok := d.whole.bytesOut(err); ok {
			return out
		}
		size := 0
		if err == nil {
			size = result.Size()
		}
		form := server.Form{Def: d.listed.Tool, Typed: d.typed, Prompt: d.prompt}
		return form.BytesOut(l.File.Secrets, &server.Answer{Value: v}, l.failureFor(d.listed, result, err), size)
	}
}

// resultOf returns the value of a run, of one that has failed how far it came, and its size when it is larger than
// maxResultBytes, else 0.
func resultOf(g *graph.Graph, result *execution.Result, err error) (v value.Value, spilled int) {
	if err == nil || errors.Is(err, execution.ErrSuspended) {
		return result.Value, result.Spilled
	}
	if limit := g.Limits.MaxResultBytes; limit > 0 && result.Partial != nil {
		if size := value.Size(result.Partial); size > limit {
			spilled = size
		}
	}
	return result.Partial, spilled
}

// failureFor returns the failure of a run as its client gets it; nil for none.
func (l *Loaded) failureFor(g *graph.Graph, result *execution.Result, err error) error {
	if l.isPlan(g) {
		err = withChanges(result, err)
	}
	return WithRemedy(err)
}
