package page

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"toolgraph/execution"
)

// foundJSON are the steps and parts of a frame that a filter selects, in the order of the list.
type foundJSON struct {
	Total  int        `json:"total"`
	Before int        `json:"before"` // how many of them are before the step or part under inspection
	At     bool       `json:"at"`     // that one is selected too
	Rows   []partJSON `json:"rows"`   // a page of them; a step has no state
}

// sieve selects steps and parts.
type sieve struct {
	node           string // part of its name, in lower case
	failed, edited bool
	slower         time.Duration // takes longer than this
}

func sieveOf(r *http.Request) (f sieve, err error) {
	q := r.URL.Query()
	f = sieve{node: strings.ToLower(q.Get("node")), failed: q.Has("failed"), edited: q.Has("edited")}
	if text := q.Get("slower"); text != "" {
		ms, err := strconv.ParseFloat(text, 64)
		if err != nil || !(ms >= 0 && ms < 1e12) {
			return f, errorf(http.StatusBadRequest, "slower is %q, expected milliseconds", text)
		}
		f.slower = time.Duration(ms * float64(time.Millisecond))
	}
	return f, nil
}

// selects reports whether a record is selected. A part has the node of its step: only its branch is a
// name of its own.
func (f sieve) selects(rec execution.Record) bool {
	name, more := rec.NodeID, f.failed || f.edited || f.slower > 0
	if rec.Part != "" && !more {
		name = rec.Part
	}
	return strings.Contains(strings.ToLower(name), f.node) &&
		(!f.failed || rec.Error != nil || rec.Handled != nil) && (!f.edited || rec.Edited) && (f.slower == 0 || rec.Duration() > f.slower)
}

// findSteps lists the steps and parts of a frame that a filter selects. It goes through the frame for each
// page: that takes a fraction of a millisecond for a thousand steps.
func (s *Server) findSteps(r *http.Request, now runState) (any, error) {
	p, err := placeOf(r, now)
	if err != nil {
		return nil, err
	}
	f, err := sieveOf(r)
	if err != nil {
		return nil, err
	}
	from, err := number(r, "from", 0, maxBody)
	if err != nil {
		return nil, err
	}
	limit, err := number(r, "limit", stepsShown, mostSteps)
	if err != nil {
		return nil, err
	}
	out := foundJSON{Rows: []partJSON{}}
	see := func(rec execution.Record, beforeLooked, isLooked bool) {
		if !f.selects(rec) {
			return
		}
		if out.Total >= from && len(out.Rows) < limit {
			row := partJSON{stepJSON: now.stepOf(rec)}
			if rec.Part != "" {
				row = now.part(place{Frame: p.Frame, At: rec.Index, Part: rec.Part})
				row.Index = rec.Index
			}
			out.Rows = append(out.Rows, row)
		}
		out.Total++
		if beforeLooked {
			out.Before++
		}
		out.At = out.At || isLooked
	}
	records := now.records(p.Frame)
	for i := range len(records) + 1 { // the last one has no record yet
		if i < len(records) {
			rec := records[i]
			rec.Index = i // an edit is a row of its own
			see(rec, i < p.At || i == p.At && p.Part != "", i == p.At && p.Part == "")
			if rec.Edited {
				continue
			}
		}
		parts := now.history.Parts(execution.AddressOf(p.Frame, i, ""))
		seen := false // the part under inspection
		for n := range parts.Count {
			name := parts.Name(n)
			looked := i == p.At && name == p.Part
			seen = seen || looked
			if rec, ended := now.history.Record(execution.AddressOf(p.Frame, i, name)); ended {
				see(rec, i < p.At || i == p.At && p.Part != "" && !seen, looked)
			}
		}
	}
	return out, nil
}

// failedAt is the step or part with which the run failed, as far inside as it is known; empty for a run that
// has not failed, or whose value was refused.
func (r *runState) failedAt() (at execution.Address) {
	if r.Status != "error" {
		return ""
	}
	for frame := execution.Address(""); ; {
		records := r.records(frame)
		if len(records) == 0 || records[len(records)-1].Error == nil {
			return at
		}
		at = execution.AddressOf(frame, len(records)-1, "")
		if parts := r.history.Parts(at); parts.Failed > 0 {
			for n := range parts.Count {
				part := execution.AddressOf(frame, len(records)-1, parts.Name(n))
				if rec, ended := r.history.Record(part); ended && rec.Error != nil {
					at = part
					break
				}
			}
		}
		if !r.history.Has(at) {
			return at
		}
		frame = at
	}
}
