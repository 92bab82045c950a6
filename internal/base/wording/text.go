// Package wording puts values into messages: it shortens, quotes, counts and lists them,
// suggests the known word that is nearest to a misspelt one, and hides characters that a
// terminal would act on. It knows nothing of graphs and imports no other package of the
// module.
package wording

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shown is how many bytes of a value a message shows.
const shown = 60

// Shorten returns a text that fits into a message: at most 60 bytes of it, then "…".
func Shorten(text string) string { return Truncate(text, shown) }

// Truncate returns the first bytes of a text, at most so many, cut between characters, and
// "…" after them when something is missing.
func Truncate(text string, most int) string {
	if head := Head(text, most); len(head) < len(text) {
		return head + "…"
	}
	return text
}

// Head returns the first bytes of a text, at most so many, cut between characters.
func Head[T string | []byte](text T, most int) T {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// Quote returns the shortened text in double quotes, with Go's escapes.
func Quote(text string) string { return strconv.Quote(Shorten(text)) }

// Count returns a number and its noun: "1 call", "3 calls".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Size returns a number of bytes in the largest binary unit that it is a multiple of, as flags have it: 10MiB.
func Size(bytes int64) string {
	units := []string{"", "KiB", "MiB", "GiB"}
	n := 0
	for ; n < len(units)-1 && bytes > 0 && bytes%1024 == 0; n++ {
		bytes /= 1024
	}
	return strconv.FormatInt(bytes, 10) + units[n]
}

// List returns words with commas between them: the first 12, then how many more there are.
func List(words []string) string {
	const most = 12
	if len(words) <= most {
		return strings.Join(words, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), len(words)-most)
}

// Or returns alternatives as a message lists them: "a, b or c"; one alone, and "" for none.
func Or[T ~string](words []T) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	last := len(texts) - 1
	if last < 1 {
		return strings.Join(texts, "")
	}
	return strings.Join(texts[:last], ", ") + " or " + texts[last]
}

// Printable returns a text for people: each character that would move the cursor of a terminal or
// change its colours, that turns the direction of the text, or that cannot be seen is replaced by
// Go's escape for it, such as \x1b and \u202e. Line breaks and tabs stay.
func Printable(text string) string {
	text = strings.ToValidUTF8(text, string(unicode.ReplacementChar))
	if strings.IndexFunc(text, IsHidden) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if IsHidden(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Foreign returns what another program says, for the end of a line of a message: printable, and when
// it has several lines, each on a line of its own after "| ". So no line of it can be taken for one
// of the message.
func Foreign(text string) string {
	text = Printable(strings.ReplaceAll(strings.TrimSpace(text), "\r\n", "\n"))
	if strings.Contains(text, "\n") {
		return "\n| " + strings.ReplaceAll(text, "\n", "\n| ")
	}
	return text
}

// OneLine returns the printable text with a space for each line break and tab.
func OneLine(text string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(Printable(text))
}

// IsHidden reports whether a terminal acts on a character, or shows nothing for it. Line
// breaks and tabs are not hidden.
func IsHidden(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
}
