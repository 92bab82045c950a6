package page

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/debugger/debug"
	"toolgraph/internal/serving/plan"
)

// Plans checks plans, given what is known of the servers of the file.
type Plans interface {
	// CheckPlan answers a dry run: the findings of a plan, its calls, and what flows where. It calls no tool.
	CheckPlan(ctx context.Context, args value.Value) (value.Value, error)
	// Permitted returns why a compiled plan must not be run; nil: it may, or is no plan.
	Permitted(ctx context.Context, g *graph.Graph) error
}

func (l *loaded) isPlan(g *graph.Graph) bool { return l.Plan != nil && g == l.Plan.Graph }

// noPlan says of a run of a plan that the file has no plan any more; empty for another run. g is its graph; nil: it is
// not known.
func (l *loaded) noPlan(tool string, g *graph.Graph) string {
	if tool != config.RunPlan || l.Plan != nil {
		return ""
	}
	if g != nil {
		return "The file has no plan any more; the run is shown as plan: true would run it."
	}
	return "The file has no plan any more, so the steps of this run are not drawn. Add plan to the file, or start toolgraph ui with --plan."
}

// requestOf returns the arguments of run_plan for what was pasted, which may be the list of steps alone.
func requestOf(v value.Value) value.Value {
	if steps, isList := v.([]any); isList {
		return value.NewObject([]string{"steps"}, []value.Value{steps})
	}
	return v
}

// forRun returns the graph and the arguments of a run. The error is for the page.
func (s *Server) forRun(p *loaded, g *graph.Graph, args value.Value) (*graph.Graph, value.Value, error) {
	isPlan := p.isPlan(g)
	if isPlan {
		args = requestOf(args)
	}
	if isPlan && plan.IsDryRun(args) {
		return nil, nil, &failure{status: http.StatusUnprocessableEntity, Message: "the plan says dryRun: true, so it is not run", Hint: "check it, or remove dryRun"}
	}
	if isPlan { // its form, before servers are asked
		if _, err := execution.Arguments(s.base, g, args); err != nil {
			return nil, nil, p.rejected(err)
		}
	}
	g, args, err := p.ForRun(s.base, g, args, p.Servers)
	if err == nil && isPlan && p.Plans != nil {
		err = p.Plans.Permitted(s.base, g)
	}
	var refused *plan.Refusal
	switch {
	case errors.As(err, &refused):
		answer := errorf(http.StatusUnprocessableEntity, "%s", p.File.Secrets.Redact(err.Error()))
		if answer.Findings, err = p.encoded(refused.Findings()); err != nil {
			return nil, nil, err
		}
		return nil, nil, answer
	case err != nil:
		return nil, nil, errorf(http.StatusUnprocessableEntity, "%s", p.File.Secrets.Redact(err.Error()))
	}
	return g, args, nil
}

// encoded returns a value as JSON without secrets.
func (l *loaded) encoded(v value.Value) (json.RawMessage, error) {
	raw, err := value.Encode(v)
	return l.File.Secrets.RedactJSON(raw), err
}

type planJSON struct {
	Args json.RawMessage `json:"args"`
}

type plannedJSON struct {
	Report json.RawMessage `json:"report"`
	Graph  *drawing        `json:"graph,omitempty"` // when its steps can be drawn, also beside findings
}

// checkPlan checks a plan and calls no tool.
func (s *Server) checkPlan(r *http.Request, in planJSON) (any, error) {
	p := s.loaded()
	if p.Plan == nil || p.Plans == nil {
		return nil, &failure{status: http.StatusNotFound, Message: "the file has no plan", Hint: "add plan: true to it, or start toolgraph ui with --plan"}
	}
	args, err := value.Decode(in.Args)
	if err != nil {
		return nil, errorf(http.StatusUnprocessableEntity, "the plan is not JSON: %s", err)
	}
	args = requestOf(args)
	if _, err := execution.Arguments(r.Context(), p.Plan.Graph, args); err != nil {
		return nil, p.rejected(err)
	}
	done, err := s.checking(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	report, err := p.Plans.CheckPlan(r.Context(), args)
	if err != nil {
		return nil, errorf(http.StatusServiceUnavailable, "the plan was not checked: %s", p.File.Secrets.Redact(err.Error()))
	}
	out := plannedJSON{}
	if out.Report, err = p.encoded(report); err != nil {
		return nil, err
	}
	g, err := p.Plan.Compile(r.Context(), args, nil) // what is wrong with its types is no matter of the drawing
	if err == nil {
		s.mu.Lock()
		s.planned = g
		s.mu.Unlock()
		drawn := p.drawOrdered(g, p.changing(r.Context(), g), p.File.Secrets.Redact)
		out.Graph = &drawn
	}
	return out, nil
}

// changing returns the steps of a graph that may change something in a run of it.
func (l *loaded) changing(ctx context.Context, g *graph.Graph) []string {
	if l.Believe == nil {
		return execution.DeclaredChanges(ctx, g)
	}
	ctx, options := l.Believe(ctx, g)
	return execution.Changes(ctx, g, options...)
}

// graphOfRun draws the graph of a run; nil when it is not known any more.
func (s *Server) graphOfRun(r *http.Request, now runState) (any, error) {
	if now.graph == nil {
		return nil, nil
	}
	changing := now.history.Changing()
	if now.history.Began().IsZero() {
		changing = now.project.changing(r.Context(), now.graph)
	}
	return now.project.drawOrdered(now.graph, changing, now.project.File.Secrets.Redact), nil
}

// requestWith returns the graph of a request to a tool that has a node: of the plan that was checked last, or of a run.
// g stands for all requests, and is returned when there is none.
func (s *Server) requestWith(g *graph.Graph, node string) *graph.Graph {
	s.mu.Lock()
	planned := s.planned
	s.mu.Unlock()
	tool := g.Tool.Name.Value
	if planned != nil && planned.Tool.Name.Value == tool && debug.Knows(planned, node) {
		return planned
	}
	if found := s.runs.graphWith(tool, node); found != nil {
		return found
	}
	return g
}
