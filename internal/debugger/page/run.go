package page

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/fold"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/debugger/debug"
)

// info is a run as lists and events show it.
type info struct {
	ID         string            `json:"id"`
	Tool       string            `json:"tool"`
	Graph      string            `json:"graph"`  // its hash
	Status     string            `json:"status"` // of debug.Status and journal.Status; a stopped run is cancelled
	Live       bool              `json:"live"`   // in this process: it takes commands until it has ended
	Args       string            `json:"args"`   // a preview
	Started    time.Time         `json:"started"`
	Ended      *time.Time        `json:"ended"`
	MS         float64           `json:"ms"`
	Steps      int               `json:"steps"`           // records, edits among them
	Usage      *usageJSON        `json:"usage,omitempty"` // of a run that has ended, unless an earlier version has recorded it
	Rev        int               `json:"rev"`             // of two answers about a run, the one with the higher number is newer
	PausedBy   debug.Reason      `json:"pausedBy"`
	Problem    string            `json:"problem"`            // why the condition of a breakpoint failed
	Next       *nextJSON         `json:"next"`               // the node or part about to run, or that runs
	Held       []heldJSON        `json:"held,omitempty"`     // all nodes and parts that are held, in order
	Pausing    bool              `json:"pausing,omitempty"`  // it pauses before the next node or part
	Question   *asked            `json:"question,omitempty"` // that has no answer, also of an interrupted run
	Stack      []callerJSON      `json:"stack,omitempty"`    // what has called the frame of next, from the inside out
	Progress   []reportJSON      `json:"progress,omitempty"` // what servers report of the calls in flight
	Error      *failureJSON      `json:"error"`
	FailedAt   execution.Address `json:"failedAt,omitempty"`   // the step or part with which the run failed, as far inside as it is known
	ForkedFrom string            `json:"forkedFrom,omitempty"` // RUN/ADDRESS
	Replays    string            `json:"replays,omitempty"`    // the id of the run whose calls are answered from its record
	Mocked     bool              `json:"mocked,omitempty"`     // mocks answer its calls; it is not recorded
	Warning    string            `json:"warning"`              // why it is not shown as others are
}

type nextJSON struct {
	Index int               `json:"index"`
	Node  string            `json:"node"`
	Frame execution.Address `json:"frame,omitempty"`
	Part  string            `json:"part,omitempty"`

	Server string  `json:"server,omitempty"` // of a call in flight
	Tool   string  `json:"tool,omitempty"`
	Start  float64 `json:"start,omitempty"` // when the call was sent, in milliseconds after the run
}

// heldJSON is a node or part before which a run is held.
type heldJSON struct {
	nextJSON
	PausedBy debug.Reason `json:"pausedBy"`
}

// callerJSON is an execution or a part that has called a graph.
type callerJSON struct {
	At   execution.Address `json:"at"`
	Tool string            `json:"tool"` // whose graph has the node
	Node string            `json:"node"`
}

// failureJSON is why a step or a run failed.
type failureJSON struct {
	Code    execution.Code `json:"code"`
	Detail  string         `json:"detail,omitempty"`
	Message string         `json:"message"`
	Node    string         `json:"node,omitempty"`
	Line    int            `json:"line,omitempty"`
	Column  int            `json:"column,omitempty"`
	Caret   string         `json:"caret,omitempty"` // the line with a caret under the place

	// Callers are the levels that the failure has passed, from the inside out.
	Callers []execution.Caller `json:"callers,omitempty"`

	file string // of Line and Column
}

// in leaves out a place that is not in the graph file of the run, which may have been started with
// another path to it.
func (f *failureJSON) in(path string) *failureJSON {
	if f != nil && f.file != "" && filepath.Base(f.file) != filepath.Base(path) {
		f.Line, f.Column = 0, 0
	}
	return f
}

// failureOf returns a redacted failure for the page.
func failureOf(f *execution.Failure) *failureJSON {
	if f == nil {
		return nil
	}
	node := f.Node
	if node == config.StepsID && f.Part != "" {
		node = (&execution.Visit{NodeID: node, Part: f.Part}).Name()
	}
	out := &failureJSON{Code: f.Code, Detail: f.Detail, Node: node, Line: f.Pos.Line, Column: f.Pos.Column, Callers: f.Callers, file: f.Pos.File}
	out.Message, out.Caret = splitCaret(f.Message)
	return out
}

// splitCaret separates a message from the two lines at its end that point into an
// expression.
func splitCaret(message string) (rest, caret string) {
	lines := strings.Split(message, "\n")
	n := len(lines)
	if n < 3 || strings.TrimSpace(lines[n-1]) != "^" {
		return message, ""
	}
	return strings.Join(lines[:n-2], "\n"), strings.Join(lines[n-2:], "\n")
}

