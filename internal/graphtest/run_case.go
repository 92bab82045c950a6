package graphtest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/project"
)

// surroundings are what one case runs in.
type surroundings struct {
	project *project.Project
	caller  execution.ToolCaller // nil: no servers
	fills   places               // what {name} becomes; none without servers
	known   places               // the paths that are {name} in what is compared and recorded
}

// run runs one case.
func (r *runner) run(ctx context.Context, result *Result) {
	c := result.Case
	result.Why = ""
	in := surroundings{project: r.project, known: r.directory}
	if r.servers != nil {
		if missing := c.Missing(); missing != "" {
			result.Status, result.Why = Skipped, missing+" is not installed"
			return
		}
		var err error
		if in, err = r.servers.of(ctx, c); err != nil {
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
		t = r.cassettes[r.cassetteOf(c)].tape(c.Name, in.known)
	}
	r.runOn(ctx, g, in, t, result)
}

// runOn runs a case's graph and compares what comes of it.
func (r *runner) runOn(ctx context.Context, g *graph.Graph, in surroundings, t *tape, result *Result) {
	c := result.Case
	secrets := in.project.File.Secrets
	calls := newCaller(c, r.suite, t, in)
	began := time.Now()
	run, err := runTool(ctx, limited(g, c.Limits), in.fills.fill(c.Args), calls)
	result.Duration = time.Since(began)
	result.graph, result.Records, result.Calls = g, run.History, calls.made
	text := ""
	if err == nil {
		result.Value = run.Value
	} else {
		result.Failure = err.Error()
	}
	result.clean(in.known, secrets)
	if err == nil {
		text = exactText(result.Value)
	}
	expect := c.Expect.emptied(in.known)
	if calls.unanswered != nil {
		result.Problems = []Problem{*calls.unanswered}
	} else {
		result.Problems = expect.check(result, text)
	}
	result.Status = Passed
	if len(result.Problems) > 0 {
		result.Status = Failed
		result.Divergence = divergence(expect, t, result.Records)
	}
	for i, p := range result.Problems {
		if !p.Pos.IsValid() {
			result.Problems[i].Pos = c.Pos
		}
	}
}

// runTool runs a graph as a client's call does. The result is never nil.
func runTool(ctx context.Context, g *graph.Graph, args value.Value, calls *caller) (*execution.Result, error) {
	result, err := execution.New(calls).Run(ctx, g, args)
	if result == nil { // the arguments make no run
		result = &execution.Result{}
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

func exactText(v value.Value) string {
	src, err := value.Encode(v)
	if err != nil {
		return fmt.Sprintf("the value has no JSON: %v", err)
	}
	return string(src)
}

// redactedValue is a value without secrets, as clients are shown it.
func redactedValue(secrets *config.Secrets, v value.Value) value.Value {
	if secrets.Len() == 0 || v == nil {
		return v
	}
	src, err := value.Encode(v)
	if err != nil {
		return v
	}
	if hidden, err := value.Decode(secrets.RedactJSON(src)); err == nil {
		return hidden
	}
	return "[redacted]"
}

// clean keeps out of a result what is different wherever it is run, the paths of
// places, and what nobody may see, secrets.
func (r *Result) clean(p places, secrets *config.Secrets) {
	if len(p) == 0 && secrets.Len() == 0 {
		return
	}
	value := func(v value.Value) value.Value { return redactedValue(secrets, p.empty(v)) }
	text := func(s string) string { return secrets.Redact(p.emptyText(s)) }
	r.Value, r.Failure = value(r.Value), text(r.Failure)
	// Our own words name the graph file as it was named to us.
	r.Failure = strings.ReplaceAll(r.Failure, p.emptyText(r.Suite.Graph), r.Suite.Graph)
	for i := range r.Calls {
		call := &r.Calls[i]
		call.Args, call.Result = value(call.Args), value(call.Result)
		if call.Err != nil {
			structured := structuredOf(call.Err)
			if v, err := decoded(structured); err == nil && v != nil {
				structured = []byte(exactText(value(v)))
			}
			call.Err = &toolError{code: codeOf(call.Err), text: text(call.Err.Error()), structured: structured}
		}
	}
	records := make([]execution.Record, len(r.Records))
	for i, record := range r.Records {
		record.Output = value(record.Output)
		records[i] = record
	}
	r.Records = records
}
