package page

import (
	"context"
	"net/http"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/fold"
	"toolgraph/expressions"
	"toolgraph/graph"
)

// place is a step that a request names: an index in the list of a frame, and of a step that makes
// several calls, one of its parts.
type place struct {
	Frame execution.Address `json:"frame"` // empty: the run's own
	At    int               `json:"at"`
	Part  string            `json:"part"` // empty: the whole step
}

func (p place) address() execution.Address { return execution.AddressOf(p.Frame, p.At, p.Part) }

// placeOf reads a place from the query of a request.
func placeOf(r *http.Request, now runState) (p place, err error) {
	q := r.URL.Query()
	p = place{Frame: execution.Address(q.Get("frame")), Part: q.Get("part")}
	if p.At, err = number(r, "at", 0, maxBody); err != nil {
		return p, err
	}
	return now.check(p)
}

// recordsOf reads the frame of a request, and from which of its records on the answer is.
func recordsOf(r *http.Request, now runState) (p place, from int, err error) {
	if p, err = placeOf(r, now); err != nil {
		return p, 0, err
	}
	from, err = number(r, "from", 0, len(now.records(p.Frame)))
	return p, from, err
}

// check returns the place when the run has it; an index past the end of the frame is its end.
func (r *runState) check(p place) (place, error) {
	if _, err := execution.ParseAddress(string(p.address())); err != nil && (p.Frame != "" || p.Part != "") {
		return p, errorf(http.StatusBadRequest, "%s", err)
	}
	if p.Frame != "" && !r.history.Has(p.Frame) && !r.isOpen(p.Frame) {
		return p, errorf(http.StatusNotFound, "the run has no frame %s", p.Frame)
	}
	p.At = min(max(p.At, 0), len(r.records(p.Frame)))
	if p.Part != "" && r.history.Parts(p.address().Outer()).Count == 0 {
		return p, errorf(http.StatusNotFound, "step %s has no parts", execution.AddressOf(p.Frame, p.At, ""))
	}
	return p, nil
}

// isOpen reports whether a live run is in a frame.
func (r *runState) isOpen(frame execution.Address) bool {
	return r.Next != nil && (r.Next.Frame == frame || frame.Contains(r.Next.Frame))
}

// records returns the records of a frame.
func (r *runState) records(frame execution.Address) []execution.Record {
	return r.history.Records(frame)
}

// record returns the record of a place.
func (r *runState) record(p place) (execution.Record, bool) {
	if p.Part != "" {
		return r.history.Record(p.address())
	}
	if records := r.records(p.Frame); p.At < len(records) {
		return records[p.At], true
	}
	return execution.Record{}, false
}

// before returns the records that a place saw.
func (r *runState) before(p place) []execution.Record {
	records := r.records(p.Frame)
	return records[:min(p.At, len(records))]
}

// scope returns the scope of the expressions of a place. The error is that of the list of items.
func (r *runState) scope(ctx context.Context, p place) (*expressions.Scope, error) {
	if p.Part == "" && !r.isSteps(p) {
		return r.history.ScopeIn(r.graphOf(p.Frame), r.before(p)), nil
	}
	scope, err := r.history.Scope(ctx, r.graph, p.address())
	if err != nil {
		return nil, errorf(http.StatusUnprocessableEntity, "%s", r.project.File.Secrets.Redact(err.Error()))
	}
	return scope, nil
}

// open returns the step of a frame that is about to run, runs, or waits for what it has called; nil
// when there is none.
func (r *runState) open(frame execution.Address) *nextJSON {
	if next := r.Next; next != nil {
		if next.Frame == frame {
			return next
		}
		for _, c := range r.Stack {
			if at, index, part := c.At.Split(); at == frame {
				return &nextJSON{Index: index, Node: c.Node, Frame: frame, Part: part}
			}
		}
	}
	for _, h := range r.Held {
		if h.Frame == frame {
			return &h.nextJSON
		}
	}
	for _, caller := range fold.Callers(frame) {
		if _, ended := r.history.Record(caller); ended {
			return nil
		}
	}
	v := r.history.Open(frame)
	if v == nil || r.history.Parts(execution.AddressOf(frame, v.Index, "")).Count == 0 && !r.history.Has(execution.AddressOf(frame, v.Index, "")) && !r.inProgress() {
		return nil // a call that has no record is no step that can be shown
	}
	out := &nextJSON{Index: v.Index, Node: v.NodeID, Frame: frame}
	if out.Node == "" {
		out.Node = r.nodeAfter(frame)
	}
	return out
}

// nodeAfter is the only node to which the last step of a frame leads; empty when there are several.
func (r *runState) nodeAfter(frame execution.Address) string {
	records, g := r.records(frame), r.graphOf(frame)
	if g == nil || len(records) == 0 {
		return ""
	}
	node := g.Node(records[len(records)-1].NodeID)
	if node == nil || len(node.Successors()) != 1 {
		return ""
	}
	return node.Successors()[0]
}

// graphOf returns the graph of a frame; nil when it is unknown.
func (r *runState) graphOf(frame execution.Address) *graph.Graph {
	return r.graph.ReachedTool(r.toolOf(frame))
}

// toolOf returns the tool whose graph a frame runs.
func (r *runState) toolOf(frame execution.Address) string {
	if frame == "" {
		return r.Tool
	}
	return r.history.Tool(frame)
}

// node returns the node of a place, also of the one about to run; nil when it is unknown.
func (r *runState) node(p place) graph.Node {
	return r.graphOf(p.Frame).NodeAt(r.nodeID(p), p.Part)
}

// nodeID returns the id of the node of a place; of a step, that of all steps.
func (r *runState) nodeID(p place) string {
	if rec, ok := r.record(place{Frame: p.Frame, At: p.At}); ok {
		return rec.NodeID
	}
	if open := r.open(p.Frame); open != nil && open.Index == p.At {
		return open.Node
	}
	return ""
}

// isSteps reports whether a place is the steps of a tool, or one of them.
func (r *runState) isSteps(p place) bool { return r.nodeID(p) == config.StepsID }

// step returns the step of a place, or of an item or a turn; nil for others, and when it is unknown.
func (r *runState) step(p place) *graph.Step {
	return r.graphOf(p.Frame).StepAt(r.nodeID(p), p.Part)
}

// placeAt returns the place of an address.
func placeAt(at execution.Address) (p place) {
	p.Frame, p.At, p.Part = at.Split()
	return p
}
