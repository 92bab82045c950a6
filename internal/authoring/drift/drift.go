package drift

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/authoring/graphtest"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project/lock"
	"toolgraph/mcpclient"
)

// Episode is a recorded run, or a case of a test with a cassette.
type Episode struct {
	Name  string // "run 3QK7…" or "test NAME", for people
	Graph *graph.Graph
	// Play runs the graph on the recorded answers, each through a function.
	Play func(ctx context.Context, through graphtest.Through) (value.Value, error)
	// Fill puts paths of this machine into recorded arguments, Empty takes them out of answers; nil where there are none.
	Fill, Empty func(value.Value) value.Value
}

// Servers are the upstream servers of a graph file as they are.
type Servers struct {
	File   *config.File
	Lock   *lock.Lock                  // beside the file; nil: there is none
	Listed map[string][]mcpclient.Tool // by server; one without a list cannot be reached
	Caller execution.ToolCaller        // for calls that only read
}

// Limits bound the work of a Comparison; all must be positive.
type Limits struct {
	Calls   int // that are made
	Bytes   int // of all present answers, as compact JSON
	Replays int // of episodes
}

// Comparison compares the episodes of a graph file with the servers. It belongs to one goroutine.
type Comparison struct {
	servers *Servers
	limits  Limits
	report  Report
	answers map[string]*present // of calls, by callKey
	bytes   int
	replays int
}

// New begins a comparison.
func New(servers *Servers, limits Limits) *Comparison {
	return &Comparison{servers: servers, limits: limits, answers: map[string]*present{}, report: Report{File: servers.File.Path}}
}

// made is a call of an episode with its recorded answer.
type made struct {
	call  execution.Call
	value value.Value
	err   error
	node  *graph.MCP // nil: the graph has it no more
}

// outcome is what an episode gave.
type outcome struct {
	value  value.Value
	err    error
	calls  []made
	missed []execution.Call // without a recorded answer
}

// Add compares one episode. The error is the cause that ended the context.
func (c *Comparison) Add(ctx context.Context, e Episode) error {
	before := c.play(ctx, e, nil)
	again := c.play(ctx, e, nil)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	tool := e.Graph.Tool.Name.Value
	if len(before.missed) > 0 {
		c.skip(tool, e.Name, fmt.Sprintf("it has no answer for a call of node %q: the graph has changed since", wording.OneLine(before.missed[0].Name())))
		return nil
	}
	c.report.compared(tool)
	t := &trial{c: c, episode: e, before: before, unsteady: changes(before.value, again.value), present: map[string]*present{}}
	for i := range before.calls {
		t.look(ctx, &before.calls[i])
	}
	t.find(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// Report returns what was found, sorted by the places of nodes.
func (c *Comparison) Report() *Report {
	r := &c.report
	order := func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Field, b.Field))
	}
	slices.SortStableFunc(r.Drift, order)
	slices.SortStableFunc(r.Notes, order)
	return r
}

func (c *Comparison) skip(tool, name, why string) {
	c.report.Skipped = append(c.report.Skipped, Skipped{Tool: tool, Episode: name, Why: c.servers.File.Secrets.Redact(why)})
}

// play runs an episode; with answers, these are given in place of the recorded ones.
func (c *Comparison) play(ctx context.Context, e Episode, answer func(*made) (value.Value, error)) outcome {
	c.replays++
	var o outcome
	o.value, o.err = e.Play(ctx, func(_ context.Context, call execution.Call, v value.Value, err error) (value.Value, error) {
		if isMissing(err) {
			o.missed = append(o.missed, call)
			return v, err
		}
		node, _ := e.Graph.ReachedTool(call.Graph).NodeAt(call.Node, call.Part).(*graph.MCP)
		o.calls = append(o.calls, made{call, v, err, node})
		if answer != nil {
			return answer(&o.calls[len(o.calls)-1])
		}
		return v, err
	})
	return o
}

// isMissing reports whether an error is that there is no recorded answer.
func isMissing(err error) bool {
	var coded interface{ ErrorCode() string }
	return errors.As(err, &coded) && (coded.ErrorCode() == "not-recorded" || coded.ErrorCode() == "no-answer")
}

// callKey is the same for equal calls.
func callKey(call *execution.Call) string {
	sum, err := value.Digest(nil, call.Args)
	if err != nil {
		return fmt.Sprintf("%s.%s %v", call.Server, call.Tool, err)
	}
	return fmt.Sprintf("%s.%s %x", call.Server, call.Tool, sum)
}
