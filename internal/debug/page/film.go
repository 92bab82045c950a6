package page

import (
	"sync"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/debug"
)

// film is a run with all of its steps, live or kept, secrets already hidden.
type film struct {
	project *loaded
	graph   *graph.Graph   // nil: the run walked another graph than the file has now
	session *debug.Session // nil: a kept run

	mu      sync.Mutex // guards what follows
	info    info
	args    value.Value
	result  value.Value
	records []execution.Record
}

// frame is a film as it is at one moment. Its parts are not to be changed.
type frame struct {
	info
	project *loaded
	graph   *graph.Graph
	args    value.Value
	result  value.Value
	records []execution.Record
}

func newLiveFilm(p *loaded, s *debug.Session, args value.Value) *film {
	args = hidden(p.File.Secrets, args)
	return &film{
		project: p, graph: s.Graph(), session: s, args: args,
		info: info{ID: s.ID(), Tool: s.Graph().Tool.Name.Value, Graph: s.Graph().Hash, Live: true, Args: preview(args, journal.ArgsShown), Started: time.Now()},
	}
}

func newKeptFilm(p *loaded, run journal.Run, events []execution.Event) *film {
	secrets := p.File.Secrets
	f := &film{project: p, info: keptInfo(run, secrets)}
	if g := p.graphOf(run.Tool); g != nil && g.Hash == run.Graph {
		f.graph = g
	}
	var records []execution.Record
	for _, e := range events {
		switch {
		case e.Start != nil:
			f.args = hidden(secrets, e.Start.Args)
		case e.Record != nil:
			records = append(records, *e.Record)
		case e.End != nil:
			f.result = hidden(secrets, e.End.Value)
		}
	}
	f.records = hiddenRecords(secrets, records)
	f.info.Steps = len(f.records)
	return f
}

// now is the film up to now. A run that is live is read on.
func (f *film) now() frame {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.info.Rev++
	if f.session != nil && f.info.Ended == nil {
		state := f.session.State() // before the records, so that it never tells of fewer
		secrets := f.project.File.Secrets
		f.records = append(f.records, hiddenRecords(secrets, f.session.Records(len(f.records)))...)
		f.info.update(state, secrets)
		f.info.Steps = len(f.records)
		if f.info.Next != nil {
			f.info.Next.Index = len(f.records)
		}
		if state.Status == debug.Finished {
			f.result = hidden(secrets, state.Result)
		}
	}
	n := len(f.records)
	return frame{info: f.info, project: f.project, graph: f.graph, args: f.args, result: f.result, records: f.records[:n:n]}
}

// over reports whether nothing more will come.
func (f *film) over() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.session == nil || f.info.Ended != nil
}

// before are the records that execution n saw.
func (f *frame) before(n int) []execution.Record { return f.records[:min(max(n, 0), len(f.records))] }
