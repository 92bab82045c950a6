package execution

import (
	"fmt"
	"sync"

	"toolgraph/execution/call"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// A step has one value for all that read it. So the value of a step can be edited before another step as long as no step
// that reads it has begun, and all of them see the edit: as if the step had yielded it.

// StepToEdit finds the step whose value an edit before the step, item or turn at an address replaces, by its id or its
// path of ids: one above it in its block, or above what that is in. begun and ended say of an address whether the step
// there has begun, and whether it has ended. The error says why the value cannot be edited.
func StepToEdit(g *graph.Graph, at Address, name string, begun, ended func(Address) bool) (Address, *graph.Step, error) {
	var above []string
	for here, outer := at, at.Outer(); outer != here; here, outer = outer, outer.Outer() {
		block := blockAt(g, outer)
		if block == nil || !call.IsBranch(here.Name()) {
			continue // it is an item or a turn
		}
		for i, s := range block.Block {
			if s.ID == here.Name() {
				break
			}
			if above = append(above, s.ID); s.ID != name && s.Node.ID() != name {
				continue
			}
			found := outer + Address("."+s.ID)
			if !ended(found) {
				return "", nil, fmt.Errorf("step %q has not ended, so it has no value to edit", s.Node.ID())
			}
			for _, reader := range block.Block {
				if reader.Reads(i) && begun(outer+Address("."+reader.ID)) {
					return "", nil, fmt.Errorf("step %q has begun, which reads the value of step %q; edit it before that, or fork the run at step %q",
						reader.Node.ID(), s.Node.ID(), reader.Node.ID())
				}
			}
			return found, s, nil
		}
	}
	return "", nil, fmt.Errorf("no step %q is above step %s%s", name, at, wording.Suggest(name, above))
}

// blockAt returns the steps of a block of g by the address of its execution; nil for what is no block.
func blockAt(g *graph.Graph, at Address) *graph.Steps {
	steps := g.Steps()
	if _, _, part := at.Split(); part != "" && steps != nil {
		s := steps.Step(part)
		if s == nil {
			return nil
		}
		steps, _ = s.Node.(*graph.Steps)
	}
	return steps
}

// edits are what a debugger does to the steps of a block: their values are replaced while no step that reads them has
// begun. A run without a Gate has none.
type edits struct {
	mu     sync.Mutex      // guards what follows, and the records of the block
	begun  []bool          // of each step
	values map[int]*Record // of the steps that were edited
}

// note sets the record of a step, or of another part.
func (f *fan) note(i int, rec *Record) {
	if f.edits != nil {
		f.edits.mu.Lock()
		defer f.edits.mu.Unlock()
	}
	f.records[i] = rec
	if f.over != nil {
		f.over[i].Store(true)
	}
}

// hasEnded reports whether a step of a plan has ended, for others that run at the same time.
func (f *fan) hasEnded(i int) bool { return f.over[i].Load() }

// value returns the record that has the value of a step; nil before it has ended.
func (f *fan) value(i int) *Record {
	if f.edits == nil {
		return f.records[i]
	}
	f.edits.mu.Lock()
	defer f.edits.mu.Unlock()
	if edited := f.edits.values[i]; edited != nil {
		return edited
	}
	return f.records[i]
}

// read reads the values again that a step reads, which may have been edited while the run was held before it. A step
// that begins keeps them.
func (s *site) read(begins bool) {
	if !s.isStep {
		return
	}
	if f := s.block; begins && f.edits != nil {
		f.edits.mu.Lock()
		f.edits.begun[s.place] = true
		f.edits.mu.Unlock()
	}
	needs := s.step.Needs
	if needs == nil {
		needs = []int{}
	}
	s.scope = s.block.reading(s.block.steps, needs)
}

// editStep records an edit of a step above a site, then applies it. One that comes too late, because a step that reads
// the value has begun meanwhile, is left out.
func (l *live) editStep(s *site, e Edit) error {
	for f, n := s.block, s.place; f != nil; f, n = f.site.block, f.site.place {
		for i, step := range f.steps.Block[:n] {
			if step.Node.ID() == e.NodeID {
				return l.editIn(f, i, e)
			}
		}
	}
	return fmt.Errorf("the edit is of step %q, which is not above step %s", e.NodeID, s.address())
}

// editIn is editStep for a step of a block.
func (l *live) editIn(f *fan, i int, e Edit) error {
	f.edits.mu.Lock()
	defer f.edits.mu.Unlock()
	was := f.records[i]
	if was == nil {
		return nil
	}
	for j, reader := range f.steps.Block {
		if reader.Reads(i) && (f.edits.begun[j] || f.records[j] != nil) {
			return nil
		}
	}
	now := l.clock.now()
	rec := &Record{
		Frame: was.Frame, Index: was.Index, Part: was.Part, Tool: was.Tool, NodeID: was.NodeID, NodeType: was.NodeType, Start: now, End: now, Edited: true,
	}
	if f.site.frame.setOutput(f.site.work, rec, f.steps.Block[i].Node, e.Output); rec.Error != nil {
		return rec.Error
	}
	if err := l.emit(l.base, &Event{Kind: ContextEdited, Run: l.id, Time: rec.End, Record: rec, Sync: true}); err != nil {
		return err
	}
	f.edits.values[i] = rec
	return nil
}
