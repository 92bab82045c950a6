package config

import (
	"strconv"
	"strings"
)

// DidYouMean is the known word that a misspelt one most likely means, or "". Case
// does not count; up to a third of the letters may differ.
func DidYouMean(word string, known []string) string {
	const longest = 64 // nobody means a longer word by another
	if word == "" || len(word) > longest {
		return ""
	}
	best, least := "", max(1, len(word)/3)+1
	for _, k := range known {
		if len(k) > longest || k == word || max(len(k)-len(word), len(word)-len(k)) > 4*least {
			continue
		}
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least && d < len(k) {
			best, least = k, d
		}
	}
	return best
}

// distance is the number of letters to add, drop, change or swap with their
// neighbour to make one word of the other.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	before, row := make([]int, len(to)+1), make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range from {
		next := make([]int, len(to)+1)
		next[0] = i + 1
		for j := range to {
			change := row[j]
			if from[i] != to[j] {
				change++
			}
			next[j+1] = min(change, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && from[i] == to[j-1] && from[i-1] == to[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(to)]
}

// Suggestion is the end of an error about an unknown word: the nearest of the known words,
// as "; did you mean \"…\"?", with what cannot be seen escaped; "" when none is near.
func Suggestion(word string, known []string) string {
	if near := DidYouMean(word, known); near != "" {
		return "; did you mean " + strconv.Quote(near) + "?"
	}
	return ""
}

// meant is the hint "did you mean …", or else the fallback.
func meant(word string, known []string, fallback string) string {
	if near := DidYouMean(word, known); near != "" {
		return "did you mean " + quoted(near) + "?"
	}
	return fallback
}

func quoted(word string) string { return `"` + word + `"` }
