package execution

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// Fork is how a run continues another one from a step on.
type Fork struct {
	At     Address // the first step that runs again
	Edits  []Edit  // outputs that are replaced before it, of nodes of its frame; before a step, of steps above it, see StepToEdit
	Repeat bool    // also calls of the other run whose outcome is unknown may be made again

	// Safe refuses a fork that may make calls again which the other run has made, and which are not safe to
	// repeat: the error is ErrRepeats.
	Safe bool
}

// Origin names the step of a run at which it is forked: RUN/ADDRESS.
func Origin(run string, at Address) string { return run + "/" + string(at) }

// ErrInDoubt is the error of Engine.Fork for a run with a call whose outcome is unknown.
var ErrInDoubt = errors.New("its outcome is unknown")

// ErrRepeats is the error of a Fork that must be Safe and is not.
var ErrRepeats = errors.New("it is not safe to repeat")

// Forked is a fork that has not begun.
type Forked struct {
	engine *Engine
	graph  *graph.Graph
	hooks  *hooks
	events []Event
}

// Fork starts a run that continues another one from a step on, as if that one had been interrupted
// there: the new run has the events of Cut.Before as its own, then the edits, and goes on from
// there. The events are those of the other run; they may have ended it. Without a result nothing has
// begun.
//
// The steps that are copied count for the limits as those of a resumed run do. A journal that is a
// Flusher has them before anything else happens.
func (e *Engine) Fork(ctx context.Context, g *graph.Graph, events []Event, f Fork, opts ...Option) (*Result, error) {
	forked, err := e.PrepareFork(ctx, g, events, f, opts...)
	if err != nil {
		return nil, err
	}
	return forked.Run(ctx)
}

// PrepareFork is the part of Fork that can fail before anything begins.
func (e *Engine) PrepareFork(ctx context.Context, g *graph.Graph, events []Event, f Fork, opts ...Option) (*Forked, error) {
	h := e.with(opts)
	if h.runID == "" {
		h.runID = rand.Text()
	}
	cut, err := CutAt(events, f.At)
	if err != nil {
		return nil, err
	}
	first := cut.Before[0]
	if !first.Start.IsOf(g) && !h.changedGraph {
		return nil, changedGraph(&first, g)
	}
	if !f.Repeat {
		if err := e.checkDoubts(ctx, g, events, h); err != nil {
			return nil, err
		}
	}
	if f.Safe {
		if err := cut.repeats(g, h); err != nil {
			return nil, err
		}
	}
	h.vars = first.Start.Vars
	own, err := cut.events(g, f.Edits, h)
	if err != nil {
		return nil, err
	}
	if _, err := e.rebuild(ctx, g, own, h); err != nil {
		return nil, err
	}
	return &Forked{e, g, h, own}, nil
}

// ID returns the id of the fork.
func (f *Forked) ID() string { return f.hooks.runID }

// Events returns what is copied and edited, run-started first.
func (f *Forked) Events() []Event { return f.events }

// Run runs the fork. The options are added to those of PrepareFork; they do not change its id.
func (f *Forked) Run(ctx context.Context, opts ...Option) (*Result, error) {
	h, own, id := f.hooks, f.events, f.ID()
	for _, o := range opts {
		o(h)
	}
	h.runID = id
	l, err := f.engine.rebuild(ctx, f.graph, own, h)
	if err != nil {
		return nil, err
	}
	if err := h.recordAll(ctx, own); err != nil {
		return nil, fmt.Errorf("the steps before step %s cannot be copied: %w", own[0].Start.ForkedFrom, err)
	}
	l.start()
	if err := h.notify(&own[0]); err != nil {
		return f.engine.end(ctx, l, nil, err)
	}
	return f.engine.finish(ctx, l)
}

// checkDoubts returns an error for the first call of a run that is in doubt and not safe to repeat. That of a call with a
// task says so: the run that has begun the task can take it up, and a fork cannot, because it is another run.
func (e *Engine) checkDoubts(ctx context.Context, g *graph.Graph, events []Event, h *hooks) error {
	l := newLive(ctx, e.caller, events[0].Run, newFrame(g, events[0].Start.Args, events[0].Start.Vars), h.now(), h)
	l.past = pastOf(events, h)
	l.past.weigh(l)
	for _, d := range l.past.doubts {
		if d.matters && d.Task != "" { // two runs would await it, and each could cancel it
			return fmt.Errorf("run %s was interrupted during the call to %s.%s at step %s, which its server has answered with a task: %w until the run is resumed, which takes the task up",
				l.id, d.Server, d.Tool, d.at, ErrInDoubt)
		}
		if d.matters {
			return fmt.Errorf("run %s was interrupted during the call to %s.%s at step %s: %w", l.id, d.Server, d.Tool, d.at, ErrInDoubt)
		}
	}
	return nil
}

