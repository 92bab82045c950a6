package page

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/debug"
)

const (
	runsShown = 50 // of a list, when the request does not say
	mostRuns  = 200
	mostLive  = 50 // runs at once
)

type runsJSON struct {
	Runs []info `json:"runs"`
	Next string `json:"next"` // what before is for the next page; "" at the end
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
	for _, f := range s.films.live() {
		i := f.now().info
		known[i.ID] = true
		if filter.Before == "" && fits(i, filter) {
			out.Runs = append(out.Runs, i)
		}
	}
	if s.opts.Store == nil || filter.Status == journal.Status(debug.Paused) {
		return out, nil
	}
	kept, err := s.opts.Store.List(r.Context(), filter)
	if err != nil {
		return nil, err
	}
	secrets := s.loaded().File.Secrets
	for _, run := range kept {
		if !known[run.ID] {
			out.Runs = append(out.Runs, keptInfo(run, secrets))
		}
	}
	if len(kept) == limit {
		out.Next = kept[limit-1].ID
	}
	return out, nil
}

// fits reports whether a run of this process is one that the filter selects.
func fits(i info, f journal.Filter) bool {
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

func (s *Server) startRun(r *http.Request) (any, error) {
	var in startJSON
	if err := read(r, &in); err != nil {
		return nil, err
	}
	p := s.loaded()
	g := p.graphOf(in.Tool)
	if g == nil {
		return nil, errorf(http.StatusNotFound, "there is no tool %q", in.Tool)
	}
	args, err := value.Decode(in.Args)
	if err != nil {
		return nil, errorf(http.StatusUnprocessableEntity, "the arguments are not JSON: %s", err)
	}
	if s.films.active() >= mostLive {
		return nil, errorf(http.StatusTooManyRequests, "%d runs go on, and no more are started; stop some", mostLive)
	}
	// A breakpoint at a node that another version of the file had is dropped.
	var stops []debug.Breakpoint
	for _, b := range in.Breakpoints {
		if g.Node(b.Node) != nil {
			stops = append(stops, b)
		}
	}
	options := debug.StartOptions{Pause: in.Pause, RunTo: in.RunTo, Breakpoints: stops}
	ctx := s.base
	if p.Begin != nil {
		ctx, options.Run = p.Begin(ctx, g)
	}
	p.use(+1)
	session, err := s.opts.Controller.Start(ctx, g, args, p.Engine, options)
	if err != nil {
		p.use(-1)
		return nil, p.refused(err)
	}
	f := newLiveFilm(p, session, args)
	s.films.add(f, s.opts.Store != nil)
	s.watch(f)
	return f.now().info, nil
}

// watch sends what a run does to the streams, at most so often.
func (s *Server) watch(f *film) {
	const pause = 40 * time.Millisecond
	s.live.Go(func() {
		defer f.project.use(-1)
		for {
			_, changed := f.session.StateAndChange()
			s.hub.tell("run", f.now().info)
			if f.over() {
				return
			}
			<-changed // also when the controller is closed, which stops the run
			sleep(s.base, pause)
		}
	})
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

func (s *Server) getRun(r *http.Request) (any, error) {
	now, err := s.frame(r)
	if err != nil {
		return nil, err
	}
	return now.info, nil
}
