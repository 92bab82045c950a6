package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/project"
	"toolgraph/internal/telemetry/audit"
	"toolgraph/mcpclient"
)

// Host is a session that makes runs of several graph files for other processes. Safe for
// concurrent use.
type Host struct {
	session *Session
	graphs  map[string]hosted // by hash
}

// hosted is a graph that a Host runs.
type hosted struct {
	*Loaded
	engine *execution.Engine
	graph  *graph.Graph
}

// OpenHost loads graph files, of which all must be valid. The graph file and the asker of the options are not used. The
// caller closes the Host.
func OpenHost(ctx context.Context, o Options, files []string) (_ *Host, err error) {
	saveMemory()
	o.Asker = workerAsker{}
	host := &Host{graphs: map[string]hosted{}}
	defer func() {
		if err != nil {
			host.Close()
		}
	}()
	for _, file := range files {
		p, err := project.Load(ctx, file, o.File)
		if err != nil {
			return nil, err
		}
		if host.session == nil {
			if host.session, err = Open(ctx, o, p.File.Secrets); err != nil {
				return nil, err
			}
			if host.session.History == nil {
				return nil, errors.New("the run history cannot be opened, and runs of a worker have to be recorded; name it with --state")
			}
			host.session.fleet = host.session.join()
		}
		l, err := host.session.Use(p)
		if err != nil {
			return nil, err
		}
		LogFindings(l.Log, p.Warnings)
		warnPrograms(l)
		engine := l.Engine()
		for _, g := range p.Served() {
			before, known := host.graphs[g.HashWith(nil)]
			if known && !sameServers(before.Loaded, l, g) {
				return nil, fmt.Errorf("tool %q is the same graph in %s and %s, which define its servers differently, so it is not certain "+
					"which ones its runs call; give the files to workers of their own, or make the definitions equal", g.Tool.Name.Value, before.File.Path, file)
			}
			host.graphs[g.HashWith(nil)] = hosted{l, engine, g}
		}
	}
	if len(host.graphs) == 0 {
		return nil, &OptionsError{errors.New("no tool to make runs of: the graph files have no tool that is not hidden")}
	}
	return host, nil
}

// workerAsker has no user for the questions of servers. Each Order has that of its run.
type workerAsker struct{}

// Elicitor returns that there is no user.
func (workerAsker) Elicitor(*config.Secrets) mcpclient.Elicitor {
	return func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return nil, errors.New("a worker has no user to pass the question of a server on to")
	}
}

// User returns the user of a run that has none.
func (workerAsker) User(string, *config.Secrets) execution.User { return absentUser{} }

// sameServers reports whether two files define the servers alike that a graph calls.
func sameServers(a, b *Loaded, g *graph.Graph) bool {
	for _, call := range upstreamsOf(g) {
		of, _ := a.originOf(call.Server)
		if as, _ := b.originOf(call.Server); of.Identity != as.Identity {
			return false
		}
	}
	return true
}

// Close ends the servers, then what else is open.
func (h *Host) Close() {
	if h.session != nil {
		h.session.Close()
	}
}

// Log is the log of the session.
func (h *Host) Log() *slog.Logger { return h.session.Log }

// Grace is how long calls in flight may continue when the process is stopped.
func (h *Host) Grace() time.Duration { return h.session.given.Grace }

// Store is where the runs are recorded.
func (h *Host) Store() *journal.Store { return h.session.History }

// Session is what the runs share.
func (h *Host) Session() *Session { return h.session }

// Served is what a worker serves over HTTP: metrics, and whether it can record runs.
func (h *Host) Served() *Served {
	s := &Served{Log: h.Log(), Metrics: h.session.metrics, Ready: h.session.fleet.ready()}
	h.session.vitals.serving(s.Ready, nil)
	return s
}

// Tools returns the names of the tools whose runs are made, by the hashes of their graphs.
func (h *Host) Tools() map[string]string {
	tools := map[string]string{}
	for hash, on := range h.graphs {
		tools[hash] = on.graph.Tool.Name.Value
	}
	return tools
}

// Order is a run that is to be made, or resumed when it is recorded.
type Order struct {
	Run     string
	Graph   string      // hash
	Args    value.Value // nil: recorded
	Subject string
	End     bool // the run was cancelled: it is only to be recorded as that

	User     execution.User
	Stop     <-chan struct{}    // see execution.WithStop
	Observer execution.Observer // gets all events of the run, also those of earlier attempts; nil: nothing does
}

// Text returns the failure of a run of a graph, which is given by its hash, without secrets and with what its reader
// can do about it.
func (h *Host) Text(graph string, err error) string {
	text := WithRemedy(err).Error()
	if on, known := h.graphs[graph]; known {
		text = on.File.Secrets.Redact(text)
	}
	return text
}

// PermanentError is why a run can never be made or resumed.
type PermanentError struct{ Err error }

func (e *PermanentError) Error() string { return e.Err.Error() }

func (e *PermanentError) Unwrap() error { return e.Err }

