package wording

import (
	"strconv"
	"strings"
)

// Nearest returns the known word that another word most likely means, or "": one that it is a
// misspelling of, else the only one that it shortens or extends, as idx and retries do for index and retry.
func Nearest[T ~string](word string, known []T) string {
	if near := Misspelt(word, known); near != "" {
		return near
	}
	return related(word, known)
}

// Misspelt returns the known word that a misspelt one most likely means, or "". Case does
// not count; up to a third of the letters may differ.
func Misspelt[T ~string](word string, known []T) string {
	const longest = 64 // bytes; a longer word is not a misspelling
	if word == "" || len(word) > longest {
		return ""
	}
	best, least := "", max(1, len(word)/3)+1
	for _, known := range known {
		k := string(known)
		if len(k) > longest || k == word || max(len(k)-len(word), len(word)-len(k)) > 4*least {
			continue
		}
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least && d < len(k) {
			best, least = k, d
		}
	}
	return best
}

// related returns the only known word that a word shortens or extends, or "".
func related[T ~string](word string, known []T) string {
	const shortest = 3
	if len(word) < shortest {
		return ""
	}
	only := ""
	for _, known := range known {
		k := string(known)
		if k == word || len(k) < shortest || !abbreviates(strings.ToLower(word), strings.ToLower(k)) && !abbreviates(strings.ToLower(k), strings.ToLower(word)) {
			continue
		}
		if only != "" && only != k {
			return ""
		}
		only = k
	}
	return only
}

// abbreviates reports whether a short word begins a long one, but for an ending such as y, or has its first letter and, in
// order, others of its letters, which are at least half of the word.
func abbreviates(short, long string) bool {
	if len(short) >= len(long) || short[0] != long[0] {
		return false
	}
	if stem := strings.TrimRight(short, "esy"); len(stem) >= 3 && strings.HasPrefix(long, stem) {
		return true
	}
	rest := short
	for i := range len(long) {
		if rest != "" && rest[0] == long[i] {
			rest = rest[1:]
		}
	}
	return rest == "" && 2*len(short) >= len(long)
}

// DidYouMean returns `did you mean "…"?` with the known word that is nearest to an unknown
// one, quoted as Go does, or "" when none is near.
func DidYouMean[T ~string](word string, known []T) string {
	return Meant(Nearest(word, known))
}

// Meant returns `did you mean "…"?` with a word, quoted as Go does, or "" without one.
func Meant(word string) string {
	if word == "" {
		return ""
	}
	return "did you mean " + strconv.Quote(word) + "?"
}

// Suggest returns DidYouMean as the end of a message, after "; ", or "".
func Suggest[T ~string](word string, known []T) string {
	if hint := DidYouMean(word, known); hint != "" {
		return "; " + hint
	}
	return ""
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
