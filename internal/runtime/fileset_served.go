package runtime

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"toolgraph/internal/base/wording"
	"toolgraph/internal/serving/server"
)

// served is what the transport serves.
func (set *fileSet) served(ctx context.Context) *Served {
	s := &Served{Log: set.session.Log, Metrics: set.session.metrics, Title: set.title()}
	if f := set.session.fleet; f != nil {
		s.Ready = f.ready()
		s.Listening = func(address string) error { return f.serveAt(ctx, address) }
	}
	set.session.vitals.serving(s.Ready, set.states)
	if only := set.mounts[""]; only != nil {
		s.Server = only.srv
		return s
	}
	if set.union != nil {
		s.Server = set.union.srv
	}
	s.State = set.state
	s.Each = func(site *server.Site) {
		set.mu.Lock()
		defer set.mu.Unlock()
		set.site = site
		for _, m := range set.mounts {
			if m.srv != nil {
				site.Put(pathOf(m.Name), m.srv)
			}
		}
	}
	return s
}

// title says what is served: so many tools of a file, or of so many files.
func (set *fileSet) title() string {
	tools, last := 0, ""
	for _, m := range set.mounts {
		if l := m.current.Load(); l != nil {
			tools += len(l.Listed())
			last = l.File.Path
		}
	}
	if len(set.mounts) > 1 {
		last = wording.Count(len(set.mounts), "graph file")
	}
	return wording.Count(tools, "tool") + " of " + last
}

// The states of a file that is served.
const (
	isCurrent  = "current"
	isPrevious = "previous" // the file as it is has errors
	isNone     = "none"     // likewise, and there was no version before
)

// state says which version of a file is served; its set.mu is held.
func (m *mount) state() string {
	switch {
	case m.broken == nil:
		return isCurrent
	case m.current.Load() != nil:
		return isPrevious
	}
	return isNone
}

// states counts the files by their states.
func (set *fileSet) states() map[string]int {
	set.mu.Lock()
	defer set.mu.Unlock()
	all := map[string]int{isCurrent: 0, isPrevious: 0, isNone: 0}
	for _, m := range set.mounts {
		all[m.state()]++
	}
	return all
}

// state writes a line for each file: where it is served, and whether as it is now.
func (set *fileSet) state(w io.Writer) {
	set.mu.Lock()
	defer set.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(set.mounts)) {
		m := set.mounts[name]
		switch m.state() {
		case isCurrent:
			fmt.Fprintf(w, "%s serves the file as it is\n", pathOf(name))
		case isPrevious:
			fmt.Fprintf(w, "%s serves the version before: the file has errors, see the log\n", pathOf(name))
		case isNone:
			fmt.Fprintf(w, "%s serves nothing: the file has errors, see the log\n", pathOf(name))
		}
	}
}
