package page

import (
	"net/http"
	"strings"

	"toolgraph/execution"
	"toolgraph/graph"
)

// latestJSON is the latest step of each node of a frame; of a tool that is written as steps, also the state of each
// step, by its path of ids.
type latestJSON struct {
	Nodes map[string]shortJSON `json:"nodes"`
	Shown map[string]string    `json:"shown,omitempty"` // by block: the part, as users.3, whose steps the nodes are of
}

// shortJSON is a step as the graph shows it.
type shortJSON struct {
	Index   int    `json:"index"`
	Preview string `json:"preview"`
	Error   string `json:"error,omitempty"`
	Edited  bool   `json:"edited,omitempty"`

	// Of a step: its part, its state, and how many parts of it have which.
	Part    string `json:"part,omitempty"`
	State   string `json:"state,omitempty"` // see partJSON
	Skipped bool   `json:"skipped,omitempty"`
	Handled bool   `json:"handled,omitempty"` // also of a part
	Parts   int    `json:"parts,omitempty"`
	Ended   int    `json:"ended,omitempty"`
	Failed  int    `json:"failed,omitempty"`
}

// getLatest returns the latest step of each node up to a step of a frame, that step included. Of blocks it has the steps
// of the item or turn that one of near is of, else of the one that is of the most interest.
func (s *Server) getLatest(r *http.Request, now runState) (any, error) {
	p, err := placeOf(r, now)
	if err != nil {
		return nil, err
	}
	var near []execution.Address
	if of, has := now.wholeSteps(p); has {
		for _, part := range strings.Split(r.URL.Query().Get("near"), " ") {
			if at, err := execution.ParseAddress(string(of) + "." + part); err == nil {
				near = append(near, at)
			}
		}
	}
	return now.latest(p, near), nil
}

// latest is what getLatest returns; near are steps, items and turns, the first is the nearest.
func (r *runState) latest(p place, near []execution.Address) latestJSON {
	records := r.records(p.Frame)
	out := latestJSON{Nodes: map[string]shortJSON{}, Shown: map[string]string{}}
	for i := min(p.At, len(records)-1); i >= 0; i-- {
		rec := records[i]
		if _, later := out.Nodes[rec.NodeID]; later {
			continue
		}
		short := shortJSON{Index: rec.Index, Edited: rec.Edited}
		if rec.Error != nil {
			short.Error = recordText(rec)
		} else {
			short.Preview = recordText(rec)
		}
		out.Nodes[rec.NodeID] = short
	}
	if steps := r.graphOf(p.Frame).Steps(); steps != nil {
		if of, has := r.wholeSteps(p); has {
			(&latestSteps{now: *r, near: near, out: &out}).add(steps, of)
		}
	}
	return out
}

// wholeSteps returns the address of the steps of a tool, when the frame of a place has come to them by then.
func (r *runState) wholeSteps(p place) (at execution.Address, has bool) {
	for i := p.At; i >= 0; i-- {
		if r.isSteps(place{Frame: p.Frame, At: i}) {
			return execution.AddressOf(p.Frame, i, ""), true
		}
	}
	return "", false
}

// latestSteps collects the states of steps.
type latestSteps struct {
	now  runState
	near []execution.Address // steps, items and turns; the first is the nearest
	out  *latestJSON
}

// add adds the steps of an execution of a block.
func (l *latestSteps) add(block *graph.Steps, of execution.Address) {
	for _, step := range block.Block {
		at := of + execution.Address("."+step.ID)
		p := placeAt(at)
		part := l.now.part(p)
		short := shortJSON{
			Index: p.At, Part: p.Part, Preview: part.Preview, Error: part.Error, Edited: part.Edited, State: part.State, Skipped: part.Skipped,
			Handled: part.Handled != "" || part.Caught > 0, Parts: part.Parts, Ended: l.now.history.Parts(at).Ended, Failed: part.Failed,
		}
		l.out.Nodes[step.Node.ID()] = short
		if inner, isBlock := step.Node.(*graph.Steps); isBlock {
			inside := l.inside(step, at)
			l.out.Shown[step.Node.ID()] = placeAt(inside).Part
			l.add(inner, inside)
		}
	}
}

// inside returns the address of the execution of a block whose steps are shown.
func (l *latestSteps) inside(step *graph.Step, at execution.Address) execution.Address {
	if step.Each != nil {
		at = l.choose(at, ".", "0")
	}
	if step.Repeat != nil {
		at = l.choose(at, "@", "1")
	}
	return at
}

// choose returns the address of an item or turn: that of near, one at which the run is held or that runs, the
// first that has failed, else the first item or the last turn.
func (l *latestSteps) choose(of execution.Address, separator, first string) execution.Address {
	for _, near := range l.near {
		rest, _ := strings.CutPrefix(string(near), string(of)+separator)
		if end := strings.IndexAny(rest, "./@"); end >= 0 {
			rest = rest[:end]
		}
		if isNumber(rest) {
			return of + execution.Address(separator+rest)
		}
	}
	for _, held := range l.now.heldAt() {
		if of.Contains(held) {
			return partAround(of, held)
		}
	}
	parts := l.now.history.Parts(of)
	if flying := l.now.history.InFlight(of); l.now.inProgress() {
		for _, f := range flying {
			if of.Contains(f.Visit.At()) {
				return partAround(of, f.Visit.At())
			}
		}
	}
	for i := 0; parts.Failed > 0 && i < parts.Count; i++ {
		if rec, ended := l.now.history.Record(parts.At(of, i)); ended && rec.Error != nil {
			return parts.At(of, i)
		}
	}
	if parts.Turns {
		return parts.At(of, parts.Count-1)
	}
	return of + execution.Address(separator+first)
}

// partAround returns the part of an execution that an address is, or is below.
func partAround(of, at execution.Address) execution.Address {
	for {
		outer := at.Outer()
		switch outer {
		case of:
			return at
		case at:
			outer = at.Frame()
		}
		at = outer
	}
}
