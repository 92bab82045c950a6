package page

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/authoring/dryrun"
	"toolgraph/internal/debugger/debug"
)

// Again prepares recorded runs of the graph file to be continued or repeated. An error says why that
// cannot be right, and what can be done; nothing has begun then.
type Again interface {
	// Plan returns what a fork of a run at a step copies and makes again. changed: the graph has changed
	// since the run.
	Plan(ctx context.Context, run journal.Run, at execution.Address) (plan *dryrun.ForkPlan, changed bool, err error)
	Fork(ctx context.Context, run journal.Run, f execution.Fork, changed bool) (*Prepared, error)
	// InDoubt returns the calls of a run that can be resumed whose outcome is unknown.
	InDoubt(ctx context.Context, run journal.Run) (calls []*execution.Visit, changed bool, err error)
	Resume(ctx context.Context, run journal.Run, r execution.Resolution, changed bool) (*Prepared, error)
	Replay(ctx context.Context, run journal.Run) (*Prepared, error)
}

// Prepared is a run that can begin.
type Prepared struct {
	ID     string
	Graph  *graph.Graph
	Args   value.Value
	Events []execution.Event // that it has already
	Edits  func(next execution.Event) []execution.Edit
	Run    debug.Run
}

// recorded returns a run of the file that is recorded and has ended, for doing it again.
func (s *Server) recorded(r *http.Request) (*loaded, journal.Run, error) {
	p, id := s.loaded(), r.PathValue("id")
	if s.opts.Store == nil || p.Again == nil {
		return nil, journal.Run{}, errorf(http.StatusConflict, "runs are not recorded (--no-history), so none can be resumed, replayed or forked")
	}
	if live := s.runs.get(id); live != nil && !live.over() {
		return nil, journal.Run{}, errorf(http.StatusConflict, "the run is in progress; stop it, or wait for its end")
	}
	if _, err := s.run(r.Context(), id); err != nil { // of another file, or deleted
		return nil, journal.Run{}, err
	}
	run, err := s.opts.Store.Run(r.Context(), id)
	if err != nil {
		return nil, run, errorf(http.StatusNotFound, "run %q is not recorded; replays and runs with mocks are not, and old runs are deleted", id)
	}
	if err := s.hasRoom(); err != nil {
		return nil, run, err
	}
	return p, run, nil
}

// refuse is the answer about a recorded run that cannot be done again.
func (l *loaded) refuse(err error) error {
	return errorf(http.StatusConflict, "%s", l.File.Secrets.Redact(err.Error()))
}

type forkPlanJSON struct {
	*dryrun.ForkPlan
	Changed bool `json:"changed"`
}

// placeAsked returns the address that a request names.
func placeAsked(frame execution.Address, at int, part string) (execution.Address, error) {
	address, err := execution.ParseAddress(string(execution.AddressOf(frame, at, part)))
	if err != nil {
		return "", errorf(http.StatusBadRequest, "%s", err)
	}
	return address, nil
}

func (s *Server) planFork(r *http.Request) (any, error) {
	n, err := number(r, "at", 0, maxBody)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	at, err := placeAsked(execution.Address(q.Get("frame")), n, q.Get("part"))
	if err != nil {
		return nil, err
	}
	p, run, err := s.recorded(r)
	if err != nil {
		return nil, err
	}
	plan, changed, err := p.Again.Plan(r.Context(), run, at)
	if err != nil {
		return nil, p.refuse(err)
	}
	return forkPlanJSON{plan, changed}, nil
}

type forkJSON struct {
	Frame   execution.Address `json:"frame"`
	At      int               `json:"at"`
	Part    string            `json:"part"`
	Edits   []editJSON        `json:"edits"`
	Pause   bool              `json:"pause"`
	Changed bool              `json:"changed"`
	Repeat  bool              `json:"repeat"`
}

func (s *Server) fork(r *http.Request, in forkJSON) (any, error) {
	at, err := placeAsked(in.Frame, in.At, in.Part)
	if err != nil {
		return nil, err
	}
	f := execution.Fork{At: at, Repeat: in.Repeat}
	for _, edit := range in.Edits {
		v, err := edit.decode()
		if err != nil {
			return nil, err
		}
		f.Edits = append(f.Edits, execution.Edit{NodeID: edit.Node, Output: v})
	}
	p, run, err := s.recorded(r)
	if err != nil {
		return nil, err
	}
	ready, err := p.Again.Fork(s.base, run, f, in.Changed)
	if err != nil {
		return nil, p.refuse(err)
	}
	return s.goOn(p, ready, in.Pause, func(i *info) { i.ForkedFrom = execution.Origin(run.ID, at) })
}

