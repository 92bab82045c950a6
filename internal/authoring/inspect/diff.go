package inspect

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/diff"
)

// Difference is how two runs differ.
type Difference struct {
	A         journal.Run `json:"a"`
	B         journal.Run `json:"b"`
	SameGraph bool        `json:"sameGraph"`
	Arguments *Changes    `json:"arguments,omitempty"` // nil: they are equal
	Value     *Divergence `json:"value,omitempty"`     // the first step whose output, error or confirmation differs; nil: none
	Path      *Divergence `json:"path,omitempty"`      // the first step at another node; nil: none
	Times     []NodeTimes `json:"times"`               // the largest difference first
	MoreTimes int         `json:"moreTimes,omitempty"` // nodes that are left out
}

// Divergence is a step at which two runs differ.
type Divergence struct {
	Step    int      `json:"step"`
	Address string   `json:"address,omitempty"` // of the step, in runs with called graphs or parts; Step is its index in its frame then
	A       *Side    `json:"a,omitempty"`       // nil: this run had ended
	B       *Side    `json:"b,omitempty"`
	Changes *Changes `json:"changes,omitempty"` // of the output; nil: one of the steps failed, or their confirmations differ
}

// At returns the address of the step.
func (d *Divergence) At() string { return cmp.Or(d.Address, strconv.Itoa(d.Step)) }

