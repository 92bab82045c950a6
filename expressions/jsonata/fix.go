package jsonata

import "strings"

// Fix is one way to mend an error or a finding in a source.
type Fix struct {
	Title string
	Sure  bool // it is the remedy, and not one of several ways
	Parts []Replacement
}

// Replacement is other text for the bytes From up to To of a source.
type Replacement struct {
	From, To int
	Text     string
}

// replaceBy returns the fix that puts a word in the place of another one; none for "".
func replaceBy(from, to int, word string) *Fix {
	if word == "" {
		return nil
	}
	return &Fix{"Replace it with " + word, true, []Replacement{{from, to, word}}}
}

// closeWith returns the fix that adds at the end of a source what is missing there.
func closeWith(source, closing string) *Fix {
	end := len(strings.TrimRight(source, " \n"))
	return &Fix{"Add " + closing, true, []Replacement{{end, end, closing}}}
}
