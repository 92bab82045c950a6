package jsonata

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// upper is $uppercase(text) by Unicode's full mappings, which may make it longer: ß
// becomes SS.
func upper(text string) string {
	if isASCII(text) {
		return strings.ToUpper(text)
	}
	return cases.Upper(language.Und).String(text)
}

// lower is $lowercase(text) by Unicode's full mappings: Σ becomes ς at the end of a word.
func lower(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	return cases.Lower(language.Und).String(text)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
