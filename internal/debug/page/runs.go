package page

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/debug"
)

const mostLive = 50 // runs at once

type startJSON struct {
	Tool        string             `json:"tool"`
	Args        json.RawMessage    `json:"args"`
	Pause       bool               `json:"pause"`
	RunTo       string             `json:"runTo"`
	Breakpoints []debug.Breakpoint `json:"breakpoints"`
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
	active := 0
	for _, run := range s.runs.live() {
		if !run.over() {
			active++
		}
	}
	if active >= mostLive {
		return nil, errorf(http.StatusTooManyRequests, "%d runs are in progress, which is the limit; stop one", mostLive)
	}
	g, args, err = p.ForRun(s.base, g, args, p.Offers)
	if err != nil {
		return nil, errorf(http.StatusUnprocessableEntity, "%s", p.File.Secrets.Redact(err.Error()))
	}
	options := debug.StartOptions{Pause: in.Pause, RunTo: in.RunTo}
	for _, b := range in.Breakpoints {
		if debug.Knows(g, b.Node) { // else another version of the file had the node
			options.Breakpoints = append(options.Breakpoints, b)
		}
	}
	ctx := s.base
	if p.Begin != nil {
		ctx, options.Run = p.Begin(ctx, g)
	}
	reports := newReports(p.File.Secrets)
	if p.Hear != nil {
		ctx = p.Hear(ctx, reports.hear)
	}
	p.use(+1)
	options.Run = append(options.Run, execution.WithUser(user{s, in.Tool, p.File.Secrets}))
	session, err := s.opts.Controller.Start(ctx, g, args, p.Engine, options)
	if err != nil {
		p.use(-1)
		return nil, p.rejected(err)
	}
	run := newLiveRun(p, session, args, reports)
	s.runs.add(run, s.opts.Store != nil)
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

// liveRun returns the run of a request that is a command.
func (s *Server) liveRun(r *http.Request) (*shownRun, error) {
	run, err := s.run(r.Context(), r.PathValue("id"))
	if err == nil && run.over() {
		return nil, errorf(http.StatusConflict, "this run takes no commands: it has ended, or runs in another process")
	}
	return run, err
}

func (s *Server) control(r *http.Request, in struct{ Action, Node string }) (any, error) {
	run, err := s.liveRun(r)
	if err != nil {
		return nil, err
	}
	switch in.Action {
	case "pause":
		err = run.session.Pause()
	case "resume":
		err = run.session.Resume()
	case "step":
		err = run.session.Step()
	case "next":
		err = run.session.Next()
	case "out":
		err = run.session.Out()
	case "run-to":
		err = run.session.RunTo(in.Node)
	case "stop":
		run.session.Stop()
	default:
		return nil, errorf(http.StatusBadRequest, "action is %q, expected pause, resume, step, next, out, run-to or stop", in.Action)
	}
	if err != nil {
		return nil, errorf(http.StatusConflict, "%s", err)
	}
	return run.now().info, nil
}

type breakpointsJSON struct {
	Breakpoints []debug.Breakpoint `json:"breakpoints"`
}

func (s *Server) setBreakpoints(r *http.Request, in breakpointsJSON) (any, error) {
	run, err := s.liveRun(r)
	if err != nil {
		return nil, err
	}
	if err := run.session.SetBreakpoints(r.Context(), in.Breakpoints); err != nil {
		return nil, errorf(http.StatusUnprocessableEntity, "%s", err)
	}
	return breakpointsJSON{run.session.Breakpoints()}, nil
}

// editTime is how long a run may take to apply an edit.
const editTime = 10 * time.Second

type editJSON struct {
	Node    string          `json:"node"`
	Value   json.RawMessage `json:"value"`
	Nothing bool            `json:"nothing"`
}

func (s *Server) edit(r *http.Request, in editJSON) (any, error) {
	if in.Nothing == (in.Value != nil) {
		return nil, errorf(http.StatusBadRequest, "an edit has either value or nothing: true")
	}
	run, err := s.liveRun(r)
	if err != nil {
		return nil, err
	}
	if strings.Contains(string(in.Value), "[redacted]") {
		return nil, &failure{
			status: http.StatusUnprocessableEntity, Message: "the value contains [redacted], which would replace the secret itself",
			Hint: "write another text instead",
		}
	}
	var v value.Value
	if !in.Nothing {
		if v, err = value.Decode(in.Value); err != nil {
			return nil, errorf(http.StatusUnprocessableEntity, "the value is %s", err)
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), editTime)
	defer cancel()
	if err := run.session.Edit(ctx, in.Node, v); err != nil {
		return nil, errorf(http.StatusConflict, "%s", err)
	}
	return run.now().info, nil
}
