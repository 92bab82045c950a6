package debug

import (
	"context"
	"fmt"
	"slices"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// pendingEdit is an edit on its way through the run.
type pendingEdit struct {
	edit   execution.Edit
	taken  bool       // the run has it
	made   bool       // and has made it
	answer chan error // has room for the one answer
}

// answerEdits answers those who wait for an edit: with nil when it was made, else with
// err, if there is one. s.mu is held.
func (s *Session) answerEdits(err error) {
	s.edits = slices.DeleteFunc(s.edits, func(e *pendingEdit) bool {
		switch {
		case e.made:
			e.answer <- nil
		case err != nil:
			e.answer <- err
		default:
			return false
		}
		return true
	})
}

// Edit replaces the latest output of a node of a paused run, for everything after it,
// and returns when the run has it; nil is nothing. It becomes a record of the history and an event of
// the journal. The output of a switch is the id of a node that it leads to: editing that
// of a switch which has just run takes the run elsewhere.
func (s *Session) Edit(ctx context.Context, node string, value value.Value) error {
	if err := s.checkEdit(node, value); err != nil {
		return err
	}
	e := &pendingEdit{edit: execution.Edit{NodeID: node, Output: value}, answer: make(chan error, 1)}
	s.mu.Lock()
	if s.state.Status != Paused {
		s.mu.Unlock()
		return errNotPaused
	}
	s.edits = append(s.edits, e)
	s.mu.Unlock()
	s.nudge()
	select {
	case err := <-e.answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// checkEdit refuses what the run would refuse by ending.
func (s *Session) checkEdit(id string, value value.Value) error {
	node := s.graph.Node(id)
	if node == nil {
		return unknownNode(s.graph, id)
	}
	if !slices.ContainsFunc(s.Records(0), func(r execution.Record) bool { return r.NodeID == id && r.Error == nil }) {
		return fmt.Errorf("node %q has no output yet: only one that has run can be edited", id)
	}
	if _, isSwitch := node.(*graph.Switch); isSwitch {
		if err := checkTarget(node, value); err != nil {
			return err
		}
	}
	return s.checkSize(value)
}

func checkTarget(node graph.Node, value value.Value) error {
	target, _ := value.(string)
	for _, next := range node.Successors() {
		if next == target {
			return nil
		}
	}
	return fmt.Errorf("the output of switch %q is the id of a node that it leads to: one of %q", node.ID(), node.Successors())
}

// checkSize leaves the history the room that its limits give it.
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
		total += r.Bytes
	}
	if len(src) > limits.MaxNodeOutputBytes || total > limits.MaxHistoryBytes {
		return fmt.Errorf("the value has %d bytes; executionLimits allow %d for one output and %d for all", len(src), limits.MaxNodeOutputBytes, limits.MaxHistoryBytes)
	}
	return nil
}