// Side is the step of one of the runs.
type Side struct {
	Node  string `json:"nodeId"`
	Error string `json:"error,omitempty"`

	Confirmed *execution.Confirmation `json:"confirmed,omitempty"` // the user has agreed to the call
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

// DiffRuns compares two runs, each an id, the beginning of one, or "last". An empty a is the last
// run of the tool before b that finished.
func (i *Inspector) DiffRuns(ctx context.Context, a, b string) (*Difference, error) {
	s, err := i.store()
	if err != nil {
		return nil, err
	}
	d := &Difference{}
	if d.B, err = i.find(ctx, s, b); err != nil {
		return nil, err
	}
	if a != "" {
		d.A, err = i.find(ctx, s, a)
	} else {
		d.A, err = lastGood(ctx, s, d.B)
	}
	if err != nil {
		return nil, err
	}
	if err := d.compare(ctx, s); err != nil {
		return d, err
	}
	return d, d.times(ctx, s)
}

// lastGood returns the last run of the same tool and file that finished before a run began.
func lastGood(ctx context.Context, s *journal.Store, run journal.Run) (journal.Run, error) {
	good, err := s.List(ctx, journal.Filter{Tool: run.Tool, File: run.File, Status: journal.Finished, Before: run.ID, Limit: 1})
	if err != nil {
		return journal.Run{}, err
	}
	if len(good) == 0 {
		return journal.Run{}, fmt.Errorf("%w: no run of tool %q finished before run %s; name the run to compare it with", journal.ErrNotFound, run.Tool, run.ID)
	}
	return good[0], s.Verify(ctx, good[0])
}

// compare compares the two runs.
func (d *Difference) compare(ctx context.Context, s *journal.Store) error {
	d.SameGraph = d.A.Graph == d.B.Graph
	argsA, err := s.Arguments(ctx, d.A.ID, 0)
	if err != nil {
		return err
	}
	argsB, err := s.Arguments(ctx, d.B.ID, 0)
	if err != nil {
		return err
	}
	if d.Arguments, err = compare(ctx, argsA, argsB); err != nil {
		return err
	}
	if d.A.Nested > 0 || d.B.Nested > 0 {
		return d.meet(ctx, s)
	}
	return d.follow(ctx, s)
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
			if err := d.step(ctx, from+n, at(a, n), at(b, n)); err != nil || d.Path != nil {
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

// meet compares the steps that have the same address, in the order of addresses, until the runs
// diverge.
func (d *Difference) meet(ctx context.Context, s *journal.Store) error {
	a, err := newPages(ctx, s, d.A.ID)
	if err != nil {
		return err
	}
	b, err := newPages(ctx, s, d.B.ID)
	if err != nil {
		return err
	}
	for d.Path == nil {
		x, err := a.peek(ctx)
		if err != nil {
			return err
		}
		y, err := b.peek(ctx)
		if err != nil || x == nil && y == nil {
			return err
		}
		var order int
		switch {
		case x == nil:
			order = 1
		case y == nil:
			order = -1
		default:
			order = x.Record.At().Compare(y.Record.At())
		}
		at := x
		if order <= 0 {
			a.next()
		} else {
			at, x = y, nil
		}
		if order >= 0 {
			b.next()
		} else {
			y = nil
		}
		if err := d.step(ctx, at.Record.Index, x, y); err != nil {
			return err
		}
		for _, found := range []*Divergence{d.Value, d.Path} {
			if found != nil && found.Address == "" {
				found.Address = string(at.Record.At())
			}
		}
	}
	return nil
}

// pages reads the steps of a run in the order of addresses.
type pages struct {
	history *journal.History
	from    int
	page    []journal.Step
}

func newPages(ctx context.Context, s *journal.Store, run string) (*pages, error) {
	h, err := s.History(ctx, run)
	return &pages{history: h}, err
}

// peek returns the next step, nil at the end. An output that is made of parts is not read: the
// parts are.
func (p *pages) peek(ctx context.Context) (*journal.Step, error) {
	if len(p.page) == 0 && p.from < p.history.Len() {
		var whole, made []int
		for i := p.from; i < min(p.from+pageSteps, p.history.Len()); i++ {
			if p.history.IsMade(i) {
				made = append(made, i)
			} else {
				whole = append(whole, i)
			}
		}
		steps, err := p.history.Steps(ctx, whole, 0)
		if err != nil {
			return nil, err
		}
		heads, err := p.history.Steps(ctx, made, 1)
		if err != nil {
			return nil, err
		}
		p.page = slices.Concat(steps, heads)
		slices.SortFunc(p.page, func(a, b journal.Step) int { return a.Record.At().Compare(b.Record.At()) })
		p.from += len(p.page)
	}
	if len(p.page) == 0 {
		return nil, nil //nolint:nilnil // the end is no error
	}
	return &p.page[0], nil
}

func (p *pages) next() { p.page = p.page[1:] }

// step compares one step; nil is past the end of a run, or not in it.
func (d *Difference) step(ctx context.Context, index int, a, b *journal.Step) error {
	if a == nil || b == nil || a.Record.NodeID != b.Record.NodeID {
		d.Path = &Divergence{Step: index, A: sideOf(a), B: sideOf(b)}
		return nil
	}
	isArguments := a.Record.NodeType == config.EntryNode && a.Record.Frame == ""
	if d.Value != nil || d.Arguments != nil && isArguments {
		return nil
	}
	if failed := a.Record.Error != nil; failed || b.Record.Error != nil {
		if failed && b.Record.Error != nil && a.Record.Error.Message == b.Record.Error.Message {
			return nil
		}
		d.Value = &Divergence{Step: index, A: sideOf(a), B: sideOf(b)}
		return nil
	}
	if a.Record.Parts > 0 && a.Record.Parts == b.Record.Parts { // which are equal
		return nil
	}
	changes, err := compare(ctx, a.Output, b.Output)
	if changes != nil || !sameConfirmed(a.Record.Confirmed, b.Record.Confirmed) {
		d.Value = &Divergence{Step: index, A: sideOf(a), B: sideOf(b), Changes: changes}
	}
	return err
}

func sideOf(s *journal.Step) *Side {
	if s == nil {
		return nil
	}
	side := &Side{Node: s.Record.NodeID, Confirmed: s.Record.Confirmed}
	if s.Record.Error != nil {
		side.Error = s.Record.Error.Message
	}
	return side
}

// sameConfirmed reports whether the user has agreed to the same call in both runs, or in none.
func sameConfirmed(a, b *execution.Confirmation) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Digest == b.Digest
}

// compare returns how two values differ, nil when they are equal.
func compare(ctx context.Context, a, b journal.Recorded) (*Changes, error) {
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
		out.Changes = append(out.Changes, Change{Path: c.Path, A: bounded(ctx, c.Old, changedBytes), B: bounded(ctx, c.New, changedBytes)})
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
