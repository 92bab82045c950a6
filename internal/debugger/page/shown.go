package page

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/fold"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/project"
	"toolgraph/internal/serving/toolset"
)

// Shown is a call that has ended, as views outside of the page show it: its run, or a plan that was only checked.
type Shown struct {
	Project *project.Project
	// Believe is as that of Project.
	Believe func(context.Context, *graph.Graph) (context.Context, []execution.Option)

	Tool string
	Args value.Value
	Run  *execution.Result // nil: there was no run
	Err  error             // of the run

	// Values says that the view shows what steps gave and the expressions of the file. Without it, it shows what ran, how it
	// ended and when: a client knows no more of the values than the result.
	Values bool
}

const (
	mostShownRows  = 400       // steps and parts of all lists
	mostShownBytes = 256 << 10 // of the JSON; what is longer is left out, the lists first
)

// shownJSON has what the page would be answered about the run, of each list the first page.
type shownJSON struct {
	Values bool                            `json:"values,omitempty"` // see Shown
	Run    *info                           `json:"run,omitempty"`
	Graph  *drawing                        `json:"graph,omitempty"`
	Path   *pathJSON                       `json:"path,omitempty"`
	Latest *latestJSON                     `json:"latest,omitempty"`
	Steps  map[execution.Address]stepsJSON `json:"steps,omitempty"` // by frame
	Parts  map[execution.Address]partsJSON `json:"parts,omitempty"` // by the execution or part that they are of
}

// JSON returns the call for a view, without secrets; nil when the graph is not known. The error is that of an end of ctx.
func (s *Shown) JSON(ctx context.Context) ([]byte, error) {
	l := newLoaded(Project{Project: s.Project, Believe: s.Believe})
	g, err := s.Project.Recorded(ctx, s.Tool, s.Args)
	if err != nil {
		return nil, ctx.Err() // a plan with a mistake has no drawing
	}
	out := shownJSON{Values: s.Values}
	changing := l.changing(ctx, g)
	if s.Run != nil {
		now := s.state(l, g, changing)
		changing = now.history.Changing()
		path, latest := now.path("", 0), now.latest(place{At: len(now.records(""))}, nil)
		out.Run, out.Path, out.Latest = &now.info, &path, &latest
		out.list(now)
	}
	drawn := l.drawOrdered(g, changing, s.Project.File.Secrets.Redact)
	if out.Graph = &drawn; !s.Values {
		out.withoutValues()
	}
	return out.bounded()
}

// bounded encodes what fits.
func (o *shownJSON) bounded() ([]byte, error) {
	for _, less := range []func(){func() {}, func() { o.Steps, o.Parts = nil, nil }, func() { o.Latest, o.Path, o.Graph = nil, nil, nil }} {
		less()
		raw, err := toolset.JSON(o)
		if err != nil || len(raw) <= mostShownBytes {
			return raw, err
		}
	}
	return nil, nil // the arguments and the failure are short
}

// state makes the state of the run, as that of a recorded one.
func (s *Shown) state(l *loaded, g *graph.Graph, changing []string) *runState {
	run := journal.Run{
		ID: s.Run.RunID, Tool: s.Tool, Graph: g.HashWith(nil), Args: preview(s.Args, journal.ArgsShown), Status: journal.Finished,
		Failure: s.failure(), File: l.path,
	}
	if run.Failure != nil {
		if run.Status = journal.Failed; run.Failure.Code == execution.CodeCancelled {
			run.Status = journal.Cancelled
		}
	}
	secrets := l.File.Secrets
	records := s.Run.History()
	for i := range records {
		records[i] = redactedRecord(secrets, records[i])
		if rec := &records[i]; run.Started.IsZero() || rec.Start.Before(run.Started) {
			run.Started = rec.Start
		}
		if rec := &records[i]; rec.End.After(run.Ended) {
			run.Ended = rec.End
		}
	}
	r := &runState{project: l, graph: g, history: fold.NewHistory()}
	start := execution.Event{
		Kind: execution.RunStarted, Time: run.Started, Start: &execution.Start{Tool: s.Tool, Graph: run.Graph, Changing: changing},
	}
	for _, e := range slices.Concat([]execution.Event{start}, eventsOf(s.Run.Parts(), run.Started), finished(records)) {
		r.history.Add(e)
	}
	run.Duration, run.Steps = milliseconds(run.Ended.Sub(run.Started)), r.history.Len()
	r.info = recordedInfo(run, secrets)
	r.Args = preview(redacted(secrets, s.Args), journal.ArgsShown)
	r.Usage = usageOf(s.Run.Used)
	r.FailedAt = r.failedAt()
	return r
}

// finished makes the events of records.
func finished(records []execution.Record) (events []execution.Event) {
	for i := range records {
		events = append(events, execution.Event{Record: &records[i], Time: records[i].End})
	}
	return events
}

// eventsOf makes the events of parts that have begun, at some time before their ends.
func eventsOf(begun map[execution.Address]execution.Parts, at time.Time) (events []execution.Event) {
	for _, of := range slices.SortedFunc(maps.Keys(begun), execution.Address.Compare) {
		p, parts := placeAt(of), begun[of]
		events = append(events, execution.Event{
			Kind: execution.PartsStarted, Time: at, Parts: &parts, Step: &execution.Visit{Frame: p.Frame, Index: p.At, Part: p.Part},
		})
	}
	return events
}

// failure returns why the run has failed; nil: it has not.
func (s *Shown) failure() *execution.Failure {
	var known *execution.Failure
	switch {
	case s.Err == nil:
		return nil
	case errors.As(s.Err, &known):
		return known
	}
	return &execution.Failure{Code: execution.CodeInternal, Message: s.Err.Error()}
}

// list adds the lists: the steps of the run, then, as far as there is room, what is below them, from the outside in.
func (o *shownJSON) list(now *runState) {
	o.Steps, o.Parts = map[execution.Address]stepsJSON{}, map[execution.Address]partsJSON{}
	rows := 0
	var below []execution.Address
	note := func(step *stepJSON, at execution.Address) {
		if rows++; step.Parts > 0 || step.Inner > 0 {
			below = append(below, at)
		}
	}
	steps := now.steps("", 0, stepsShown)
	o.Steps[""] = steps
	for i := range steps.Steps {
		note(&steps.Steps[i], execution.AddressOf("", steps.Steps[i].Index, ""))
	}
	for len(below) > 0 && rows < mostShownRows {
		at := below[0]
		below = below[1:]
		if all := now.history.Parts(at); all.Count > 0 {
			parts := now.parts(at, 0, stepsShown, nil)
			o.Parts[at] = parts
			for i := range parts.Parts {
				note(&parts.Parts[i].stepJSON, all.At(at, i))
			}
			continue
		}
		steps := now.steps(at, 0, stepsShown)
		o.Steps[at] = steps
		for i := range steps.Steps {
			note(&steps.Steps[i], execution.AddressOf(at, steps.Steps[i].Index, ""))
		}
	}
}
