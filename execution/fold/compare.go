package fold

import (
	"slices"
	"strings"

	"toolgraph/execution"
)

// Compare is Address.Compare with branches in the order of the file.
func (h *History) Compare(a, b execution.Address) int {
	x, y := strings.Split(string(a), "/"), strings.Split(string(b), "/")
	for i := range min(len(x), len(y)) {
		if x[i] == y[i] {
			continue
		}
		index, part, _ := strings.Cut(x[i], ".")
		otherIndex, otherPart, _ := strings.Cut(y[i], ".")
		if index != otherIndex {
			break
		}
		branches := h.Parts(execution.Address(strings.Join(append(slices.Clone(x[:i]), index), "/"))).Branches
		if m, n := slices.Index(branches, part), slices.Index(branches, otherPart); m >= 0 && n >= 0 {
			return m - n
		}
		break
	}
	return a.Compare(b)
}
