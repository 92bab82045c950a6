package graph

import (
	"fmt"
	"strings"

	"toolgraph/config"
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
	near := config.DidYouMean(word, known)
	if near == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", near)
}