// recordedInfo returns the info of a run of the store.
func recordedInfo(run journal.Run, secrets *config.Secrets) info {
	out := info{
		ID: run.ID, Tool: run.Tool, Graph: run.Graph, Status: string(run.Status), Args: secrets.Redact(run.Args), Started: run.Started,
		MS: run.Duration, Steps: run.Steps, ForkedFrom: run.ForkedFrom, Error: failureOf(redactedFailure(secrets, run.Failure)).in(run.File),
	}
	if !run.Ended.IsZero() {
		out.Ended = &run.Ended
	}
	if run.Usage != nil {
		out.Usage = usageOf(&run.Usage.Used)
	}
	if q := run.Question; q != nil {
		out.Question = askedIn(&q.Question, q.Node, q.Address, secrets)
	}
	out.Rev = 2 * run.Steps // which grow, so that of two answers the newer one is known
	if run.HasEnded() {
		out.Rev++
	}
	if run.Damaged != "" {
		out.Status, out.Error = "damaged", &failureJSON{Message: "the run is damaged: " + run.Damaged}
	}
	return out
}

// update copies the state of a session. ended is when the run ended by its record; the zero time when that
// is not known.
func (i *info) update(state debug.State, ended time.Time, file *config.File) {
	secrets := file.Secrets
	i.Status, i.PausedBy, i.Steps = string(state.Status), state.PausedBy, state.Records
	i.Problem, i.Next, i.Error = secrets.Redact(state.Problem), nil, failureOf(redactedFailure(secrets, state.Error)).in(file.Path)
	if state.Status == debug.Stopped {
		i.Status = string(journal.Cancelled)
	}
	i.Stack, i.Held, i.Question, i.Pausing = nil, nil, nil, state.Pausing
	i.Usage = usageOf(state.Used)
	for _, h := range state.Held {
		next := nextJSON{Index: h.Visit.Index, Node: h.Visit.NodeID, Frame: h.Visit.Frame, Part: h.Visit.Part}
		i.Held = append(i.Held, heldJSON{next, h.PausedBy})
	}
	if visit := cmp.Or(state.Next, state.Current); visit != nil {
		i.Next = &nextJSON{Index: visit.Index, Node: visit.NodeID, Frame: visit.Frame, Part: visit.Part}
		if state.Next == nil {
			i.Next.Server, i.Next.Tool = visit.Server, visit.Tool
		}
		for _, c := range state.Stack {
			i.Stack = append(i.Stack, callerJSON{At: c.At, Tool: c.Tool, Node: c.Node})
		}
		i.Question = askedIn(state.Question, visit.Name(), visit.At(), secrets)
	}
	end := ended
	if end.IsZero() {
		end = time.Now()
	}
	if state.Status.Ended() {
		i.Ended = &end
	}
	i.MS = float64(max(0, end.UnixMicro()-i.Started.UnixMicro())) / 1000 // as the store counts
}

