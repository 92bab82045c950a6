package fold

import "toolgraph/execution"

// Compare is Address.Compare with branches and steps in the order of the file.
func (h *History) Compare(a, b execution.Address) int {
	return a.CompareIn(b, func(at execution.Address) []string { return h.Parts(at).Branches })
}
