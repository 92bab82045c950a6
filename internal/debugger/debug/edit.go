package debug

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/fold"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// pendingEdit is an edit on its way through the run.
type pendingEdit struct {
	edit    execution.Edit
	applied bool       // by the run
	settled chan error // has room for one
}

// settleEdits ends the waiting for edits: with nil for those that were applied, else with
// err when it is not nil. Session.mu is held.
func (h *hold) settleEdits(err error) {
	h.edits = slices.DeleteFunc(h.edits, func(e *pendingEdit) bool {
		switch {
		case e.applied:
			e.settled <- nil
		case err != nil:
			e.settled <- err
		default:
			return false
		}
		return true
	})
}

// applied notes that a frame has made an edit; one that is repeated has no hold. s.mu is held.
func (s *Session) applied(edited *execution.Record) {
	for _, h := range s.held {
		if h.editing && h.visit.Frame == edited.Frame && (edited.Part == "" || len(h.edits) > 0 && h.edits[0].edit.NodeID == edited.Step()) {
			h.edits[0].applied = true
		}
	}
}

// Edit replaces the latest output of a node of the frame at which the run is paused, for everything
// after it there, and returns when the run has applied it; nil is nothing. With an address, the frame
// is that of the node of this address, which is held. At a step it replaces the value of a step above, as long as no step
// has begun that reads it; args can be replaced before the steps begin. At another part nothing can be edited. It becomes
// a record of the history and an event of the journal. The output of a switch is the id of one of its targets:
// editing a switch that has just run changes where the run goes.
func (s *Session) Edit(ctx context.Context, at execution.Address, node string, value value.Value) error {
	s.mu.Lock()
	h, err := s.heldAt(at)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if node, err = s.checkEdit(h, node, value); err != nil {
		return err
	}
	e := &pendingEdit{edit: execution.Edit{NodeID: node, Output: value}, settled: make(chan error, 1)}
	s.mu.Lock()
	if !slices.Contains(s.held, h) || h.released {
		s.mu.Unlock()
		return errNotPaused
	}
	h.edits = append(h.edits, e)
	h.nudge()
	s.mu.Unlock()
	select {
	case err := <-e.settled:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// CanEdit returns why the value of a step cannot be edited at what is held at an address, see Edit; nil when it can be.
func (s *Session) CanEdit(at execution.Address, step string) error {
	s.mu.Lock()
	h, err := s.heldAt(at)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	_, err = s.stepToEdit(h, step)
	return err
}

// checkEdit rejects an edit that would make the run fail, and returns the id of the node as the run knows it.
func (s *Session) checkEdit(h *hold, id string, value value.Value) (node string, err error) {
	if h.graph.Steps() != nil && h.visit.Part != "" {
		if node, err = s.stepToEdit(h, id); err != nil {
			return "", err
		}
		return node, s.checkSize(value)
	}
	if h.graph.Steps() != nil && id == "args" {
		id = config.StepsEntry
	}
	return id, s.checkNode(h.graph, h.visit, id, value)
}

// stepToEdit returns the path of ids of a step above what is held.
func (s *Session) stepToEdit(h *hold, id string) (string, error) {
	if h.graph.Steps() == nil || h.visit.Part == "" {
		return "", fmt.Errorf("the run is not paused at a step")
	}
	if id == "args" {
		return "", errors.New("args can be edited only before the steps begin: pause at $steps")
	}
	ended := func(at execution.Address) bool {
		_, ended := s.history.Record(at)
		return ended
	}
	begun := func(at execution.Address) bool {
		if ended(at) {
			return true
		}
		held := func(f fold.Flying) bool { return s.isHeldAt(f.Visit.At()) && f.Visit.At() == at }
		return slices.ContainsFunc(s.history.InFlight(at), func(f fold.Flying) bool { return !held(f) })
	}
	_, step, err := execution.StepToEdit(h.graph, h.visit.At(), id, begun, ended)
	if err != nil {
		return "", err
	}
	return step.Node.ID(), nil
}

// isHeldAt reports whether the run is held before the step or part at an address.
func (s *Session) isHeldAt(at execution.Address) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.held, func(h *hold) bool { return !h.released && h.visit.At() == at })
}

// checkNode is checkEdit for a node.
func (s *Session) checkNode(g *graph.Graph, at *execution.Visit, id string, value value.Value) error {
	if at.Part != "" {
		return fmt.Errorf("the run is paused at %s, a part of node %q, where nothing can be edited; "+
			"go on to a node first: step into the part, or out of the parts", at.At(), at.NodeID)
	}
	node := g.Node(id)
	if node == nil {
		return unknownName(g, id, namesIn(g, ""))
	}
	if !slices.ContainsFunc(s.history.Records(at.Frame), func(r execution.Record) bool { return r.NodeID == id && r.Error == nil }) {
		return fmt.Errorf("node %q has no output yet; only a node that has run can be edited", id)
	}
	if _, isSwitch := node.(*graph.Switch); isSwitch {
		if target, _ := value.(string); !slices.Contains(node.Successors(), target) {
			return fmt.Errorf("the output of switch %q must be the id of one of its targets: %q", id, node.Successors())
		}
	}
	return s.checkSize(value)
}

// checkSize rejects a value that is larger than the limits of the history allow.
func (s *Session) checkSize(v value.Value) error {
	if v == nil {
		return nil
	}
	src, err := value.Encode(v)
	if err != nil {
		return fmt.Errorf("the value cannot be written as JSON: %w", err)
	}
	limits, total := s.graph.Limits, len(src)
	for _, r := range s.Records(0) {
		if r.Parts == 0 { // else its output is made of those of its parts, which are counted
			total += r.Bytes
		}
	}
	if len(src) > limits.MaxNodeOutputBytes || total > limits.MaxHistoryBytes {
		return fmt.Errorf("the value has %d bytes; executionLimits allow %d for one output and %d for all outputs together",
			len(src), limits.MaxNodeOutputBytes, limits.MaxHistoryBytes)
	}
	return nil
}
