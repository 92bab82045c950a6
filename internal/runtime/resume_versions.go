package runtime

import (
	"cmp"
	"context"
	"slices"

	"toolgraph/execution/journal"
	"toolgraph/graph"
)

// mostVersions bounds the versions of a file whose runs are resumed: the newest ones.
const mostVersions = 3

// version is a version of a graph file whose interrupted runs are resumed.
type version struct {
	*Loaded
	using int  // runs that are being resumed with it. Guarded by resumer.mu
	old   bool // there are mostVersions newer ones. Likewise
}

// use resumes runs of a newer version as well. It takes over l, whose pool it gives back.
func (r *resumer) use(l *Loaded) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = slices.Insert(r.all, 0, &version{Loaded: l})
	for len(r.all) > mostVersions {
		last := r.all[len(r.all)-1]
		r.all = r.all[:len(r.all)-1]
		if last.old = true; last.using == 0 {
			last.Release()
		}
	}
	r.ring()
}

// versionOf returns the version whose graph a run has, the newest one when several have it, which is in use until done. The
// error is that of the newest when none has it.
func (r *resumer) versionOf(ctx context.Context, run journal.Run) (found *version, of *graph.Graph, first error) {
	r.mu.Lock()
	all := slices.Clone(r.all)
	for _, v := range all { // none is released while the history is asked
		v.using++
	}
	r.mu.Unlock()
	for _, v := range all {
		if found == nil {
			g, err := v.currentGraph(ctx, run)
			if err == nil {
				found, of = v, g
				continue
			}
			first = cmp.Or(first, err)
		}
		r.done(v)
	}
	if found != nil {
		first = nil
	}
	return found, of, first
}

// versionWith returns the newest version that has the graph of a run, as far as its row says that; r.mu is held. nil: the row does not.
func (r *resumer) versionWith(run journal.Run) *version {
	for _, v := range r.all {
		for _, g := range v.Graphs {
			if g.Tool.Name.Value == run.Tool && g.HashWith(nil) == run.Graph {
				return v
			}
		}
	}
	return nil
}

// done ends the use of a version.
func (r *resumer) done(v *version) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if v.using--; v.old && v.using == 0 {
		v.Release()
	}
}

// release gives the pools of all versions back.
func (r *resumer) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range r.all {
		v.Release()
	}
}
