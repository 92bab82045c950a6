// Package dryrun runs a graph with calls of read-only tools alone. A graph with its arguments and
// a pool of servers go in; a plan comes out: the calls with their arguments, the questions to the
// user, the path, and the result as far as it can be assumed. It prints nothing.
package dryrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/graph/flow"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project/lock"
	"toolgraph/mcpclient"
)

// Options of Run.
type Options struct {
	Pool    *mcpclient.Pool // with the check ReadOnly
	Lock    *lock.Lock      // the lock beside the graph file; nil without one
	Secrets *config.Secrets // to be redacted
}

// Run runs a graph once. Calls of tools that are not known to be read-only, or to which the user has
// to agree, are not made: their outputs are assumed from their outputSchemas, and a run that needs
// another output ends there. The user is not asked: agreement is assumed.
// The failure of the run is in the plan; the error says why there is no plan, such as
// *execution.ArgumentsError.
func Run(ctx context.Context, o Options, g *graph.Graph, args value.Value, more ...execution.Option) (*Plan, error) {
	calls := &caller{Options: o, listed: map[string]listedTools{}, made: []Call{}, answers: map[execution.Address]answer{}}
	if slices.ContainsFunc(g.Reached(), hasItems) {
		calls.items = 1
	}
	more = append(slices.Clone(more), execution.WithSequentialParts(), execution.WithGate(calls), execution.WithObserver(calls), execution.WithSleep(atOnce), execution.WithUser(calls))
	result, err := execution.New(calls).Run(ctx, g, args, more...)
	if result == nil {
		return nil, err
	}
	slices.SortStableFunc(calls.made, func(a, b Call) int { return result.Compare(a.Address(), b.Address()) })
	plan := &Plan{
		Tool: g.Tool.Name.Value, Parts: calls.parts, Questions: calls.asked, Refused: calls.refused, Calls: calls.made,
		Path: []string{}, Complete: err == nil, Assumed: calls.assumes(), compare: result.Compare,
	}
	history := result.History()
	for _, r := range history {
		if r.Frame == "" && r.Part == "" {
			plan.Path = append(plan.Path, r.NodeID)
		}
	}
	for i := range plan.Parts {
		plan.Parts[i].NotReached = plan.Parts[i].notReached(plan.Calls, history)
	}
	switch {
	case err == nil:
		plan.Result, err = redacted(result.Value, o.Secrets)
		return plan, err
	case calls.ended != "":
		plan.Ended = calls.ended
	default:
		plan.Error = o.Secrets.Redact(err.Error())
	}
	return plan, nil
}

