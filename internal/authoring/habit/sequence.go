package habit

import (
	"cmp"
	"slices"
	"time"
)

// The bounds of sequences without links.
const (
	shortestSequence = 3
	longestSequence  = 6
	sequenceGap      = 2 * time.Minute // between one act and the next
)

// sequences returns groups of acts that have no links, but follow each other in the same order more often than chance
// would have it; the longest first.
func (s *stream) sequences(least int, taken []bool) (all [][]episode) {
	var free []int32
	total := map[int32]int{}
	for at := range s.acts {
		if !taken[at] {
			free = append(free, int32(at)) //nolint:gosec // a place
			total[s.acts[at].name]++
		}
	}
	for length := longestSequence; length >= shortestSequence; length-- {
		groups := map[string][]episode{}
		for i := 0; i+length <= len(free); i++ {
			if e := episode(free[i : i+length]); s.isSequence(e, taken) {
				groups[s.signature(e)] = append(groups[s.signature(e)], slices.Clone(e))
			}
		}
		keys := sortedKeys(groups)
		slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(len(groups[b]), len(groups[a])) })
		for _, key := range keys {
			if group := apartFrom(groups[key], taken); len(group) > least && s.isUnlikely(group, total, len(free)) {
				mark(taken, group)
				all = append(all, group)
			}
		}
	}
	return all
}

// isSequence reports whether acts are close to each other, free, and of different names.
func (s *stream) isSequence(e episode, taken []bool) bool {
	for i, at := range e {
		if taken[at] || i > 0 && !s.near(int(e[i-1]), int(at)) || i > 0 && s.acts[at].time.Sub(s.acts[e[i-1]].time) > sequenceGap {
			return false
		}
		if slices.ContainsFunc(e[:i], func(other int32) bool { return s.acts[other].name == s.acts[at].name }) {
			return false
		}
	}
	return true
}

// apartFrom returns the episodes that do not overlap each other or what is taken.
func apartFrom(group []episode, taken []bool) (all []episode) {
	last := int32(-1)
	for _, e := range group {
		if e[0] > last && !slices.ContainsFunc(e, func(at int32) bool { return taken[at] }) {
			all = append(all, e)
			last = e[len(e)-1]
		}
	}
	return all
}

// isUnlikely reports whether acts in any order would hardly have the sequence so often.
func (s *stream) isUnlikely(group []episode, total map[int32]int, acts int) bool {
	expected := float64(acts)
	for _, at := range group[0] {
		expected *= float64(total[s.acts[at].name]) / float64(acts)
	}
	return float64(len(group)) > 4*expected+1
}
