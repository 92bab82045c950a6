package page

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"toolgraph/execution"
	"toolgraph/internal/base/wording"
)

const (
	mostLanes  = 24 // of one depth
	mostDepths = 6
	lanesWide  = 1000 // pixels, unless the request says how much one is
	leastWide  = 2    // pixels of a bar of its own
	nameShown  = 60
)

// lanesJSON is what a frame did over time, as bars in lanes: what ran at the same time is in different lanes. Times
// are milliseconds after the run began.
type lanesJSON struct {
	Lanes []laneJSON `json:"lanes"`
	Bars  []barJSON  `json:"bars"` // of the time that was asked for, by lane, the earliest first
	From  float64    `json:"from"` // when the first of all bars begins
	To    float64    `json:"to"`   // when the last of all ends
}

// laneJSON is a lane. Those of one depth follow each other.
type laneJSON struct {
	Depth int `json:"depth"` // 0: the steps of the frame; 1: their parts and what they called, …
	Bars  int `json:"bars"`  // in all
}

// barJSON is a step or part, or several of them that are too short to be seen apart.
type barJSON struct {
	Lane   int               `json:"lane"`
	Start  float64           `json:"start"`
	MS     float64           `json:"ms"`
	Waited float64           `json:"waited,omitempty"` // at its beginning, for an answer
	At     execution.Address `json:"at"`               // of the first
	Node   string            `json:"node"`             // likewise; with the item of a part
	State  string            `json:"state,omitempty"`  // failed, handled, cancelled, running; empty: ended
	Count  int               `json:"count,omitempty"`  // how many they are; 0: one
}

// span is a step or part in time.
type span struct {
	at       execution.Address
	node     string
	from, to time.Time
	depth    int
	state    string
	waited   time.Duration
}

// getLanes returns what a frame did over time. Its query has frame, from and to in milliseconds, and per, how many of
// them a pixel is.
func (s *Server) getLanes(r *http.Request, now runState) (any, error) {
	p, err := placeOf(r, now)
	if err != nil {
		return nil, err
	}
	from, to, per := 0.0, now.after(now.end()), 0.0
	for name, at := range map[string]*float64{"from": &from, "to": &to, "per": &per} {
		if *at, err = millisecondsIn(r, name, *at, -farthest); err != nil {
			return nil, err
		}
	}
	return now.lanes(p.Frame, from, to, max(cmp.Or(per, (to-from)/lanesWide), 1e-6)), nil
}

// end is when the run ended; of one that has not, now.
func (r *runState) end() time.Time {
	if ended := r.history.Ended(); !ended.IsZero() {
		return ended
	}
	if r.Ended != nil || !r.Live { // recorded: interrupted or waiting, with no event at its end
		return r.Started.Add(time.Duration(r.MS * float64(time.Millisecond)))
	}
	return time.Now()
}

// lanes lays out a frame and returns the bars between two times. What is shorter than leastWide pixels of perPixel
// milliseconds is joined with what follows it as closely.
func (r *runState) lanes(frame execution.Address, from, to, perPixel float64) lanesJSON {
	out := lanesJSON{Lanes: []laneJSON{}, Bars: []barJSON{}}
	spans := r.spans(frame)
	slices.SortStableFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.depth, b.depth), a.from.Compare(b.from), r.history.Compare(a.at, b.at))
	})
	var ends []time.Time // of the lanes of this depth
	var bars [][]barJSON // by lane
	first := 0           // lane of this depth
	for i, s := range spans {
		if i > 0 && s.depth != spans[i-1].depth {
			first, ends = len(bars), nil
		}
		lane := slices.IndexFunc(ends, func(end time.Time) bool { return !end.After(s.from) })
		switch {
		case lane < 0 && len(ends) < mostLanes:
			lane, ends, bars = len(ends), append(ends, s.to), append(bars, nil)
			out.Lanes = append(out.Lanes, laneJSON{Depth: s.depth})
		case lane < 0: // there are more at once: they cover each other
			lane = len(ends) - 1
		}
		if s.to.After(ends[lane]) {
			ends[lane] = s.to
		}
		n := first + lane
		out.Lanes[n].Bars++
		bar := barJSON{Lane: n, Start: r.after(s.from), MS: milliseconds(s.to.Sub(s.from)), Waited: milliseconds(s.waited), At: s.at, Node: s.node, State: s.state}
		if i == 0 {
			out.From, out.To = bar.Start, bar.Start
		}
		out.From, out.To = min(out.From, bar.Start), max(out.To, bar.Start+bar.MS)
		if bar.Start <= to && bar.Start+bar.MS >= from {
			bars[n] = join(bars[n], bar, perPixel)
		}
	}
	for _, of := range bars {
		out.Bars = append(out.Bars, of...)
	}
	return out
}

// states are those of bars, from the one that hides others to the one that is hidden.
var states = []string{"failed", "running", "handled", "cancelled", ""}

// join adds a bar to those of its lane, or to the last of them when both are too short to be seen apart.
func join(bars []barJSON, bar barJSON, perPixel float64) []barJSON {
	least := leastWide * perPixel
	if len(bars) > 0 && bar.MS < least {
		last := &bars[len(bars)-1]
		if (last.Count > 1 || last.MS < least) && bar.Start-(last.Start+last.MS) < perPixel {
			last.Count = max(last.Count, 1) + 1
			last.MS = max(last.MS, bar.Start+bar.MS-last.Start)
			last.Waited = 0
			if slices.Index(states, bar.State) < slices.Index(states, last.State) {
				last.State = bar.State
			}
			return bars
		}
	}
	return append(bars, bar)
}

// spans are the steps and parts of a frame and of all below it, those in flight among them. Whatever is deeper than
// mostDepths is left out.
func (r *runState) spans(frame execution.Address) (all []span) {
	outside := 0
	if frame != "" {
		outside = levels(frame) + 1
	}
	add := func(at execution.Address, s span) {
		s.at, s.depth = at, levels(at)-outside
		if frame != "" && !frame.Contains(at) || s.depth >= mostDepths || s.depth < 0 {
			return
		}
		if at.IsCounted() {
			s.node += " " + at.Name()
		}
		s.node = wording.Truncate(s.node, nameShown)
		all = append(all, s)
	}
	for _, rec := range r.history.Sorted() {
		if rec.Edited || rec.Skipped || r.copied(rec) {
			continue
		}
		s := span{node: rec.Name(), from: rec.Start, to: rec.End, waited: r.history.Waited(rec.At())}
		switch {
		case rec.Error != nil && rec.Error.Code == execution.CodeCancelled:
			s.state = "cancelled"
		case rec.Error != nil:
			s.state = "failed"
		case rec.Handled != nil:
			s.state = "handled"
		}
		add(rec.At(), s)
	}
	end := r.end()
	for _, f := range r.history.InFlight("") {
		if !f.Since.After(end) {
			add(f.Visit.At(), span{node: f.Visit.Name(), from: f.Since, to: end, state: "running"})
		}
	}
	return all
}

// levels counts what is around a step or part.
func levels(at execution.Address) int {
	return strings.Count(string(at), "/") + strings.Count(string(at), ".") + strings.Count(string(at), "@")
}
