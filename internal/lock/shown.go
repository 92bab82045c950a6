package lock

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much of a server's text is kept and shown, in characters.
const (
	titleShown       = 100
	descriptionShown = 1000
	schemaTextShown  = 300
	placeShown       = 200 // names of properties are the server's, too
)

// Shown is a text of a server's as it may be shown to people: no longer than most
// characters, characters that cannot be seen marked as <U+200B>. What lost something
// ends with its length and a hash, so that texts that differ do so when shown as well.
func Shown(text string, most int) string {
	const hiddenMost = 4 // marks in a row; the rest is counted
	var b strings.Builder
	lost, count, row := false, 0, 0
	for i, r := range text {
		hide := hidden(r) || r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD")
		if count == most {
			lost = true
			break
		}
		if !hide {
			row = 0
			count++
			b.WriteRune(r)
			continue
		}
		if row++; row > hiddenMost {
			lost = true
			continue
		}
		count++
		fmt.Fprintf(&b, "<U+%04X>", r)
		lost = lost || r == utf8.RuneError
	}
	if lost {
		sum := sha256.Sum256([]byte(text))
		fmt.Fprintf(&b, "… (%d bytes, sha256 %x…)", len(text), sum[:6])
	}
	return b.String()
}

// hidden reports whether a character cannot be seen, or changes how others are seen.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r == '\uFE0F': // the usual follower of an emoji
		return false
	case unicode.IsControl(r), r == '\u2028', r == '\u2029', r == '\u2800':
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Co, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}
