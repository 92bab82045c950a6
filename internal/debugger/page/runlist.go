package page

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"toolgraph/execution/journal"
	"toolgraph/internal/debugger/debug"
)

const (
	runsShown = 50 // of a list, unless the request has a limit
	mostRuns  = 200
)

type runsJSON struct {
	Runs []info `json:"runs"`
	Next string `json:"next"` // before of the next page; "" at the end
}

// listRuns lists runs, the newest first: those of the store, with what this process knows better of its
// own, and between them its own runs that are not recorded.
func (s *Server) listRuns(r *http.Request) (any, error) {
	limit, err := number(r, "limit", runsShown, mostRuns)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	filter := journal.Filter{
		Tool: q.Get("tool"), Status: journal.Status(q.Get("status")), Text: q.Get("text"), File: s.loaded().path, Limit: limit,
	}
	if filter.Since, err = timeOf(q.Get("since"), "since"); err != nil {
		return nil, err
	}
	if filter.Until, err = timeOf(q.Get("until"), "until"); err != nil {
		return nil, err
	}
	own := map[string]info{}
	for _, run := range s.runs.live() {
		i := run.now().info
		own[i.ID] = i
	}
	before, err := s.startBefore(r, own, &filter)
	if err != nil {
		return nil, err
	}
	out := runsJSON{Runs: []info{}}
	last := time.Time{} // where the page ends
	if s.opts.Store != nil && filter.Status != journal.Status(debug.Paused) {
		recorded, err := s.opts.Store.List(r.Context(), filter)
		if err != nil {
			return nil, err
		}
		secrets := s.loaded().File.Secrets
		for _, run := range recorded {
			i, isOwn := own[run.ID]
			if !isOwn {
				i = recordedInfo(run, secrets)
			}
			delete(own, run.ID)
			if !isOwn || i.matches(filter) {
				out.Runs = append(out.Runs, i)
			}
		}
		if len(recorded) == limit {
			out.Next, last = recorded[limit-1].ID, recorded[limit-1].Started
		}
	}
	for _, i := range own {
		if i.matches(filter) && !i.Started.Before(last) && (before.IsZero() || i.Started.Before(before)) && !s.isListed(r.Context(), i.ID, filter) {
			at := slices.IndexFunc(out.Runs, func(other info) bool { return other.Started.Before(i.Started) })
			if at < 0 {
				at = len(out.Runs)
			}
			out.Runs = slices.Insert(out.Runs, at, i)
		}
	}
	if len(out.Runs) > limit {
		out.Runs = out.Runs[:limit]
		out.Next = out.Runs[limit-1].ID
	}
	return out, nil
}

// isListed reports whether a run of this process is in the lists of the store, on this page or another.
func (s *Server) isListed(ctx context.Context, id string, filter journal.Filter) bool {
	if s.opts.Store == nil || filter.Status == journal.Status(debug.Paused) {
		return false
	}
	_, err := s.opts.Store.Run(ctx, id)
	return err == nil
}

// startBefore makes the filter begin after the run that the request names as the last one of the page
// before, and returns when that run began.
func (s *Server) startBefore(r *http.Request, own map[string]info, filter *journal.Filter) (began time.Time, err error) {
	id := r.URL.Query().Get("before")
	if id == "" {
		return began, nil
	}
	i, isOwn := own[id]
	if s.opts.Store != nil {
		run, err := s.opts.Store.Run(r.Context(), id)
		if err == nil {
			filter.Before = run.ID
			return run.Started, nil
		}
		if !errors.Is(err, journal.ErrNotFound) {
			return began, err
		}
	}
	if !isOwn {
		return began, errorf(http.StatusNotFound, "run %q not found; list the runs again", id)
	}
	if filter.Until.IsZero() || i.Started.Before(filter.Until) {
		filter.Until = i.Started
	}
	return i.Started, nil
}

// timeOf reads a time of a request; the zero time without one.
func timeOf(text, name string) (at time.Time, err error) {
	if text == "" {
		return at, nil
	}
	if at, err = time.Parse(time.RFC3339, text); err != nil {
		return at, errorf(http.StatusBadRequest, "%s is %q, expected a time like 2026-01-31T12:00:00Z", name, text)
	}
	return at, nil
}

// matches reports whether the filter selects a run of this process.
func (i info) matches(f journal.Filter) bool {
	text := strings.ToLower(i.ID + " " + i.Tool + " " + i.Args)
	if i.Error != nil {
		text += " " + strings.ToLower(i.Error.Message)
	}
	return (f.Tool == "" || f.Tool == i.Tool) && (f.Status == "" || string(f.Status) == i.Status) &&
		!i.Started.Before(f.Since) && (f.Until.IsZero() || i.Started.Before(f.Until)) && strings.Contains(text, strings.ToLower(f.Text))
}

// followStore publishes what runs of other processes do.
func (s *Server) followStore() {
	err := s.opts.Store.Follow(s.base, s.loaded().path, func(runs []journal.Run) error {
		secrets := s.loaded().File.Secrets
		for _, run := range runs {
			if !s.runs.has(run.ID) { // of its own this process knows more, and earlier
				s.hub.publish("run", recordedInfo(run, secrets))
			}
		}
		return nil
	})
	if err != nil {
		s.opts.Logger.Warn("runs of other processes are not shown while they run", "error", err)
	}
}
