package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// Refusal is why a plan is not run: nothing was called.
type Refusal struct{ Found []Finding }

// Error lists what is wrong, each with its path.
func (r *Refusal) Error() string {
	var lines []string
	for i := range r.Found {
		if !r.Found[i].Warning {
			lines = append(lines, r.Found[i].String())
		}
	}
	return fmt.Sprintf("the plan was not run, and nothing was called:\n%s", strings.Join(lines, "\n"))
}

// Findings returns what is wrong with the plan, as the findings of Check.
func (r *Refusal) Findings() []any { return findingsOf(r.Found) }

// Compile returns the graph of a plan. servers may be nil, for a plan that was run before: then only its form is
// checked. The error is a *Refusal, or the cause of ctx's end.
func (t *Tool) Compile(ctx context.Context, args value.Value, servers Servers) (*graph.Graph, error) {
	c, err := t.check(ctx, args, servers)
	switch {
	case err != nil:
		return nil, err
	case c.graph == nil:
		return nil, &Refusal{c.found}
	}
	if notes, wanted := ctx.Value(notesKey{}).(*[]Finding); wanted {
		*notes = c.found
	}
	return c.graph, nil
}

type notesKey struct{}

// WithNotes returns a context in which Compile stores the warnings about a plan.
func WithNotes(ctx context.Context, notes *[]Finding) context.Context {
	return context.WithValue(ctx, notesKey{}, notes)
}

// IsDryRun reports whether a request asks to check a plan and not to run it.
func IsDryRun(args value.Value) bool {
	if object, isObject := value.ObjectOf(args); isObject {
		dry, _ := object.Get("dryRun")
		return dry == true
	}
	return false
}

// Beliefs are what is believed of calls, as their permission depends on it.
type Beliefs struct {
	Effect func(server, tool string) config.Effect // empty: unknown
	Inside func(server, tool string) bool          // what is sent there stays in the server, or the server is trusted
}

// Planned is a call of a plan.
type Planned struct {
	Step    string // its path, such as users.save
	Tool    string // server.tool, or a tool of the file
	Effect  config.Effect
	Certain bool     // the call is made whatever the others return
	Asks    bool     // the user is asked before it
	From    []string // the servers whose answers it is computed from
}

// Calls returns the calls of a compiled plan, in its order.
func Calls(g *graph.Graph, b Beliefs) []Planned {
	var all []Planned
	var add func(n *graph.Steps, certain bool)
	add = func(n *graph.Steps, certain bool) {
		for _, s := range n.Block {
			sure := certain && s.If == nil && s.Each == nil
			if inner, isBlock := s.Node.(*graph.Steps); isBlock {
				add(inner, sure)
				continue
			}
			if p, isCall := planned(g.Plan, s, b); isCall {
				p.Certain = sure
				all = append(all, p)
			}
		}
	}
	if n := g.Steps(); n != nil {
		add(n, true)
	}
	return all
}

func planned(p *graph.Plan, s *graph.Step, b Beliefs) (c Planned, isCall bool) {
	c = Planned{Step: s.Node.ID(), From: p.Sources(s)}
	switch n := s.Node.(type) {
	case *graph.MCP:
		c.Tool, c.Effect = n.Server+"."+n.Tool, b.Effect(n.Server, n.Tool)
	case *graph.SubGraph:
		c.Tool, c.Effect = n.Tool, graph.WorstEffect(n.Graph, b.Effect)
	case *graph.Entry, *graph.Parallel, *graph.Ask, *graph.Transform, *graph.Switch, *graph.Steps, *graph.Exit:
		return c, false
	}
	c.Asks = p.Confirms(c.Effect) || p.AskFlows && graph.Leaks(s, c.From, b.Inside)
	return c, true
}

// forbidden returns findings about calls that effects of plan, or allow of the file, does not permit.
func forbidden(g *graph.Graph, calls []Planned) (found []Finding) {
	for _, c := range calls {
		permitted := g.Plan.PermitsEffect(c.Effect)
		for _, a := range g.Allow {
			permitted = permitted && a.PermitsEffect(c.Effect)
		}
		if permitted {
			continue
		}
		what := "the effect " + string(c.Effect)
		if c.Effect == "" {
			what = "an effect that is unknown, and counts as destroy"
		}
		found = append(found, Finding{
			Path: "steps", Code: "not-allowed", Message: fmt.Sprintf("step %q calls %s, which has %s; plans may not do that", c.Step, c.Tool, what),
			Hint: "leave the step out",
		})
	}
	return found
}

