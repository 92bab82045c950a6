package page

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"toolgraph/config"
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
	ms, err := millisecondsIn(r, "slower", 0, 0)
	f.slower = time.Duration(ms * float64(time.Millisecond))
	return f, err
}

const farthest = 1e12 // milliseconds

// millisecondsIn reads milliseconds of a query, at least so many; fallback when they are not given.
func millisecondsIn(r *http.Request, name string, fallback, least float64) (float64, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return fallback, nil
	}
	ms, err := strconv.ParseFloat(text, 64)
	if err != nil || !(ms >= least && ms < farthest) {
		return 0, errorf(http.StatusBadRequest, "%s is %q, expected milliseconds", name, text)
	}
	return ms, nil
}

// selects reports whether a record is selected. A part has the node of its step: only its branch is a
// name of its own.
func (f sieve) selects(rec execution.Record) bool {
	name, more := rec.NodeID, f.failed || f.edited || f.slower > 0
	switch at := rec.At(); {
	case rec.Part == "":
	case rec.NodeID == config.StepsID && !at.IsCounted():
		name = rec.Step()
	case !more:
		name = at.Name()
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
	looked, seen := p.address(), false // whether what is under inspection was come to
	see := func(rec execution.Record, at execution.Address) {
		isLooked := at == looked
		seen = seen || isLooked
		if !f.selects(rec) {
			return
		}
		if out.Total >= from && len(out.Rows) < limit {
			row := partJSON{stepJSON: now.stepOf(rec)}
			if rec.Part != "" {
				row = now.part(placeAt(at))
			}
			row.Index = placeAt(at).At
			out.Rows = append(out.Rows, row)
		}
		out.Total++
		if !seen {
			out.Before++
		}
		out.At = out.At || isLooked
	}
	var inside func(of execution.Address)
	inside = func(of execution.Address) {
		parts := now.history.Parts(of)
		for n := range parts.Count {
			at := parts.At(of, n)
			if rec, ended := now.history.Record(at); ended {
				see(rec, at)
			}
			seen = seen || at == looked
			inside(at)
		}
	}
	records := now.records(p.Frame)
	for i := range len(records) + 1 { // the last one has no record yet
		at := execution.AddressOf(p.Frame, i, "")
		if i < len(records) {
			see(records[i], at)
			if records[i].Edited {
				continue
			}
		}
		seen = seen || at == looked
		inside(at)
	}
	return out, nil
}

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
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
		at = r.failedPart(execution.AddressOf(frame, len(records)-1, ""))
		if !r.history.Has(at) {
			return at
		}
		frame = at
	}
}

// failedPart returns the first part of an execution that has failed, as far inside as it is known; the execution itself
// when none has.
func (r *runState) failedPart(at execution.Address) execution.Address {
	parts := r.history.Parts(at)
	for n := 0; parts.Failed > 0 && n < parts.Count; n++ {
		part := parts.At(at, n)
		if rec, ended := r.history.Record(part); ended && rec.Error != nil {
			return r.failedPart(part)
		}
	}
	return at
}