type resumePlanJSON struct {
	Changed bool          `json:"changed"`
	InDoubt []inDoubtJSON `json:"inDoubt"`
}

type inDoubtJSON struct {
	At     execution.Address `json:"at"`
	Node   string            `json:"node"`
	Server string            `json:"server"`
	Tool   string            `json:"tool"`
}

func (s *Server) planResume(r *http.Request) (any, error) {
	p, run, err := s.recorded(r)
	if err != nil {
		return nil, err
	}
	calls, changed, err := p.Again.InDoubt(r.Context(), run)
	if err != nil {
		return nil, p.refuse(err)
	}
	out := resumePlanJSON{Changed: changed, InDoubt: []inDoubtJSON{}}
	for _, c := range calls {
		out.InDoubt = append(out.InDoubt, inDoubtJSON{At: c.At(), Node: c.Name(), Server: c.Server, Tool: c.Tool})
	}
	return out, nil
}

type resumeJSON struct {
	Pause     bool            `json:"pause"`
	Changed   bool            `json:"changed"`
	Repeat    bool            `json:"repeat"`
	RepeatAll bool            `json:"repeatAll"`
	Value     json.RawMessage `json:"value"`
	Nothing   bool            `json:"nothing"`
}

func (s *Server) resume(r *http.Request, in resumeJSON) (any, error) {
	resolution := execution.Resolution{Repeat: in.Repeat, RepeatAll: in.RepeatAll, Nothing: in.Nothing}
	given := 0
	for _, is := range []bool{in.Repeat, in.RepeatAll, in.Nothing, in.Value != nil} {
		if is {
			given++
		}
	}
	if given > 1 {
		return nil, errorf(http.StatusBadRequest, "repeat, repeatAll, value and nothing exclude each other")
	}
	if in.Value != nil {
		v, err := editJSON{Value: in.Value}.decode()
		if err != nil {
			return nil, err
		}
		resolution.Value = v
	}
	p, run, err := s.recorded(r)
	if err != nil {
		return nil, err
	}
	ready, err := p.Again.Resume(s.base, run, resolution, in.Changed)
	if err != nil {
		return nil, p.refuse(err)
	}
	rev := 0
	if known := s.runs.get(run.ID); known != nil {
		rev = known.now().Rev
	}
	return s.goOn(p, ready, in.Pause, func(i *info) { i.Started, i.Rev, i.ForkedFrom = run.Started, rev, run.ForkedFrom })
}

func (s *Server) replay(r *http.Request, in struct{ Pause bool }) (any, error) {
	p, run, err := s.recorded(r)
	if err != nil {
		return nil, err
	}
	ready, err := p.Again.Replay(s.base, run)
	if err != nil {
		return nil, p.refuse(err)
	}
	return s.goOn(p, ready, in.Pause, func(i *info) { i.Replays = run.ID })
}

// goOn begins a prepared run.
func (s *Server) goOn(p *loaded, ready *Prepared, pause bool, about func(*info)) (any, error) {
	options := debug.StartOptions{Pause: pause, Edits: ready.Edits}
	return s.launch(s.base, p, ready.Graph, ready.Args, options, func(ctx context.Context, o debug.StartOptions) (*debug.Session, error) {
		return s.opts.Controller.Continue(ctx, ready.Graph, ready.ID, ready.Events, o, ready.Run)
	}, about)
}

// decode returns the value of an edit; nil is nothing.
func (e editJSON) decode() (value.Value, error) {
	if e.Nothing == (e.Value != nil) {
		return nil, errorf(http.StatusBadRequest, "an edit has either value or nothing: true")
	}
	if strings.Contains(string(e.Value), "[redacted]") {
		return nil, &failure{
			status: http.StatusUnprocessableEntity, Message: "the value contains [redacted], which would replace the secret itself",
			Hint: "write another text instead",
		}
	}
	if e.Nothing {
		return nil, nil
	}
	v, err := value.Decode(e.Value)
	if err != nil {
		return nil, errorf(http.StatusUnprocessableEntity, "the value is %s", err)
	}
	return v, nil
}
