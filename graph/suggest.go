package graph

import (
	"fmt"
	"strings"
)

// suggest is a hint for a word that should have been one of known: the nearest, or
// all of them after intro when they are few.
func suggest(word string, known []string, intro string) string {
	if hint := didYouMean(word, known); hint != "" {
		return hint
	}
	const few = 8
	if len(known) == 0 || len(known) > few {
		return ""
	}
	return intro + strings.Join(known, ", ")
}

func didYouMean(word string, known []string) string {
	best, least := "", max(1, len(word)/3)+1
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// distance is the number of edits between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
