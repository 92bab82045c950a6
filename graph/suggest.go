package graph

import (
	"strings"

	"toolgraph/internal/wording"
)

// suggest is a hint for a word that should have been one of known: the nearest, or
// all of them after intro when they are few.
func suggest(word string, known []string, intro string) string {
	if hint := wording.DidYouMean(word, known); hint != "" {
		return hint
	}
	const few = 8
	if len(known) == 0 || len(known) > few {
		return ""
	}
	return intro + strings.Join(known, ", ")
}

// suggest is suggest for a word that should have been one of the tool's nodes. It gives up
// when too many nodes have been looked at: each of 5,000 could name one that is not there.
func (c *compiler) suggest(word string, known func() []string, intro string) string {
	const most = 100_000
	if c.compared += len(c.ids); c.compared > most {
		return ""
	}
	return suggest(word, known(), intro)
}