// claimEvery is how often a run is looked at that another process has.
const claimEvery = 250 * time.Millisecond

// Make makes a run, or resumes it when it has begun; while another process has it, or another call of Make, Make
// waits, and with End it asks for its end. When
// it returns, the end of the run, or what was done of it, is recorded, and a suspended run is given
// back. The error is that of the run, an *execution.StepError, a *PermanentError, or a passing one:
// nothing is known of the run then, and it may be made again.
func (h *Host) Make(ctx context.Context, o Order) (*execution.Result, error) {
	on, known := h.graphs[o.Graph]
	if !known {
		return nil, fmt.Errorf("this worker does not have the graph %.12s of the run", o.Graph)
	}
	ctx = audit.WithSubject(ctx, o.Subject)
	for asked := (time.Time{}); ; {
		result, err := on.attempt(ctx, o)
		if !errors.Is(err, journal.ErrRunning) && !errors.Is(err, execution.ErrTaken) {
			return result, err
		}
		if o.End && time.Since(asked) > sendAgain {
			asked = time.Now()
			if err := on.fleet.cancelRun(ctx, o.Run); err != nil {
				on.Log.Info("the process that has a cancelled run cannot be asked to end it; waiting until it gives the run back", "run", o.Run, "error", err)
			}
		}
		if !wait(ctx, claimEvery) {
			return nil, context.Cause(ctx)
		}
	}
}

// attempt makes or resumes a run that other processes can cancel meanwhile.
func (on hosted) attempt(ctx context.Context, o Order) (*execution.Result, error) {
	runs, local, isNew := on.fleet.begin(ctx, o.Run, "")
	if !isNew {
		return nil, journal.ErrRunning
	}
	defer local.finish(nil, nil)
	return on.make(runs, o)
}

// Answer returns the answer to a question of a run that was stored for it.
func (h *Host) Answer(ctx context.Context, run string, q execution.Question) (a execution.Answer, err error) {
	body, err := h.session.History.Attached(ctx, run, markOf(q.At, q.Digest))
	if err == nil {
		err = json.Unmarshal(body, &a)
	}
	return a, err
}

func (on hosted) make(ctx context.Context, o Order) (*execution.Result, error) {
	options := []execution.Option{execution.WithUser(o.User), execution.WithStop(o.Stop)}
	if o.Observer != nil {
		options = append(options, execution.WithObserver(o.Observer))
	}
	run, err := on.History.Exact(ctx, o.Run)
	var result *execution.Result
	switch {
	case errors.Is(err, journal.ErrNotFound) && o.End:
		return nil, &execution.StepError{Run: o.Run, Err: &execution.Failure{Code: execution.CodeCancelled, Message: "the run was cancelled before it began"}}
	case errors.Is(err, journal.ErrNotFound) && o.Args == nil:
		return nil, &PermanentError{fmt.Errorf("run %s is not recorded; serve and workers need the same --state", o.Run)}
	case errors.Is(err, journal.ErrNotFound):
		result, err = on.Run(ctx, on.engine, on.graph, o.Args, append(options, execution.WithRunID(o.Run), execution.WithCaller("", true))...)
	case err != nil:
		return nil, err
	case crashLoop(run) != nil && run.CanResume() && !o.End:
		return nil, &PermanentError{crashLoop(run)}
	default:
		result, err = on.resumeHere(ctx, run, o, options)
	}
	return result, on.settled(ctx, o.Run, err)
}

// resumeHere resumes a recorded run, or returns its end; with End only to record that it was cancelled.
func (on hosted) resumeHere(ctx context.Context, run journal.Run, o Order, options []execution.Option) (*execution.Result, error) {
	start, err := on.History.Start(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	g, err := on.Recorded(ctx, run.Tool, start.Args)
	if err != nil {
		return nil, &PermanentError{err}
	}
	if run.HasEnded() {
		events, err := on.History.Load(ctx, run.ID)
		if err != nil {
			return nil, err
		}
		return on.engine.Ended(ctx, g, events)
	}
	events, err := on.claimed(ctx, run.ID, false)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		if o.Observer != nil {
			o.Observer.Observe(e)
		}
	}
	if o.End {
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		ctx = cancelled
	}
	return on.Continue(ctx, g, events, options...)
}

// settled waits until a run is recorded, and says whether its error is permanent.
func (on hosted) settled(ctx context.Context, id string, err error) error {
	var step *execution.StepError
	var gap *journal.GapError
	var arguments *execution.ArgumentsError
	switch {
	case errors.Is(err, execution.ErrGraphChanged), errors.Is(err, execution.ErrHalfForked), errors.Is(err, execution.ErrItemsChanged),
		errors.As(err, &gap), errors.As(err, &arguments):
		return &PermanentError{err}
	case err != nil && !errors.As(err, &step), errors.Is(err, execution.ErrTaken):
		return err
	}
	if errors.Is(err, execution.ErrSuspended) {
		return err
	}
	return cmp.Or(on.History.Flush(context.WithoutCancel(ctx), id), err)
}