// after is a time in milliseconds since the run began.
func (r *runState) after(at time.Time) float64 {
	began := r.history.Began()
	if began.IsZero() {
		began = r.Started
	}
	return milliseconds(max(0, at.Sub(began)))
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// runState is a run at one moment, redacted. It must not be changed; the history of a live run
// grows all the same.
type runState struct {
	info
	project *loaded
	graph   *graph.Graph // nil: the run was one of another version of the graph
	args    value.Value
	result  value.Value
	history *fold.History

	canEditStep func(step string) error // of a live run that is held, see debug.Session.CanEdit; else nil
}

// shownRun is a run that the page shows, live or recorded. Safe for concurrent use.
type shownRun struct {
	session *debug.Session // nil: a recorded run
	stored  int            // steps of a recorded run when it was read
	reports *reports       // of a live run

	mu sync.Mutex // guards what changes of a live run
	runState
}

func newLiveRun(p *loaded, s *debug.Session, args value.Value, reports *reports) *shownRun {
	args = redacted(p.File.Secrets, args)
	return &shownRun{session: s, reports: reports, runState: runState{project: p, graph: s.Graph(), args: args, history: fold.NewHistory(), info: info{
		ID: s.ID(), Tool: s.Graph().Tool.Name.Value, Graph: s.Graph().Hash, Live: true, Args: preview(args, journal.ArgsShown), Started: time.Now(),
	}}}
}

func newRecordedRun(ctx context.Context, p *loaded, run journal.Run, events []execution.Event) *shownRun {
	secrets := p.File.Secrets
	r := &shownRun{stored: run.Steps, runState: runState{project: p, info: recordedInfo(run, secrets), history: fold.NewHistory()}}
	for _, e := range events {
		switch {
		case e.Start != nil:
			r.args = redacted(secrets, e.Start.Args)
			g, err := p.Recorded(ctx, run.Tool, e.Start.Args)
			if err == nil && e.Start.IsOf(g) {
				r.graph = g
			}
			r.Warning = p.noPlan(run.Tool, r.graph)
			r.history.Add(e)
		case e.Record != nil:
			record := redactedRecord(secrets, *e.Record)
			r.history.Add(execution.Event{Record: &record})
		case e.Step != nil:
			r.history.Add(e)
		case e.End != nil:
			r.result = redacted(secrets, e.End.Value)
		}
	}
	r.Steps = r.history.Len()
	r.FailedAt = r.failedAt()
	return r
}

// now returns the run up to now. It reads what a live run has done since the last time.
func (r *shownRun) now() runState {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session != nil {
		r.Rev++
	}
	if r.session != nil && r.Ended == nil {
		state := r.session.State() // before the records, so that it never counts more of them
		secrets := r.project.File.Secrets
		r.history.Follow(r.session.History(), func(rec execution.Record) execution.Record { return redactedRecord(secrets, rec) })
		if began := r.history.Began(); !began.IsZero() {
			r.Started = began
		}
		r.update(state, r.history.Ended(), r.project.File)
		r.Steps = r.history.Len()
		if r.Next != nil {
			r.Next.Index = len(r.history.Records(r.Next.Frame))
			if flying := r.history.InFlight(execution.AddressOf(r.Next.Frame, r.Next.Index, r.Next.Part)); len(flying) > 0 && r.Next.Server != "" {
				r.Next.Start = r.after(flying[0].Since)
			}
		}
		r.Progress = r.reports.of(r.history)
		r.FailedAt = r.failedAt()
		r.canEditStep = nil
		if next := state.Next; next != nil {
			r.canEditStep = func(step string) error { return r.session.CanEdit(next.At(), step) }
		}
		if state.Status == debug.Finished {
			r.result = redacted(secrets, state.Result)
		}
	}
	return r.runState
}

// over reports whether the run has ended, or is recorded.
func (r *shownRun) over() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session == nil || r.Ended != nil
}

// redacted returns a value without secrets.
func redacted(secrets *config.Secrets, v value.Value) value.Value {
	if v == nil || secrets.Len() == 0 {
		return v
	}
	raw, err := value.Encode(v)
	if err != nil {
		return "[redacted]" // values of a run always encode
	}
	clean := secrets.RedactJSON(raw)
	if bytes.Equal(clean, raw) {
		return v
	}
	if v, err = value.Decode(clean); err != nil {
		return "[redacted]"
	}
	return v
}

func redactedFailure(secrets *config.Secrets, f *execution.Failure) *execution.Failure {
	if f == nil {
		return nil
	}
	out := *f
	out.Message, out.Structured, out.Result = secrets.Redact(f.Message), secrets.RedactJSON(f.Structured), secrets.RedactJSON(f.Result)
	out.Callers = slices.Clone(f.Callers)
	for i := range out.Callers {
		out.Callers[i].Item = secrets.Redact(out.Callers[i].Item)
	}
	return &out
}

func redactedRecord(secrets *config.Secrets, r execution.Record) execution.Record {
	r.Output, r.Error, r.Handled = redacted(secrets, r.Output), redactedFailure(secrets, r.Error), redactedFailure(secrets, r.Handled)
	r.Attempts = slices.Clone(r.Attempts)
	for i := range r.Attempts {
		r.Attempts[i].Error = redactedFailure(secrets, r.Attempts[i].Error)
	}
	return r
}

// run returns a run of the graph file, live or recorded.
func (s *Server) run(ctx context.Context, id string) (*shownRun, error) {
	if r := s.runs.get(id); r != nil && r.session != nil {
		return r, nil
	}
	notFound := errorf(http.StatusNotFound, "run %q not found", id)
	if s.opts.Store == nil {
		return nil, notFound
	}
	recorded, err := s.opts.Store.Run(ctx, id)
	p := s.loaded()
	if errors.Is(err, journal.ErrNotFound) || err == nil && recorded.File != p.path { // secrets of another file are unknown
		return nil, notFound
	}
	if err != nil {
		return nil, err
	}
	if r := s.runs.get(recorded.ID); r != nil && (r.session != nil || r.stored == recorded.Steps && r.MS == recorded.Duration && r.Status == string(recorded.Status)) {
		return r, nil
	}
	events, err := s.opts.Store.Load(ctx, recorded.ID)
	if err != nil {
		return nil, err
	}
	r := newRecordedRun(ctx, p, recorded, events)
	s.runs.add(r, true)
	return r, nil
}
