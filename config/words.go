package config

import "toolgraph/internal/wording"

// meant is the hint "did you mean …", or else the fallback.
func meant(word string, known []string, fallback string) string {
	if hint := wording.DidYouMean(word, known); hint != "" {
		return hint
	}
	return fallback
}

func quoted(word string) string { return `"` + word + `"` }