// repeats returns an error for the first call that a fork may make again and that is not safe to repeat.
func (c *Cut) repeats(g *graph.Graph, h *hooks) error {
	for _, e := range c.After {
		if e.Kind != CallStarted {
			continue
		}
		node, isCall := g.ReachedTool(e.Step.Graph).NodeAt(e.Step.NodeID, e.Step.Part).(*graph.MCP)
		if !isCall || !h.mayRepeat(node) {
			return fmt.Errorf("the call to %s.%s at step %s would be made again: %w", e.Step.Server, e.Step.Tool, e.At(), ErrRepeats)
		}
	}
	return nil
}

// InDoubt returns the calls of a run whose outcome is unknown, in the order of their addresses.
func InDoubt(events []Event) (calls []*Visit) {
	for _, d := range pastOf(events, &hooks{}).doubts {
		calls = append(calls, d.Visit)
	}
	return calls
}

// recordAll records the first events of a fork, and returns when they survive the process.
func (h *hooks) recordAll(ctx context.Context, events []Event) error {
	for i := range events {
		if err := h.record(ctx, &events[i]); err != nil {
			return err
		}
	}
	if j, ok := h.journal.(Flusher); ok && len(events) > 1 {
		return j.Flush(ctx, h.runID)
	}
	return nil
}

// Cut divides the events of a run at a step: into those that a fork copies and the others.
//
// What happened before the step in time is copied, also of parts that ran at the same time. Of these
// a step that has not finished then begins again, with its calls, attempts and questions; and so does
// a part that has failed, which would end the fork.
type Cut struct {
	At     Address
	Before []Event // run-started first
	After  []Event
}

// CutAt divides the events of a run. The step has to be one that began, or the next one of a run that
// has not finished.
func CutAt(events []Event, at Address) (Cut, error) {
	if err := checkStart(events); err != nil {
		return Cut{}, err
	}
	end := slices.IndexFunc(events, func(e Event) bool { return e.At() != "" && at.Covers(e.At()) })
	if end < 0 {
		if !isNext(events, at) {
			return Cut{}, fmt.Errorf("run %s has no step %s", events[0].Run, at)
		}
		end = len(events)
	}
	finished := map[Address]bool{}
	for _, e := range events[1:end] {
		if e.Record != nil && e.Record.Error == nil {
			finished[e.At()] = true
		}
	}
	var begunAgain []Address
	for _, e := range events[1:end] {
		if e.Record != nil && e.Record.Error != nil && !isWithin(finished, e.At()) {
			begunAgain = append(begunAgain, besides(e.At(), at))
		}
	}
	cut := Cut{At: at, Before: []Event{events[0]}}
	for i, e := range events[1:] {
		if i+1 < end && e.isOf(finished) && !slices.ContainsFunc(begunAgain, func(a Address) bool { return a.Covers(e.At()) }) {
			cut.Before = append(cut.Before, e)
		} else {
			cut.After = append(cut.After, e)
		}
	}
	return cut, nil
}

// isNext reports whether a run of its own frame can go on with the step at an address.
func isNext(events []Event, at Address) bool {
	last, next := (*Record)(nil), 0
	for _, e := range events {
		switch {
		case e.Record != nil && e.Record.Frame == "" && e.Record.Part == "":
			last, next = e.Record, next+1
		case e.End != nil && e.End.Failure == nil:
			return false
		}
	}
	return at == AddressOf("", next, "") && (last == nil || last.Error == nil && last.NodeType != config.ExitNode)
}

// isOf reports whether an event is kept when only these steps have finished.
func (e *Event) isOf(finished map[Address]bool) bool {
	switch e.Kind {
	case StepFinished, ContextEdited, PartsStarted:
		return true
	case CallStarted, AttemptFailed, QuestionAsked, Answered:
		return isWithin(finished, e.At())
	case RunStarted, StepReady, RunFinished:
	}
	return false
}

// isWithin reports whether the execution at an address, or one around it, is among some.
func isWithin(some map[Address]bool, at Address) bool {
	for ; at != ""; at = at.Around() {
		if some[at] {
			return true
		}
	}
	return false
}

// besides returns the outermost address around a, or a, that is not around b.
func besides(a, b Address) Address {
	for around := a.Around(); around != "" && !around.Covers(b); around = a.Around() {
		a = around
	}
	return a
}

// events returns the first events of a fork.
func (c *Cut) events(g *graph.Graph, edits []Edit, h *hooks) ([]Event, error) {
	own := make([]Event, 0, len(c.Before)+len(edits))
	first, begin := c.Before[0], h.now() // edits are made after the run has begun
	for _, e := range c.Before {
		e.Run = h.runID
		if e.Record != nil {
			copied := *e.Record
			copied.Bytes = sizeOf(&copied)
			e.Record = &copied
		}
		own = append(own, e)
	}
	for _, edit := range edits {
		rec, err := c.edit(g, edit, own, h)
		if err != nil {
			return nil, err
		}
		own = append(own, Event{Kind: ContextEdited, Run: h.runID, Time: rec.End, Record: rec})
	}
	own[0].Time, own[0].Sync = begin, h.once
	own[0].Start = &Start{
		Tool: first.Start.Tool, Graph: g.HashWith(h.vars), Args: first.Start.Args, Vars: g.ReadVars(h.vars),
		ForkedFrom: Origin(first.Run, c.At), Copied: len(own) - 1, Caller: h.caller, Subject: first.Start.Subject, Changing: first.Start.Changing, Asking: first.Start.Asking,
	}
	return own, nil
}

