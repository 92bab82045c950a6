package execution

import (
	"slices"

	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// result returns the result of a call that the operator has resolved.
func (p *past) result(c *Call) (v value.Value, known bool) {
	if p == nil {
		return nil, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := c.At()
	v, known = p.results[at]
	delete(p.results, at)
	return v, known
}

// isResolved reports whether the operator has said what the call at an address returned.
func (p *past) isResolved(at Address) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, known := p.results[at]
	return known
}

// doubt is a call whose outcome is unknown.
type doubt struct {
	*Visit
	at      Address
	matters bool // it is not safe to repeat
}

// weigh finds which in-doubt calls matter.
func (p *past) weigh(l *live) {
	for _, d := range p.doubts {
		node, isCall := l.root.graph.ReachedTool(d.Graph).NodeAt(d.NodeID, d.Part).(*graph.MCP)
		d.matters = !isCall || !isCallOf(node, d.Visit) || !l.hooks.mayRepeat(node)
	}
}

// doubted reports whether there are in-doubt calls.
func (p *past) doubted() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.doubts) > 0
}

// isInDoubt reports whether a call at the address, or below it, is in doubt and not safe to
// repeat. A task of a run that was parked goes on beside the other parts, as before.
func (p *past) isInDoubt(at Address) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.doubts, func(d *doubt) bool { return d.matters && (!p.parked || d.Task == "") && at.Covers(d.at) })
}

// close removes the in-doubt calls below an execution that has ended: other parts of one whose
// failure was handled.
func (p *past) close(rec *Record) {
	if !p.doubted() {
		return
	}
	at := rec.At()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doubts = slices.DeleteFunc(p.doubts, func(d *doubt) bool { return at.Contains(d.at) })
}

// drop removes an in-doubt call. mu is held.
func (p *past) drop(d *doubt) {
	p.doubts = slices.DeleteFunc(p.doubts, func(other *doubt) bool { return other == d })
}

// resolve decides about the calls that were made before a resumed run was interrupted and that
// have no record: those in flight, and those before them whose records were lost with the
// process. Such a call is repeated, or its result is known, or the run ends before it: then the
// failure is returned. s is where the run is, its node nil at the end of the frame; c is the call
// that it makes there, nil when it makes none.
func (l *live) resolve(s *site, c *Call) *Failure {
	p := l.past
	if !p.doubted() {
		return nil
	}
	node, _ := s.node.(*graph.MCP)
	mayRepeat := c != nil && l.hooks.mayRepeat(node)
	p.mu.Lock()
	defer p.mu.Unlock()
	here := s.address()
	exact := false
	for _, d := range slices.Clone(p.doubts) {
		switch s.meets(d, c) {
		case leaves:
			p.drop(d)
			if failed := l.diverged(d); failed != nil {
				return failed
			}
		case reaches:
			exact = true
		case passes:
		}
	}
	if c == nil || !exact && !p.lost(here) {
		return nil
	}
	var inFlight *doubt
	if exact {
		inFlight = p.doubts[slices.IndexFunc(p.doubts, func(d *doubt) bool { return d.at == here })]
		p.drop(inFlight)
	}
	resolution := p.resolutionAt(here, exact)
	repeat := resolution.Repeat || resolution.RepeatAll || mayRepeat
	switch {
	case resolution.hasValue():
		p.results[here] = resolution.Value
	case inFlight != nil && inFlight.Task != "" && inFlight.Digest == digest(c.Args):
		c.Task, p.tasks[here] = inFlight.Task, &resumed{call: inFlight, repeat: repeat}
	case !repeat:
		return s.located(l.inDoubt(node, c, inFlight))
	}
	return nil
}

// meeting is how the place of a run and an in-doubt call meet.
type meeting int

const (
	passes  meeting = iota // the run may still come to the call
	reaches                // the run makes that call now
	leaves                 // the run does not come to it any more
)

// meets returns how the site and an in-doubt call meet.
func (s *site) meets(d *doubt, c *Call) meeting {
	index, below := d.at.IndexIn(s.frame.address)
	if !below {
		return passes
	}
	_, isExit := s.node.(*graph.Exit)
	here, there := s.address(), d.at
	switch {
	case s.node == nil || isExit || index < s.index:
		return leaves
	case index > s.index:
		return passes
	case there == here && c != nil && isCallOf(s.node, d.Visit):
		return reaches
	case there == here:
		return leaves
	case s.part != "" && !here.Contains(there):
		return passes // it is of another part
	}
	switch n := s.node.(type) {
	case *graph.SubGraph, *graph.Parallel, *graph.Steps:
		return passes
	case *graph.MCP:
		if n.ForEach != nil && s.part == "" {
			return passes
		}
	case *graph.Entry, *graph.Ask, *graph.Transform, *graph.Switch, *graph.Exit:
	}
	return leaves
}

// lost reports whether an in-doubt call comes after the address in the order of a run: then
// records before it may be lost. mu is held.
func (p *past) lost(at Address) bool {
	for {
		frame, index, _ := at.Split()
		for _, d := range p.doubts {
			if other, below := d.at.IndexIn(frame); below && other > index {
				return true
			}
		}
		if frame == "" {
			return false
		}
		at = frame
	}
}

// resolutionAt returns the operator's resolution for the call at an address, once. It is for the
// first call that was in flight, or for the one before which the run has ended last. mu is held.
func (p *past) resolutionAt(at Address, exact bool) Resolution {
	if p.resolution.RepeatAll {
		return p.resolution
	}
	if at != p.endedAt && (!exact || at != p.first) {
		return Resolution{}
	}
	resolution := p.resolution
	p.resolution = Resolution{}
	return resolution
}
