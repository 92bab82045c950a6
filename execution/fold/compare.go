package fold

import (
	"slices"

	"toolgraph/execution"
)

// Compare is Address.Compare with branches and steps in the order of the file.
func (h *History) Compare(a, b execution.Address) int {
	return a.CompareIn(b, func(at execution.Address) []string { return h.Parts(at).Branches })
}

// Pair is the records of an address in two histories; nil in one that has none there.
type Pair [2]*execution.Record

// Pairs returns the records of two histories by their addresses, in the order of a's file, and of b's where a does
// not know it.
func Pairs(a, b *History) []Pair {
	pairs := map[execution.Address]*Pair{}
	var order []execution.Address
	for side, h := range [2]*History{a, b} {
		all := h.All(0)
		for i := range all {
			at := all[i].At()
			if pairs[at] == nil {
				pairs[at], order = &Pair{}, append(order, at)
			}
			pairs[at][side] = &all[i]
		}
	}
	names := func(at execution.Address) []string {
		if known := a.Parts(at).Branches; known != nil {
			return known
		}
		return b.Parts(at).Branches
	}
	slices.SortFunc(order, func(x, y execution.Address) int { return x.CompareIn(y, names) })
	out := make([]Pair, len(order))
	for i, at := range order {
		out[i] = *pairs[at]
	}
	return out
}
