package page

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/debug"
)

const (
	runsShown = 50 // of a list, unless the request has a limit
	mostRuns  = 200
	mostLive  = 50 // runs at once
)

type runsJSON struct {
	Runs []info `json:"runs"`
	Next string `json:"next"` // before of the next page; "" at the end
}

func (s *Server) listRuns(r *http.Request) (any, error) {
	limit, err := number(r, "limit", runsShown, mostRuns)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	filter := journal.Filter{
		Tool: q.Get("tool"), Status: journal.Status(q.Get("status")), Text: q.Get("text"), Before: q.Get("before"),
		File: s.loaded().path, Limit: limit,
	}
	if text := q.Get("since"); text != "" {
		if filter.Since, err = time.Parse(time.RFC3339, text); err != nil {
			return nil, errorf(http.StatusBadRequest, "since is %q, expected a time like 2026-01-31T12:00:00Z", text)
		}
	}
	out := runsJSON{Runs: []info{}}
	known := map[string]bool{}
	for _, run := range s.runs.live() {
		i := run.now().info
		known[i.ID] = true
		if filter.Before == "" && i.matches(filter) {
			out.Runs = append(out.Runs, i)
		}
	}
	if s.opts.Store == nil || filter.Status == journal.Status(debug.Paused) {
		return out, nil
	}
	recorded, err := s.opts.Store.List(r.Context(), filter)
	if err != nil {
		return nil, err
	}
	secrets := s.loaded().File.Secrets
	for _, run := range recorded {
		if !known[run.ID] {
			out.Runs = append(out.Runs, recordedInfo(run, secrets))
		}
	}
	if len(recorded) == limit {
		out.Next = recorded[limit-1].ID
	}
	return out, nil
}

// matches reports whether the filter selects a run of this process.
func (i info) matches(f journal.Filter) bool {
	text := strings.ToLower(i.ID + "\n" + i.Tool + "\n" + i.Args)
	if i.Error != nil {
		text += strings.ToLower(i.Error.Message)
	}
	return (f.Tool == "" || f.Tool == i.Tool) && (f.Status == "" || string(f.Status) == i.Status) &&
		!i.Started.Before(f.Since) && strings.Contains(text, strings.ToLower(f.Text))
}

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
	p.use(+1)
	options.Run = append(options.Run, execution.WithUser(user{s, in.Tool, p.File.Secrets}))
	session, err := s.opts.Controller.Start(ctx, g, args, p.Engine, options)
	if err != nil {
		p.use(-1)
		return nil, p.rejected(err)
	}
	run := newLiveRun(p, session, args)
	s.runs.add(run, s.opts.Store != nil)
	s.follow(run)
	return run.now().info, nil
}

// follow publishes what a run does, at most every 40 ms, and last of all how it has ended.
func (s *Server) follow(run *shownRun) {
	const pause = 40 * time.Millisecond
	s.live.Go(func() {
		defer run.project.use(-1)
		for {
			_, changed := run.session.StateAndChange()
			now := run.now().info
			s.hub.publish("run", now)
			if now.Ended != nil { // not run.over(), which may be newer than what was published
				return
			}
			<-changed // also when the controller is closed, which stops the run
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
