package page

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/debugger/debug"
)

const mostLive = 50 // runs at once

type startJSON struct {
	Tool  string          `json:"tool"`
	Args  json.RawMessage `json:"args"`
	Pause bool            `json:"pause"`
	RunTo string          `json:"runTo"`

	Mocks *json.RawMessage `json:"mocks"` // that answer its calls in place of servers; nil: servers do
}

func (s *Server) startRun(_ *http.Request, in startJSON) (any, error) {
	p := s.loaded()
	g, err := p.Graph(in.Tool)
	if err != nil {
		return nil, errorf(http.StatusNotFound, "%s", p.File.Secrets.Redact(err.Error()))
	}
	args, err := value.Decode(in.Args)
	if err != nil {
		return nil, errorf(http.StatusUnprocessableEntity, "the arguments are not JSON: %s", err)
	}
	if err := s.hasRoom(); err != nil {
		return nil, err
	}
	if g, args, err = s.forRun(p, g, args); err != nil {
		return nil, err
	}
	ctx := s.base
	options := debug.StartOptions{Pause: in.Pause, RunTo: in.RunTo}
	if in.Mocks != nil {
		return s.startMocked(p, g, args, options, *in.Mocks)
	}
	if p.Begin != nil {
		ctx, options.Run = p.Begin(ctx, g)
	}
	return s.launch(ctx, p, g, args, options, func(ctx context.Context, o debug.StartOptions) (*debug.Session, error) {
		return s.opts.Controller.Start(ctx, g, args, p.Engine, o)
	}, func(*info) {})
}

// hasRoom returns an error when too many runs are in progress.
func (s *Server) hasRoom() error {
	active := 0
	for _, run := range s.runs.live() {
		if !run.over() {
			active++
		}
	}
	if active >= mostLive {
		return errorf(http.StatusTooManyRequests, "%d runs are in progress, which is the limit; stop one", mostLive)
	}
	return nil
}

// launch begins a session of a run, with the breakpoints of its tools, and follows it. about
// completes what is known of the run.
func (s *Server) launch(ctx context.Context, p *loaded, g *graph.Graph, args value.Value, o debug.StartOptions,
	begin func(context.Context, debug.StartOptions) (*debug.Session, error), about func(*info),
) (any, error) {
	o.Run = append(o.Run, execution.WithUser(user{s, g.Tool.Name.Value, p.File.Secrets}))
	reports := newReports(p.File.Secrets)
	if p.Reported != nil {
		ctx = p.Reported(ctx, reports.take)
	}
	p.use(+1)
	var rev int
	o.Breakpoints, rev = s.breaks.in(g)
	session, err := begin(ctx, o)
	if err != nil {
		p.use(-1)
		return nil, p.rejected(err)
	}
	run := newLiveRun(p, session, args, reports)
	about(&run.info)
	s.runs.add(run, s.opts.Store != nil)
	if all, now := s.breaks.in(g); now != rev { // they have changed before the run was known
		if err := session.SetBreakpoints(s.base, all); err != nil {
			return nil, err
		}
	}
	s.follow(run)
	return run.now().info, nil
}

// follow publishes what a run does, at most every 40 ms, and last of all how it has ended. What
// servers report of their calls is published at most every 200 ms.
func (s *Server) follow(run *shownRun) {
	const pause, reportPause = 40 * time.Millisecond, 200 * time.Millisecond
	s.live.Go(func() {
		defer run.project.use(-1)
		for {
			_, changed := run.session.StateAndChange()
			now := run.now().info
			s.hub.publish("run", now)
			if now.Ended != nil { // not run.over(), which may be newer than what was published
				return
			}
			select {
			case <-changed: // also when the controller is closed, which stops the run
			case <-run.reports.news:
				select {
				case <-changed:
				case <-time.After(reportPause):
				}
			}
			select {
			case <-s.base.Done():
			case <-time.After(pause):
			}
		}
	})
}

// liveRun returns the run of a request that is a command. The error may be that the run takes none.
func (s *Server) liveRun(r *http.Request) (*shownRun, error) {
	run, err := s.run(r.Context(), r.PathValue("id"))
	if err == nil && run.over() {
		return run, errorf(http.StatusConflict, "this run takes no commands: it has ended, or runs in another process")
	}
	return run, err
}

// controlJSON is a command. At is what is held there; empty: where the run is, for resume everything.
type controlJSON struct {
	Action string            `json:"action"`
	Node   string            `json:"node"`
	At     execution.Address `json:"at"`
}

func (s *Server) control(r *http.Request, in controlJSON) (any, error) {
	run, err := s.liveRun(r)
	switch {
	case err == nil:
	case run != nil && in.Action == "stop" && s.opts.Cancel != nil && run.now().Ended == nil:
		return s.cancelElsewhere(r, run)
	default:
		return nil, err
	}
	switch in.Action {
	case "pause":
		err = run.session.Pause()
	case "resume":
		err = run.session.Resume(in.At)
	case "step":
		err = run.session.Step(in.At)
	case "next":
		err = run.session.Next(in.At)
	case "out":
		err = run.session.Out(in.At)
	case "choose":
		err = run.session.Choose(in.At)
	case "run-to":
		err = run.session.RunTo(in.Node)
	case "stop":
		run.session.Stop()
	default:
		return nil, errorf(http.StatusBadRequest, "action is %q, expected pause, resume, step, next, out, choose, run-to or stop", in.Action)
	}
	if err != nil {
		return nil, errorf(http.StatusConflict, "%s", err)
	}
	return run.now().info, nil
}

// cancelElsewhere cancels a run that this process does not have.
func (s *Server) cancelElsewhere(r *http.Request, run *shownRun) (any, error) {
	if err := s.opts.Cancel(r.Context(), run.now().ID); err != nil {
		return nil, errorf(http.StatusConflict, "%s", err)
	}
	after, err := s.run(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return after.now().info, nil
}

// editTime is how long a run may take to apply an edit.
const editTime = 10 * time.Second

type editJSON struct {
	Node    string          `json:"node"`
	Value   json.RawMessage `json:"value"`
	Nothing bool            `json:"nothing"`

	At execution.Address `json:"at"` // what is held in the frame; empty: where the run is
}

func (s *Server) edit(r *http.Request, in editJSON) (any, error) {
	v, err := in.decode()
	if err != nil {
		return nil, err
	}
	run, err := s.liveRun(r)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), editTime)
	defer cancel()
	if err := run.session.Edit(ctx, in.At, in.Node, v); err != nil {
		return nil, errorf(http.StatusConflict, "%s", err)
	}
	return run.now().info, nil
}
