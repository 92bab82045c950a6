package page

import (
	"net/http"
	"slices"
	"strings"

	"toolgraph/execution"
	"toolgraph/execution/fold"
	"toolgraph/execution/journal"
	"toolgraph/graph"
	"toolgraph/internal/debugger/debug"
)

// pathJSON is the way that a frame has taken through its graph.
type pathJSON struct {
	Names   []string    `json:"names"`
	Path    []int       `json:"path"`              // of the steps from the requested one on: indexes of names
	Edits   []int       `json:"edits"`             // indexes of steps
	Handled []int       `json:"handled,omitempty"` // likewise: onError took their failure
	Caught  []int       `json:"caught,omitempty"`  // likewise: onError took the failure of a part
	Failed  []int       `json:"failed,omitempty"`  // of steps that failed, of a frame that is not the run's own
	Tool    string      `json:"tool,omitempty"`    // whose graph the frame runs; empty: the run's own frame
	Trail   []levelJSON `json:"trail,omitempty"`   // what has called the frame, from the outside in
	Open    *stepJSON   `json:"open,omitempty"`    // the step with parts, or that has called a graph, without a record yet
}

// levelJSON is a caller in the trail of a frame.
type levelJSON struct {
	Frame execution.Address `json:"frame"`
	Index int               `json:"index"`
	Part  string            `json:"part,omitempty"`
	Node  string            `json:"node"`
	Tool  string            `json:"tool"` // whose graph has the node
}

func (s *Server) getPath(r *http.Request, now runState) (any, error) {
	p, records, from, err := recordsOf(r, now)
	if err != nil {
		return nil, err
	}
	out := pathJSON{Names: []string{}, Path: []int{}, Edits: []int{}, Trail: now.trail(p.Frame), Open: now.openStep(p.Frame)}
	if p.Frame != "" {
		out.Tool = now.toolOf(p.Frame)
	}
	index := map[string]int{}
	for i, rec := range records[from:] {
		n, ok := index[rec.NodeID]
		if !ok {
			n = len(out.Names)
			index[rec.NodeID] = n
			out.Names = append(out.Names, rec.NodeID)
		}
		out.Path = append(out.Path, n)
		switch {
		case rec.Edited:
			out.Edits = append(out.Edits, from+i)
		case rec.Handled != nil:
			out.Handled = append(out.Handled, from+i)
		case rec.Error != nil && p.Frame != "":
			out.Failed = append(out.Failed, from+i)
		}
		if now.history.Parts(rec.At()).Handled > 0 && !rec.Edited {
			out.Caught = append(out.Caught, from+i)
		}
	}
	return out, nil
}

// trail returns the callers of a frame, from the outside in.
func (r *runState) trail(frame execution.Address) []levelJSON {
	if frame == "" {
		return nil
	}
	caller, index, part := frame.Split()
	level := levelJSON{Frame: caller, Index: index, Part: part, Tool: r.toolOf(caller)}
	if rec, ok := r.record(place{Frame: caller, At: index}); ok {
		level.Node = rec.NodeID
	} else if open := r.open(caller); open != nil {
		level.Node = open.Node
	}
	return append(r.trail(caller), level)
}

// openStep is the step of a frame that has begun parts or called a graph and has no record yet.
func (r *runState) openStep(frame execution.Address) *stepJSON {
	open := r.open(frame)
	if open == nil {
		return nil
	}
	at := execution.AddressOf(frame, open.Index, "")
	parts := r.history.Parts(at)
	out := &stepJSON{Index: open.Index, Node: open.Node, Part: open.Part, Parts: parts.Count, Ended: parts.Ended, Failed: parts.Failed, Caught: parts.Handled}
	flying := r.history.InFlight(at)
	if out.Parts == 0 && !r.history.Has(at) && (len(flying) == 0 || !r.inProgress() || r.isHeld(at)) {
		return nil
	}
	out.Running, out.Paused = r.flyingParts(frame, open.Index, flying)
	out.Start = r.since(at, flying)
	if out.Parts == 0 {
		out.Part = ""
	}
	if node := r.node(place{Frame: frame, At: open.Index}); node != nil {
		out.Type = node.Type()
	}
	r.addFrame(out, at)
	return out
}

// inProgress reports whether the process of the run is alive and the run has not ended.
func (r *runState) inProgress() bool {
	return r.Status == string(journal.Running) || r.Status == string(journal.Waiting) || r.Status == string(debug.Paused)
}

// isHeld reports whether the run is held before a step or part.
func (r *runState) isHeld(at execution.Address) bool {
	return slices.ContainsFunc(r.Held, func(h heldJSON) bool { return execution.AddressOf(h.Frame, h.Index, h.Part) == at })
}

