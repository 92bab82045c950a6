package inspect

import (
	"bytes"
	"context"

	"toolgraph/config"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/diff"
)

// Difference is how two runs differ.
type Difference struct {
	A         journal.Run `json:"a"`
	B         journal.Run `json:"b"`
	SameGraph bool        `json:"sameGraph"`
	Arguments *Changes    `json:"arguments,omitempty"` // nil: they are equal
	Value     *Divergence `json:"value,omitempty"`     // the first step whose output or error differs; nil: none
	Path      *Divergence `json:"path,omitempty"`      // the first step at another node; nil: none
}

// Divergence is a step at which two runs differ.
type Divergence struct {
	Step    int      `json:"step"`
	A       *Side    `json:"a,omitempty"` // nil: this run had ended
	B       *Side    `json:"b,omitempty"`
	Changes *Changes `json:"changes,omitempty"` // of the output; nil: one of the steps failed
}

// Side is the step of one of the runs.
type Side struct {
	Node  string `json:"nodeId"`
	Error string `json:"error,omitempty"`
}

// Changes are the places at which two values differ.
type Changes struct {
	Changes []Change `json:"changes"`
	More    int      `json:"more,omitempty"` // places, which are left out
}

// Change is one place at which two values differ.
type Change struct {
	Path string `json:"path"`        // .items[2].name; empty for the value as a whole
	A    *Value `json:"a,omitempty"` // nil: it is missing, or the node yielded nothing
	B    *Value `json:"b,omitempty"`
}

const (
	mostChanges  = 20
	changedBytes = 512 // of each value
	pageSteps    = 256 // read at once
)

// DiffRuns compares two runs, each an id, the beginning of one, or "last".
func (i *Inspector) DiffRuns(ctx context.Context, a, b string) (*Difference, error) {
	s, err := i.store()
	if err != nil {
		return nil, err
	}
	d := &Difference{}
	if d.A, err = i.find(ctx, s, a); err != nil {
		return nil, err
	}
	if d.B, err = i.find(ctx, s, b); err != nil {
		return nil, err
	}
	d.SameGraph = d.A.Graph == d.B.Graph
	argsA, err := s.Arguments(ctx, d.A.ID, 0)
	if err != nil {
		return nil, err
	}
	argsB, err := s.Arguments(ctx, d.B.ID, 0)
	if err != nil {
		return nil, err
	}
	if d.Arguments, err = compare(argsA, argsB); err != nil {
		return nil, err
	}
	return d, d.follow(ctx, s)
}

// follow compares the steps until the runs diverge.
func (d *Difference) follow(ctx context.Context, s *journal.Store) error {
	for from := 0; d.Path == nil; from += pageSteps {
		a, err := s.Steps(ctx, d.A.ID, from, pageSteps, 0)
		if err != nil {
			return err
		}
		b, err := s.Steps(ctx, d.B.ID, from, pageSteps, 0)
		if err != nil {
			return err
		}
		for n := range max(len(a), len(b)) {
			if err := d.step(from+n, at(a, n), at(b, n)); err != nil || d.Path != nil {
				return err
			}
		}
		if len(a) < pageSteps || len(b) < pageSteps {
			return nil
		}
	}
	return nil
}

// at returns a step, nil past the end.
func at(steps []journal.Step, n int) *journal.Step {
	if n >= len(steps) {
		return nil
	}
	return &steps[n]
}

// step compares one step; nil is past the end of a run.
func (d *Difference) step(index int, a, b *journal.Step) error {
	if a == nil || b == nil || a.Record.NodeID != b.Record.NodeID {
		d.Path = &Divergence{Step: index, A: sideOf(a), B: sideOf(b)}
		return nil
	}
	if d.Value != nil || d.Arguments != nil && a.Record.NodeType == config.EntryNode { // whose output is the arguments
		return nil
	}
	if failed := a.Record.Error != nil; failed || b.Record.Error != nil {
		if failed && b.Record.Error != nil && a.Record.Error.Message == b.Record.Error.Message {
			return nil
		}
		d.Value = &Divergence{Step: index, A: sideOf(a), B: sideOf(b)}
		return nil
	}
	changes, err := compare(a.Output, b.Output)
	if changes != nil {
		d.Value = &Divergence{Step: index, A: sideOf(a), B: sideOf(b), Changes: changes}
	}
	return err
}

func sideOf(s *journal.Step) *Side {
	if s == nil {
		return nil
	}
	side := &Side{Node: s.Record.NodeID}
	if s.Record.Error != nil {
		side.Error = s.Record.Error.Message
	}
	return side
}

// compare returns how two values differ, nil when they are equal.
func compare(a, b journal.Recorded) (*Changes, error) {
	if bytes.Equal(a.JSON, b.JSON) {
		return nil, nil //nolint:nilnil // no difference is no error
	}
	older, err := decoded(a)
	if err != nil {
		return nil, err
	}
	newer, err := decoded(b)
	if err != nil {
		return nil, err
	}
	found := diff.Values(older, newer)
	if len(found) == 0 {
		return nil, nil //nolint:nilnil // likewise
	}
	out := &Changes{}
	for _, c := range found[:min(len(found), mostChanges)] {
		out.Changes = append(out.Changes, Change{Path: c.Path, A: bounded(c.Old, changedBytes), B: bounded(c.New, changedBytes)})
	}
	out.More = len(found) - len(out.Changes)
	return out, nil
}

// decoded returns a recorded value, nil for nothing.
func decoded(k journal.Recorded) (value.Value, error) {
	if k.Nothing {
		return nil, nil
	}
	return value.Decode(k.JSON)
}