// atOnce waits for no time.
func atOnce(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// hasItems reports whether a node or a step of the graph does something for each item of a list.
func hasItems(g *graph.Graph) bool {
	found := false
	if steps := g.Steps(); steps != nil {
		steps.EachStep(func(s *graph.Step) { found = found || s.Each != nil })
	}
	return found || slices.ContainsFunc(g.CallNodes(), func(n graph.Node) bool { return graph.CallingOf(n).ForEach != nil })
}

// redacted is a value as compact JSON without secrets.
func redacted(v value.Value, secrets *config.Secrets) (json.RawMessage, error) {
	src, err := value.Encode(v)
	if err != nil {
		return nil, err
	}
	return secrets.RedactJSON(src), nil
}

// caller makes the calls of read-only tools, and notes all calls and questions. It belongs to one
// run, whose gate, observer and user it is: parts call one after the other then.
type caller struct {
	Options
	listed map[string]listedTools
	items  int // that lists have in assumed outputs

	made    []Call
	parts   []Parts
	asked   []Question
	refused []Refusal
	answers map[execution.Address]answer // of first attempts
	ended   string                       // why the run cannot continue
	ends    execution.Address            // the execution after which it ends; empty: at once
}

// answer is the result of a call.
type answer struct {
	value value.Value
	err   error
}

// Wait ends the run after the parts of which one has no known output: they do not see each other,
// so the calls of the others are planned still.
func (d *caller) Wait(_ context.Context, next execution.Event) ([]execution.Edit, error) {
	if d.ended != "" && !d.ends.Contains(next.At()) {
		return nil, errPlanEnds
	}
	return nil, nil
}

// Observe notes how many parts an execution has, and which calls allow refuses.
func (d *caller) Observe(e execution.Event) {
	switch {
	case e.Record != nil:
		d.refusal(e.Record)
	case e.Kind == execution.PartsStarted:
		parts := Parts{At: e.Step.At(), Node: e.Step.Name(), Count: e.Parts.Count, Branches: e.Parts.Branches, Assumed: d.assumes()}
		if e.Step.NodeType == config.StepsNode {
			parts.Branches, parts.Steps = nil, parts.Branches
		}
		d.parts = append(d.parts, parts)
	}
}

// listedTools are the tools that a server listed, or why it did not.
type listedTools struct {
	tools []mcpclient.Tool
	err   error
}

var errPlanEnds = errors.New("the output of a call that was not made is unknown")

// CallTool makes a call of a read-only tool, and returns an assumed output for any other. A
// further attempt gets the answer of the first: a dry run waits for nothing.
func (d *caller) CallTool(ctx context.Context, c execution.Call) (value.Value, error) {
	if first, again := d.answers[c.At()]; again && c.Attempt > 1 {
		return first.value, first.err
	}
	args, err := redacted(c.Args, d.Secrets)
	if err != nil {
		return nil, err
	}
	call := Call{Step: c.Index, Node: c.Name(), Server: c.Server, Tool: c.Tool, Args: args}
	if c.Frame != "" || c.Part != "" {
		call.At = c.At()
	}
	call.Confirmed = d.needsAgreement(&c)
	value, err := d.output(ctx, c, &call)
	if err != nil && !errors.Is(err, errPlanEnds) {
		call.Error = d.Secrets.Redact(err.Error())
	}
	d.made = append(d.made, call)
	d.answers[c.At()] = answer{value, err}
	return value, err
}

func (d *caller) output(ctx context.Context, c execution.Call, call *Call) (value.Value, error) {
	known, err := d.known(ctx, c.Server, c.Tool)
	if err != nil {
		return nil, err
	}
	changes := c.Effect == config.WriteEffect || c.Effect == config.DestroyEffect // the file goes before hints
	if known.ReadOnly != nil && *known.ReadOnly && !call.Confirmed && !changes {
		value, err := d.Pool.CallTool(ctx, c)
		var fault *mcpclient.Error
		call.Made = !errors.As(err, &fault) || fault.Code != codeNotReadOnly
		return value, err
	}
	if err := rejected(ctx, known.InputSchema, c.Args); err != nil {
		return nil, err
	}
	value, ok := schema.Sample(known.OutputSchema, d.items)
	if !ok {
		if d.ended == "" {
			why := "is not known to be read-only"
			if call.Confirmed {
				why = "needs the agreement of the user"
			}
			d.ended = fmt.Sprintf("%s.%s %s, so it was not called, and it has no outputSchema to assume an output from", c.Server, c.Tool, why)
		}
		if c.Part == "" {
			return nil, errPlanEnds
		}
		d.ends = execution.AddressOf(c.Frame, c.Index, "")
		return nil, nil
	}
	call.From = "the outputSchema that " + known.From + " has"
	if known.Learned {
		call.From = "earlier answers in " + known.From
	}
	call.Output, err = redacted(value, d.Secrets)
	return value, err
}

// codeNotReadOnly is the code of a call that a dry run does not make after all.
const codeNotReadOnly = "not-read-only"

// ReadOnly is a check of tools that allows only calls of tools that their servers declare to be
// read-only now, whatever an old lock says. guard, when it is not nil, must allow them as well.
// file is the path of the graph file, for the hint.
func ReadOnly(guard mcpclient.ToolCheck, file string) mcpclient.ToolCheck {
	return func(upstream string, tool mcpclient.Tool) *mcpclient.Error {
		if guard != nil {
			if fault := guard(upstream, tool); fault != nil {
				return fault
			}
		}
		if readOnly := lock.HintsOf(tool.Annotations).ReadOnly; readOnly != nil && *readOnly {
			return nil
		}
		return &mcpclient.Error{
			Code:    codeNotReadOnly,
			Message: "not called in a dry run, because the server no longer declares it to be read-only",
			Hint:    "run: toolgraph lock " + file,
		}
	}
}

// known returns the definition of a tool from the lock file, or else from its server.
func (d *caller) known(ctx context.Context, upstream, tool string) (flow.Tool, error) {
	if d.Lock != nil {
		if known, ok := d.Lock.Tool(upstream, tool); ok {
			return known, nil
		}
	}
	listed, asked := d.listed[upstream]
	if !asked {
		listed.tools, listed.err = d.Pool.ListTools(ctx, upstream)
		d.listed[upstream] = listed
	}
	if listed.err != nil {
		return flow.Tool{}, listed.err
	}
	var names []string
	for _, t := range listed.tools {
		if t.Name == tool {
			return flow.Tool{
				InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
				ReadOnly: lock.HintsOf(t.Annotations).ReadOnly, From: fmt.Sprintf("server %q", upstream),
			}, nil
		}
		names = append(names, t.Name)
	}
	return flow.Tool{}, fmt.Errorf("server %q has no tool %q, expected one of its %d%s", upstream, tool, len(names), wording.Suggest(tool, names))
}

// rejected returns why a server would reject the arguments of a call.
func rejected(ctx context.Context, inputSchema []byte, args value.Value) error {
	if len(inputSchema) == 0 {
		return nil
	}
	s, err := schema.Compile(inputSchema)
	if err != nil {
		return nil //nolint:nilerr // nothing can be validated with an invalid schema
	}
	problems, err := s.Check(ctx, args)
	if err != nil {
		return fmt.Errorf("the server would reject the call, because its arguments cannot be validated: %w", err)
	}
	if len(problems) > 0 {
		return errors.New("the server would reject the call: " + problems.Text("arguments"))
	}
	return nil
}
