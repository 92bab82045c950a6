package graphtest

import (
	"context"
	"fmt"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions"
	"toolgraph/graph"
	"toolgraph/internal/project"
	"toolgraph/internal/server"
)

// surroundings are what one case runs in.
type surroundings struct {
	project *project.Project
	caller  execution.ToolCaller // nil: no servers
	places  places
}

// run runs one case.
func (r *runner) run(ctx context.Context, result *Result) {
	c := result.Case
	result.Why = ""
	in := surroundings{project: r.project}
	if r.servers != nil {
		if missing := c.Missing(); missing != "" {
			result.Status, result.Why = Skipped, missing+" is not installed"
			return
		}
		var err error
		if in, err = r.servers.of(c); err != nil {
			result.Status, result.Problems = Failed, []Problem{{Pos: c.Pos, What: "error", Message: err.Error()}}
			return
		}
	}
	g, err := in.project.Graph(c.Tool.Value)
	if err != nil { // Check has found it
		result.Status, result.Problems = Failed, []Problem{{Pos: c.Tool.Pos, What: "error", Message: err.Error()}}
		return
	}
	var t *tape
	if r.opts.Mode == Offline {
		t = r.cassettes[r.cassetteOf(c)].tape(c.Name)
	}
	r.runOn(ctx, g, in, t, result)
}

// runOn runs a case's graph and compares what comes of it.
func (r *runner) runOn(ctx context.Context, g *graph.Graph, in surroundings, t *tape, result *Result) {
	c := result.Case.Filled(in.places)
	secrets := in.project.File.Secrets
	calls := newCaller(c, r.suite, t, in.caller)
	began := time.Now()
	text := ""
	run, err := runTool(ctx, limited(g, c.Limits), c.Args, calls)
	if err == nil {
		result.Value = redactedValue(secrets, something(run.Value))
		text = exactText(result.Value)
	} else {
		result.Failure = secrets.Redact(err.Error())
	}
	result.Duration = time.Since(began)
	result.graph, result.Records, result.Calls = g, run.History, calls.made
	if secrets.Len() > 0 {
		result.redact(secrets)
	}
	if calls.unanswered != nil {
		result.Problems = []Problem{*calls.unanswered}
	} else {
		result.Problems = c.Expect.check(result, text)
	}
	result.Status = Passed
	if len(result.Problems) > 0 {
		result.Status = Failed
		result.Divergence = divergence(&c.Expect, t, result.Records)
	}
	for i, p := range result.Problems {
		if !p.Pos.IsValid() {
			result.Problems[i].Pos = c.Pos
		}
	}
	result.empty(in.places)
}

// runTool runs a graph as a client's call does: what is checked there is checked here.
func runTool(ctx context.Context, g *graph.Graph, args expressions.Value, calls *caller) (*execution.Result, error) {
	if err := server.CheckArguments(g.Tool, args); err != nil {
		return &execution.Result{}, err
	}
	result, err := execution.New(calls, execution.WithObserver(calls)).Run(ctx, g, args)
	if err == nil {
		err = server.CheckResult(g.Tool, result.Value)
	}
	return result, err
}

// limited is the graph under the limits of a case.
func limited(g *graph.Graph, l Limits) *graph.Graph {
	if l == (Limits{}) {
		return g
	}
	other := *g
	other.Limits = l.over(g.Limits)
	return &other
}

func exactText(v expressions.Value) string {
	src, err := expressions.Encode(v)
	if err != nil {
		return fmt.Sprintf("the value has no JSON: %v", err)
	}
	return string(src)
}

// redactedValue is a value without secrets, as clients are shown it.
func redactedValue(secrets *config.Secrets, v expressions.Value) expressions.Value {
	if secrets.Len() == 0 || v == nil {
		return v
	}
	src, err := expressions.Encode(v)
	if err != nil {
		return v
	}
	if hidden, err := expressions.Decode(server.RedactJSON(secrets, src, v)); err == nil {
		return hidden
	}
	return "[redacted]"
}

// redact keeps secrets out of what the run left behind.
func (r *Result) redact(secrets *config.Secrets) {
	for i := range r.Calls {
		call := &r.Calls[i]
		call.Args, call.Result = redactedValue(secrets, call.Args), redactedValue(secrets, call.Result)
		if call.Err != nil {
			call.Err = &toolError{code: codeOf(call.Err), text: secrets.Redact(call.Err.Error())}
		}
	}
	records := make([]execution.Record, len(r.Records))
	for i, record := range r.Records {
		record.Output = redactedValue(secrets, record.Output)
		records[i] = record
	}
	r.Records = records
}

// empty puts the names of places back where their paths are, in what is kept.
func (r *Result) empty(p places) {
	if len(p) == 0 {
		return
	}
	r.Value, r.Failure = p.empty(r.Value), p.emptyText(r.Failure)
	for i := range r.Calls {
		call := &r.Calls[i]
		call.Args, call.Result = p.empty(call.Args), p.empty(call.Result)
		if call.Err != nil {
			call.Err = &toolError{code: codeOf(call.Err), text: p.emptyText(call.Err.Error())}
		}
	}
	records := make([]execution.Record, len(r.Records))
	for i, record := range r.Records {
		record.Output = p.empty(record.Output)
		records[i] = record
	}
	r.Records = records
}
