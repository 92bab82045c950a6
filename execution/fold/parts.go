package fold

import (
	"strconv"
	"strings"

	"toolgraph/execution"
)

// Parts are the parts of an execution: items, branches, the steps of a block, or turns.
type Parts struct {
	Count    int      // how many there are; of turns, how many have begun
	Branches []string // of a parallel, or the steps of a block, in file order; nil for items and turns
	Turns    bool     // of a step that is repeated; they are counted from 1
	Ended    int      // how many have a record
	Failed   int      // how many of those have failed
	Handled  int      // of how many onError took the failure
	Skipped  int      // how many are steps that were not run, because their if did not hold
}

// Parts returns the parts of an execution, all 0 when it has none.
func (h *History) Parts(at execution.Address) Parts {
	h.mu.RLock()
	defer h.mu.RUnlock()
	p := h.parts[at]
	if p == nil {
		return Parts{}
	}
	out := Parts{Count: p.begun.Count, Branches: p.begun.Branches, Turns: p.turns > 0, Ended: len(p.ended), Failed: p.failed, Handled: p.caught, Skipped: p.idle}
	out.Count = max(out.Count, out.Ended, p.turns) // the event that says how many was not recorded, or there is none
	return out
}

// Name returns the name of part i, counted from 0.
func (p Parts) Name(i int) string {
	switch {
	case i < len(p.Branches):
		return p.Branches[i]
	case p.Turns:
		i++
	}
	return strconv.Itoa(i)
}

// At returns the address of part i, counted from 0, of the execution at an address.
func (p Parts) At(of execution.Address, i int) execution.Address {
	separator := execution.Address(".")
	if p.Turns {
		separator = "@"
	}
	return of + separator + execution.Address(p.Name(i))
}

// AsEnded is Record without the edits of a step: as it has ended.
func (h *History) AsEnded(at execution.Address) (execution.Record, bool) {
	h.mu.RLock()
	if p := h.parts[at.Outer()]; p != nil {
		if first, edited := p.first[at.Name()]; edited {
			h.mu.RUnlock()
			return first, true
		}
	}
	h.mu.RUnlock()
	return h.Record(at)
}

// beginTurns notes the turns that an execution is, or is below. h.mu is held.
func (h *History) beginTurns(at execution.Address) {
	for strings.Contains(string(at), "@") {
		outer := at.Outer()
		if outer == at { // a whole execution
			at = at.Frame()
			continue
		}
		if at[len(outer)] == '@' {
			if turn, err := strconv.Atoi(at.Name()); err == nil {
				p := h.partsOf(outer)
				p.turns = max(p.turns, turn)
			}
		}
		at = outer
	}
}
