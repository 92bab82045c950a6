package fold

import (
	"cmp"
	"slices"
	"time"

	"toolgraph/execution"
)

// Times is where the time of a run went, for one node of a tool, or one step.
type Times struct {
	Tool     string        // whose node it is; empty: the tool of the run
	Node     string        // or a branch, both.one, or the path of a step, texts.read
	Count    int           // of its executions that have ended
	Failed   int           // of those
	Parts    int           // its items and turns that have ended
	Took     time.Duration // all executions; items and turns, which are inside, add nothing
	Waited   time.Duration // of Took, for answers of the user
	P50, P95 time.Duration // of one item or turn where it has such, else of one execution
}

// Times returns where the time went, node by node, in the order of their addresses. What a called graph took is part
// of what calls it as well.
func (h *History) Times() (all []Times) {
	type key struct{ tool, node string }
	place := map[key]int{}
	var whole, parts [][]time.Duration
	for _, r := range h.Sorted() {
		if r.Edited || r.Skipped || r.Start.Before(h.Began()) { // the last: copied from another run
			continue
		}
		at := r.At()
		k := key{r.Tool, (&execution.Record{NodeID: r.NodeID, Part: r.Part}).Name()}
		i, known := place[k]
		if !known {
			i = len(all)
			place[k] = i
			all = append(all, Times{Tool: k.tool, Node: k.node})
			whole, parts = append(whole, nil), append(parts, nil)
		}
		if at.IsCounted() {
			parts[i] = append(parts[i], r.Duration())
			continue
		}
		of := &all[i]
		of.Took += r.Duration()
		of.Waited += h.Waited(at)
		if r.Error != nil {
			of.Failed++
		}
		whole[i] = append(whole[i], r.Duration())
	}
	for i := range all {
		of := &all[i]
		of.Count, of.Parts = len(whole[i]), len(parts[i])
		one := whole[i]
		if of.Parts > 0 {
			one = parts[i]
		}
		slices.Sort(one)
		of.P50, of.P95 = rank(one, 50), rank(one, 95)
	}
	return all
}

// TimesOfTwo is where the time of two runs went, for one node; zero in a run that did not come to it.
type TimesOfTwo struct{ A, B Times }

// Difference is how much longer the node took in the second run.
func (t *TimesOfTwo) Difference() time.Duration { return t.B.Took - t.A.Took }

// CompareTimes compares where the time of two runs went: the nodes with the largest difference first. Each has its
// names in both.
func CompareTimes(a, b *History) (all []TimesOfTwo) {
	for side, times := range [][]Times{a.Times(), b.Times()} {
		for _, t := range times {
			i := slices.IndexFunc(all, func(of TimesOfTwo) bool { return of.A.Tool == t.Tool && of.A.Node == t.Node })
			if i < 0 {
				i = len(all)
				none := Times{Tool: t.Tool, Node: t.Node}
				all = append(all, TimesOfTwo{none, none})
			}
			if side == 0 {
				all[i].A = t
			} else {
				all[i].B = t
			}
		}
	}
	slices.SortStableFunc(all, func(x, y TimesOfTwo) int {
		return cmp.Or(cmp.Compare(y.Difference().Abs(), x.Difference().Abs()), cmp.Compare(x.A.Tool, y.A.Tool), cmp.Compare(x.A.Node, y.A.Node))
	})
	return all
}

// rank is the smallest value of a sorted list that so many per cent of it do not exceed.
func rank(sorted []time.Duration, percent int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)*percent+99)/100-1]
}

// Idle returns the times between the start of the run and end in which nothing ran, the earliest first: the run was
// held or interrupted, or all that had begun waited for answers. Only those of at least the given length.
func (h *History) Idle(end time.Time, least time.Duration) (all [][2]time.Time) {
	busy := h.busy(end)
	slices.SortFunc(busy, func(a, b [2]time.Time) int { return a[0].Compare(b[0]) })
	at := h.Began()
	for _, b := range append(busy, [2]time.Time{end, end}) {
		if b[0].Sub(at) >= least {
			all = append(all, [2]time.Time{at, b[0]})
		}
		if b[1].After(at) {
			at = b[1]
		}
	}
	return all
}

// busy returns when what has no parts and called no graph ran, without the time in which it waited.
func (h *History) busy(end time.Time) (all [][2]time.Time) {
	records, flying := h.Sorted(), h.InFlight("")
	around := map[execution.Address]bool{}
	outside := func(at execution.Address) {
		for at = at.Around(); at != "" && !around[at]; at = at.Around() {
			around[at] = true
		}
	}
	for i := range records {
		outside(records[i].At())
	}
	for _, f := range flying {
		outside(f.Visit.At())
	}
	began := h.Began()
	add := func(at execution.Address, from, to time.Time) {
		from = from.Add(h.Waited(at)) // which is shown at its beginning
		if !around[at] && !to.Before(began) && from.Before(to) {
			all = append(all, [2]time.Time{from, to})
		}
	}
	for i := range records {
		if r := &records[i]; !r.Edited && !r.Skipped {
			add(r.At(), r.Start, r.End)
		}
	}
	for _, f := range flying {
		if !h.asks(f.Visit.At()) {
			add(f.Visit.At(), f.Since, end)
		}
	}
	return all
}

// asks reports whether a question of a step or part is open.
func (h *History) asks(at execution.Address) bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	_, open := h.flight.asked[at]
	return open
}
