package page

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"

	"toolgraph/execution/journal"
)

// How many films stay in memory: those of runs in this process that are over, and those
// that were read from the store. Without a store the former are all there is.
const (
	endedWithStore = 8
	endedAlone     = 50
	keptFilms      = 4
)

// films are the runs that were looked at last.
type films struct {
	mu    sync.Mutex // guards what follows
	runs  map[string]*film
	order []string // of their ids, the one looked at last at the end
}

// film is the film of a run.
func (s *Server) film(ctx context.Context, id string) (*film, error) {
	if f := s.films.get(id); f != nil && f.session != nil {
		return f, nil
	}
	if s.opts.Store == nil {
		return nil, errorf(http.StatusNotFound, "there is no run %q", id)
	}
	run, err := s.opts.Store.Run(ctx, id)
	if errors.Is(err, journal.ErrNotFound) {
		return nil, errorf(http.StatusNotFound, "there is no run %q", id)
	}
	if err != nil {
		return nil, err
	}
	p := s.loaded()
	if run.File != p.path { // of another graph file, whose secrets this one does not know
		return nil, errorf(http.StatusNotFound, "there is no run %q of this graph file", id)
	}
	if f := s.films.get(run.ID); f != nil && (f.session != nil || f.info.Steps == run.Steps && f.info.Status == string(run.Status)) {
		return f, nil
	}
	events, err := s.opts.Store.Load(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	f := newKeptFilm(p, run, events)
	s.films.add(f, s.opts.Store != nil)
	return f, nil
}

// frame is the run that a request names, as it is now.
func (s *Server) frame(r *http.Request) (frame, error) {
	f, err := s.film(r.Context(), r.PathValue("id"))
	if err != nil {
		return frame{}, err
	}
	return f.now(), nil
}

func (l *films) get(id string) *film {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.runs[id]
	if f != nil {
		l.order = append(slices.DeleteFunc(l.order, func(other string) bool { return other == id }), id)
	}
	return f
}

// add keeps a film and lets go of those that were looked at longest ago.
func (l *films) add(f *film, stored bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := f.info.ID
	l.runs[id] = f
	l.order = append(slices.DeleteFunc(l.order, func(other string) bool { return other == id }), id)
	ended, kept := endedAlone, keptFilms
	if stored {
		ended = endedWithStore
	}
	for i := len(l.order) - 1; i >= 0; i-- {
		old := l.runs[l.order[i]]
		if !old.over() {
			continue
		}
		left := &ended
		if old.session == nil {
			left = &kept
		}
		if *left--; *left < 0 {
			delete(l.runs, l.order[i])
			l.order = slices.Delete(l.order, i, i+1)
		}
	}
}

// live are the films of runs in this process, the newest first.
func (l *films) live() []*film {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []*film
	for _, f := range l.runs {
		if f.session != nil {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b *film) int { return b.info.Started.Compare(a.info.Started) })
	return out
}

// forget lets go of the kept runs: another version of the file may have other secrets
// and another graph.
func (l *films) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.order = slices.DeleteFunc(l.order, func(id string) bool {
		if l.runs[id].session != nil {
			return false
		}
		delete(l.runs, id)
		return true
	})
}

// active is how many runs of this process are not over.
func (l *films) active() int {
	n := 0
	for _, f := range l.live() {
		if !f.over() {
			n++
		}
	}
	return n
}
