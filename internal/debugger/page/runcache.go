package page

import (
	"slices"
	"sync"

	"toolgraph/graph"
	"toolgraph/internal/debugger/debug"
)

// How many runs stay in memory: those of this process that have ended, and those that were
// read from the store. Without a store the former are all there is.
const (
	endedWithStore = 8
	endedAlone     = 50
	recordedRuns   = 4
)

// runCache is the runs in memory. Safe for concurrent use.
type runCache struct {
	mu   sync.Mutex  // guards runs
	runs []*shownRun // the one used last at the end
}

// get returns the run of this id; nil when it is not in memory.
func (c *runCache) get(id string) *shownRun {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.runs, func(r *shownRun) bool { return r.ID == id })
	if i < 0 {
		return nil
	}
	run := c.runs[i]
	c.runs = append(slices.Delete(c.runs, i, i+1), run)
	return run
}

// add adds a run and removes those that were not used for the longest time. A live run
// that has not ended stays.
func (c *runCache) add(run *shownRun, stored bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs = append(slices.DeleteFunc(c.runs, func(r *shownRun) bool { return r.ID == run.ID }), run)
	ended, recorded := endedAlone, recordedRuns
	if stored {
		ended = endedWithStore
	}
	for i := len(c.runs) - 1; i >= 0; i-- {
		if !c.runs[i].over() {
			continue
		}
		left := &ended
		if c.runs[i].session == nil {
			left = &recorded
		}
		if *left--; *left < 0 {
			c.runs = slices.Delete(c.runs, i, i+1)
		}
	}
}

// live returns the runs of this process, in any order.
func (c *runCache) live() []*shownRun {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.runs), func(r *shownRun) bool { return r.session == nil })
}

// graphWith returns the graph of a run of a tool that has a node, of the run used last; nil when there is none.
func (c *runCache) graphWith(tool, node string) *graph.Graph {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range slices.Backward(c.runs) {
		if r.Tool == tool && r.graph != nil && debug.Knows(r.graph, node) {
			return r.graph
		}
	}
	return nil
}

// forget removes the recorded runs: another version of the file may have other secrets and
// another graph.
func (c *runCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs = slices.DeleteFunc(c.runs, func(r *shownRun) bool { return r.session == nil })
}

// has reports whether a run is one of this process.
func (c *runCache) has(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.runs, func(r *shownRun) bool { return r.ID == id && r.session != nil })
}