// edit returns the record of an edit right before the step of a fork that runs first. own are the
// events before it.
func (c *Cut) edit(g *graph.Graph, edit Edit, own []Event, h *hooks) (*Record, error) {
	frame, _, part := c.At.Split()
	if part != "" {
		return c.editStep(g, edit, own, h)
	}
	rec := &Record{Frame: frame, NodeID: edit.NodeID, Output: edit.Output, Start: h.now(), Edited: true}
	rec.End = rec.Start
	known := map[string]bool{}
	for _, e := range own {
		if r := e.Record; r != nil && r.Frame == frame && r.Part == "" {
			rec.Index, rec.Tool = r.Index+1, r.Tool
			known[r.NodeID] = known[r.NodeID] || r.Error == nil
		}
	}
	node := g.ReachedTool(rec.Tool).NodeAt(edit.NodeID, "")
	if node == nil || !known[edit.NodeID] {
		return nil, fmt.Errorf("node %q has no output before step %s; %s", edit.NodeID, c.At, editable(known))
	}
	rec.NodeType = node.Type()
	if err := wayOut(node, rec); err != nil {
		return nil, fmt.Errorf("the output of switch %q is the id of one of its targets, expected %s", edit.NodeID, wording.Or(node.Successors()))
	}
	return rec, sizeEdit(g, edit.NodeID, rec)
}

// editStep is edit for a fork at a step.
func (c *Cut) editStep(g *graph.Graph, edit Edit, own []Event, h *hooks) (*Record, error) {
	of, begun, ended := c.stepsIn(g, own)
	if _, _, part := c.At.Split(); of.StepAt(config.StepsID, part) == nil {
		return nil, fmt.Errorf("step %s is a part, before which no output can be edited; fork at a step", c.At)
	}
	has := func(at Address) bool { return ended[at] != nil }
	at, step, err := StepToEdit(of, c.At, edit.NodeID, func(at Address) bool { return begun[at] }, has)
	if err != nil {
		return nil, err
	}
	was, now := ended[at], h.now()
	rec := &Record{
		Frame: was.Frame, Index: was.Index, Part: was.Part, Tool: was.Tool, NodeID: was.NodeID, NodeType: was.NodeType, Output: edit.Output, Start: now, End: now, Edited: true,
	}
	return rec, sizeEdit(g, step.Node.ID(), rec)
}

// stepsIn returns the graph of the frame of a fork, and what has begun and ended in the events that the fork has.
func (c *Cut) stepsIn(g *graph.Graph, own []Event) (of *graph.Graph, begun map[Address]bool, ended map[Address]*Record) {
	begun, ended = map[Address]bool{}, map[Address]*Record{}
	tool := ""
	for i := range own {
		e := &own[i]
		if e.Record != nil {
			ended[e.At()] = e.Record
		}
		for at := e.At(); at != ""; at = at.Around() {
			begun[at] = true
		}
		if e.Step != nil && e.Step.Frame == c.At.Frame() {
			tool = e.Step.Graph
		}
	}
	return g.ReachedTool(tool), begun, ended
}

// Editable returns the addresses of the steps whose values an edit of a fork can replace; nil where the fork is not at a
// step. The graph is that of the run.
func (c *Cut) Editable(g *graph.Graph) (steps []Address) {
	of, begun, ended := c.stepsIn(g, c.Before)
	of.Steps().EachStep(func(s *graph.Step) {
		at, _, err := StepToEdit(of, c.At, s.Node.ID(), func(at Address) bool { return begun[at] }, func(at Address) bool { return ended[at] != nil })
		if err == nil {
			steps = append(steps, at)
		}
	})
	return steps
}

// sizeEdit measures an edit, and refuses one that is too large.
func sizeEdit(g *graph.Graph, name string, rec *Record) error {
	if rec.Output != nil {
		rec.Bytes = value.Size(rec.Output)
	}
	if most := g.Limits.MaxNodeOutputBytes; rec.Bytes > most {
		return fmt.Errorf("the value of node %q has %d bytes, and executionLimits.maxNodeOutputBytes is %d", name, rec.Bytes, most)
	}
	return nil
}

// editable names the nodes that have an output.
func editable(known map[string]bool) string {
	if len(known) == 0 {
		return "no node has run there"
	}
	return "expected " + wording.Or(slices.Sorted(maps.Keys(known)))
}
