package inspect

import (
	"slices"

	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// entry is a step of a list.
type entry struct {
	at    execution.Address
	place int            // in the history; -1: the step has no record
	below *journal.Below // what is below the step and not in the list; nil: nothing
}

// foldFrom is how many steps a step has below it at most when they are listed.
const foldFrom = 20

// list returns what is below an address, in the order of addresses, branches and steps in that of the file. A step with
// many steps below it stands for these, and below a step that has many itself each part stands for its own; with all
// none does, and neither do the steps of a tool or a block as a whole. The empty address is the whole run.
func list(h *journal.History, scope execution.Address, all bool) (entries []entry) {
	end, _ := h.Find(scope)
	short := scope != "" && h.Below(scope).Steps > foldFrom
	for i := h.First(scope); i < end; i++ {
		at := h.At(i)
		folded := slices.IndexFunc(around(at, scope), func(a execution.Address) bool {
			return !all && !h.IsBlock(a) && (short || h.Below(a).Steps > foldFrom)
		})
		if folded < 0 {
			entries = append(entries, entry{at: at, place: i})
			continue
		}
		at = around(at, scope)[folded]
		below := h.Below(at)
		place, ok := h.Find(at)
		i = place
		if !ok {
			i, place = place-1, -1
		}
		entries = append(entries, entry{at: at, place: place, below: &below})
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return a.at.CompareIn(b.at, h.Names) })
	return entries
}

// around returns the steps and parts around an address, outermost first, up to a scope.
func around(at, scope execution.Address) (all []execution.Address) {
	for {
		if outer := at.Outer(); outer != at {
			at = outer
		} else {
			at = at.Frame()
		}
		if at == scope || at == "" {
			slices.Reverse(all)
			return all
		}
		all = append(all, at)
	}
}