// since is when a step or part began, in milliseconds after the run: as it was noted, or with the first
// step below it.
func (r *runState) since(at execution.Address, flying []fold.Flying) float64 {
	for _, f := range flying {
		if f.Visit.At() == at {
			return r.after(f.Since)
		}
	}
	frame, index, part := at.Split()
	if first := r.records(at); len(first) > 0 {
		return r.after(first[0].Start)
	}
	if before := r.records(frame); part == "" && index > 0 && index <= len(before) {
		return r.after(before[index-1].End)
	}
	return 0
}

// flyingParts counts the parts of a step that have begun and not ended, and those of them that are held.
func (r *runState) flyingParts(frame execution.Address, index int, flying []fold.Flying) (running, paused int) {
	of := execution.AddressOf(frame, index, "")
	parts := map[string]bool{} // whether it is held
	note := func(at execution.Address, held bool) {
		if rest, below := strings.CutPrefix(string(at), string(of)+"."); below {
			name, _, _ := strings.Cut(rest, "/")
			parts[name] = parts[name] || held
		}
	}
	for _, f := range flying {
		note(f.Visit.At(), false)
	}
	for _, h := range r.Held {
		note(execution.AddressOf(h.Frame, h.Index, h.Part), true)
	}
	for _, held := range parts {
		if held {
			paused++
		}
	}
	return len(parts) - paused, paused
}

// addFrame adds to a step or part the frame of the graph that it has called.
func (r *runState) addFrame(step *stepJSON, at execution.Address) {
	if r.history.Has(at) {
		step.Frame, step.Calls, step.Inner = at, r.history.Tool(at), len(r.records(at))
	}
}

// partJSON is a part as lists show it.
type partJSON struct {
	stepJSON
	State string `json:"state"`          // ended, failed, next, runs, waits, or none: the run has ended without it
	Item  string `json:"item,omitempty"` // a preview
}

type partsJSON struct {
	Total  int        `json:"total"`
	Ended  int        `json:"ended"` // of all
	Failed int        `json:"failed"`
	Parts  []partJSON `json:"parts"`
}

// listParts lists parts of a step. It makes no more than the page of them that is asked for.
func (s *Server) listParts(r *http.Request, now runState) (any, error) {
	p, err := placeOf(r, now)
	if err != nil {
		return nil, err
	}
	all := now.history.Parts(p.address())
	if all.Count == 0 && p.Part != "" { // it is a part without parts of its own: those beside it
		all = now.history.Parts(p.address().Outer())
	}
	from, err := number(r, "from", 0, all.Count)
	if err != nil {
		return nil, err
	}
	limit, err := number(r, "limit", stepsShown, mostSteps)
	if err != nil {
		return nil, err
	}
	out := partsJSON{Total: all.Count, Ended: all.Ended, Failed: all.Failed, Parts: []partJSON{}}
	items, err := s.items(r, now, p)
	if err != nil {
		return nil, err
	}
	for i := from; i < min(from+limit, all.Count); i++ {
		part := now.part(place{Frame: p.Frame, At: p.At, Part: all.Name(i)})
		if i < len(items) {
			part.Item = preview(items[i], previewShown)
		}
		out.Parts = append(out.Parts, part)
	}
	return out, nil
}

// part returns a part as lists show it.
func (r *runState) part(p place) partJSON {
	at := p.address()
	rec, ended := r.record(p)
	if ended {
		out := partJSON{stepJSON: r.stepOf(rec), State: "ended"}
		if rec.Error != nil {
			out.State = "failed"
		}
		return out
	}
	out := partJSON{stepJSON: stepJSON{Index: p.At, Part: p.Part}, State: "waits"}
	if node := r.node(p); node != nil {
		out.Node, out.Type = node.ID(), node.Type()
	}
	r.addFrame(&out.stepJSON, at)
	flying := r.history.InFlight(at)
	if len(flying) > 0 {
		out.Start = r.since(at, flying)
	}
	switch {
	case !r.inProgress():
		out.State = "none"
	case r.isHeld(at):
		out.State = "next"
	case len(flying) > 0:
		out.State = "runs"
	}
	return out
}

// items evaluates the list of a forEach as its step did; nil when the step has none, or when the
// list cannot be evaluated, which only costs the previews.
func (s *Server) items(r *http.Request, now runState, p place) ([]any, error) {
	each := forEachOf(now.node(place{Frame: p.Frame, At: p.At}))
	if each == nil {
		return nil, nil
	}
	ctx, done, err := s.evaluating(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	items, _ := each.List(ctx, now.history.ScopeIn(now.graphOf(p.Frame), now.before(p)))
	return items, nil
}

// forEachOf returns the forEach of a node, or nil.
func forEachOf(node graph.Node) *graph.ForEach {
	if c := graph.CallingOf(node); c != nil {
		return c.ForEach
	}
	return nil
}
