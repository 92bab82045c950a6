package page

import (
	"net/http"
	"slices"

	"toolgraph/config"
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
	p, from, err := recordsOf(r, now)
	if err != nil {
		return nil, err
	}
	return now.path(p.Frame, from), nil
}

// path returns the way that a frame has taken, from one of its records on.
func (r *runState) path(frame execution.Address, from int) pathJSON {
	out := pathJSON{Names: []string{}, Path: []int{}, Edits: []int{}, Trail: r.trail(frame), Open: r.openStep(frame)}
	if frame != "" {
		out.Tool = r.toolOf(frame)
	}
	index := map[string]int{}
	for i, rec := range r.records(frame)[from:] {
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
		case rec.Error != nil && frame != "":
			out.Failed = append(out.Failed, from+i)
		}
		if r.history.Parts(rec.At()).Handled > 0 && !rec.Edited {
			out.Caught = append(out.Caught, from+i)
		}
	}
	return out
}

// trail returns the callers of a frame, from the outside in.
func (r *runState) trail(frame execution.Address) []levelJSON {
	if frame == "" {
		return nil
	}
	caller, index, part := frame.Split()
	at := place{Frame: caller, At: index, Part: part}
	level := levelJSON{Frame: caller, Index: index, Part: part, Tool: r.toolOf(caller), Node: r.nodeName(at)}
	return append(r.trail(caller), level)
}

// nodeName names the node of a place for people: of a step its path of ids.
func (r *runState) nodeName(p place) string {
	id := r.nodeID(p)
	if id == config.StepsID && p.Part != "" {
		return (&execution.Visit{NodeID: id, Part: p.Part}).Name()
	}
	return id
}

// openStep is the step of a frame that has begun parts or called a graph and has no record yet.
func (r *runState) openStep(frame execution.Address) *stepJSON {
	open := r.open(frame)
	if open == nil {
		return nil
	}
	at := execution.AddressOf(frame, open.Index, "")
	out := &stepJSON{Index: open.Index, Node: open.Node, Part: open.Part}
	r.addParts(out, at)
	flying := r.history.InFlight(at)
	if out.Parts == 0 && !r.history.Has(at) && (len(flying) == 0 || !r.inProgress() || r.isHeld(at)) {
		return nil
	}
	out.Ended = r.history.Parts(at).Ended
	out.Running, out.Paused = r.flyingParts(at, flying)
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
	return slices.Contains(r.heldAt(), at)
}

// addParts counts the parts of a step.
func (r *runState) addParts(step *stepJSON, at execution.Address) {
	parts := r.history.Parts(at)
	step.Parts, step.Failed, step.Caught, step.NotRun = parts.Count, parts.Failed, parts.Handled, parts.Skipped
	switch {
	case parts.Count == 0 || parts.Branches != nil || !r.isSteps(placeAt(at)):
	case parts.Turns:
		step.PartsAre = "turn"
	default:
		step.PartsAre = "item"
	}
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
	if len(flying) > 0 {
		return r.after(slices.MinFunc(flying, func(a, b fold.Flying) int { return a.Since.Compare(b.Since) }).Since)
	}
	return 0
}

// flyingParts counts the parts of an execution that have begun and not ended, and those of them that are held.
func (r *runState) flyingParts(of execution.Address, flying []fold.Flying) (running, paused int) {
	parts := map[execution.Address]bool{} // whether it is held
	note := func(at execution.Address, held bool) {
		for of.Contains(at) {
			switch outer := at.Outer(); outer {
			case at:
				at = at.Frame()
			case of:
				parts[at] = parts[at] || held
				return
			default:
				at = outer
			}
		}
	}
	for _, f := range flying {
		note(f.Visit.At(), false)
	}
	for _, at := range r.heldAt() {
		note(at, true)
	}
	for _, held := range parts {
		if held {
			paused++
		}
	}
	return len(parts) - paused, paused
}

// heldAt returns the addresses before which a run is held.
func (r *runState) heldAt() (all []execution.Address) {
	for _, h := range r.Held {
		all = append(all, execution.AddressOf(h.Frame, h.Index, h.Part))
	}
	return all
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
	State string `json:"state"`           // of debug.PartState, or none: the run has ended without it
	Begun bool   `json:"begun,omitempty"` // it has begun, and not ended
	Item  string `json:"item,omitempty"`  // a preview
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
	of := p.address()
	if now.history.Parts(of).Count == 0 && p.Part != "" { // it is a part without parts of its own: those beside it
		of = of.Outer()
	}
	all := now.history.Parts(of)
	from, err := number(r, "from", 0, all.Count)
	if err != nil {
		return nil, err
	}
	limit, err := number(r, "limit", stepsShown, mostSteps)
	if err != nil {
		return nil, err
	}
	var items []any
	if !all.Turns && all.Branches == nil {
		if items, err = s.items(r, now, placeAt(of)); err != nil {
			return nil, err
		}
	}
	return now.parts(of, from, limit, items), nil
}

// parts returns a page of the parts of an execution. items are what its parts are for, where that is known.
func (r *runState) parts(of execution.Address, from, limit int, items []any) partsJSON {
	all := r.history.Parts(of)
	out := partsJSON{Total: all.Count, Ended: all.Ended, Failed: all.Failed, Parts: []partJSON{}}
	for i := from; i < min(from+limit, all.Count); i++ {
		part := r.part(placeAt(all.At(of, i)))
		if i < len(items) {
			part.Item = preview(items[i], previewShown)
		}
		out.Parts = append(out.Parts, part)
	}
	return out
}

// part returns a part as lists show it.
func (r *runState) part(p place) partJSON {
	at := p.address()
	state, inside := debug.StateOf(r.history, r.heldAt(), at)
	if rec, ended := r.record(p); ended {
		return partJSON{stepJSON: r.stepOf(rec), State: string(state)}
	}
	out := partJSON{stepJSON: stepJSON{Index: p.At, Part: p.Part}, State: string(state)}
	if node := r.node(p); node != nil {
		out.Node, out.Type = node.ID(), node.Type()
	}
	r.addFrame(&out.stepJSON, at)
	r.addParts(&out.stepJSON, at)
	flying := r.history.InFlight(at)
	if out.Begun = inside != at || state == debug.PartRuns; out.Begun {
		out.Start, out.Ended = r.since(at, flying), r.history.Parts(at).Ended
		out.Running, out.Paused = r.flyingParts(at, flying)
	}
	if !r.inProgress() {
		out.State, out.Begun = "none", false
	}
	return out
}

// items evaluates the list of a forEach, or of the each of a step, as it was; nil when the place has none, or when the
// list cannot be evaluated, which only costs the previews.
func (s *Server) items(r *http.Request, now runState, p place) ([]any, error) {
	var list *graph.Expr
	if step := now.step(p); step != nil {
		list = step.Each
	} else if each := forEachOf(now.node(place{Frame: p.Frame, At: p.At})); each != nil {
		list = each.Items
	}
	if list == nil {
		return nil, nil
	}
	ctx, done, err := s.evaluating(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	scope, err := now.scope(ctx, p)
	if err != nil {
		return nil, nil
	}
	items, _ := list.List(ctx, scope)
	return items, nil
}

// forEachOf returns the forEach of a node, or nil.
func forEachOf(node graph.Node) *graph.ForEach {
	if c := graph.CallingOf(node); c != nil {
		return c.ForEach
	}
	return nil
}