// Check answers a dry run: what is wrong with a plan, its calls, and what flows where. The error is the cause of
// ctx's end.
func (t *Tool) Check(ctx context.Context, args value.Value, servers Servers, b Beliefs) (value.Value, error) {
	c, err := t.check(ctx, args, servers)
	if err != nil {
		return nil, err
	}
	out := value.NewMap()
	var calls []Planned
	if c.graph != nil {
		calls = Calls(c.graph, b)
		c.found = append(c.found, forbidden(c.graph, calls)...)
	}
	out.Set("valid", c.graph != nil && !c.hasErrors())
	out.Set("findings", findingsOf(c.found))
	if c.graph == nil {
		return out, nil
	}
	var listed []any
	for _, call := range calls {
		one := value.NewMap()
		one.Set("step", call.Step)
		one.Set("tool", call.Tool)
		one.Set("effect", shownEffect(call.Effect))
		one.Set("certain", call.Certain)
		one.Set("asks", call.Asks)
		if len(call.From) > 0 {
			one.Set("from", texts(call.From))
		}
		listed = append(listed, one)
	}
	out.Set("calls", orEmpty(listed))
	out.Set("flows", flowsOf(calls))
	return out, nil
}

// findingsOf returns findings as a value.
func findingsOf(found []Finding) []any {
	listed := []any{}
	for _, f := range found {
		one := value.NewMap()
		one.Set("path", f.Path)
		one.Set("severity", map[bool]string{false: "error", true: "warning"}[f.Warning])
		one.Set("code", f.Code)
		one.Set("message", f.Message)
		if f.Hint != "" {
			one.Set("hint", f.Hint)
		}
		listed = append(listed, one)
	}
	return listed
}

// flowsOf returns which servers get what was computed from the answers of which others.
func flowsOf(calls []Planned) []any {
	to := map[string][]string{}
	var order []string
	for _, call := range calls {
		server, _, _ := strings.Cut(call.Tool, ".")
		if !slices.ContainsFunc(call.From, func(from string) bool { return from != server }) {
			continue
		}
		if to[call.Tool] == nil {
			order = append(order, call.Tool)
		}
		for _, from := range call.From {
			if from != server && !slices.Contains(to[call.Tool], from) {
				to[call.Tool] = append(to[call.Tool], from)
			}
		}
	}
	listed := []any{}
	for _, tool := range order {
		one := value.NewMap()
		slices.Sort(to[tool])
		one.Set("from", texts(to[tool]))
		one.Set("to", tool)
		listed = append(listed, one)
	}
	return listed
}

func shownEffect(e config.Effect) string {
	if e == "" {
		return "unknown"
	}
	return string(e)
}

func texts(words []string) []any {
	all := make([]any, len(words))
	for i, w := range words {
		all[i] = w
	}
	return all
}

func orEmpty(list []any) []any {
	if list == nil {
		return []any{}
	}
	return list
}

// Permitted returns why a compiled plan may not be run: calls that have effects which plans must not have. nil: it may.
func Permitted(g *graph.Graph, b Beliefs) error {
	if found := forbidden(g, Calls(g, b)); len(found) > 0 {
		return &Refusal{found}
	}
	return nil
}

// Unanswerable returns why a plan is refused before its first call when its user cannot be asked: why says so. nil: it
// asks nothing.
func Unanswerable(g *graph.Graph, b Beliefs, why error) error {
	for _, c := range Calls(g, b) {
		if !c.Asks {
			continue
		}
		reason := fmt.Sprintf("has the effect %s", c.Effect)
		switch {
		case g.Plan.Confirms(c.Effect) && c.Effect == "":
			reason = "has an unknown effect, which counts as destroy"
		case !g.Plan.Confirms(c.Effect):
			reason = "gets what another server has answered (flows: ask)"
		}
		return fmt.Errorf("the plan was not run, and nothing was called: step %q calls %s, which %s, so the user has to agree, and %w; "+
			"the owner of the graph file can allow it with plan: {confirm: […]}, or say what the server's tools do with trusted: true or a lock", c.Step, c.Tool, reason, why)
	}
	return nil
}
