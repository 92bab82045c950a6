package lock

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// maxStored is how large a stored schema may be, in bytes of JSON: a graph's lock must fit
// into a readable file.
const maxStored = 64 << 10

// storable returns a schema in the form in which the lock stores it: compact JSON with
// sorted keys, its descriptions in the form that may be shown, without secrets. It is nil
// when the schema is too large or too deep for the file.
func storable(raw []byte, secrets *config.Secrets) []byte {
	v, err := value.Decode(secrets.RedactJSON(raw))
	if err != nil {
		return nil
	}
	plain := tidy(value.Plain(v))
	stored, err := value.Encode(plain)
	if err != nil || len(stored) > maxStored {
		return nil
	}
	data := dataOf(plain)
	again, err := config.ParseData("", config.EncodeData(data))
	if err != nil || !bytes.Equal(again.JSON(), data.JSON()) {
		return nil
	}
	return stored
}

// verbatim are the keywords whose values are data: every character of them counts.
var verbatim = map[string]bool{"enum": true, "const": true, "default": true, "examples": true}

// tidy returns a schema whose texts for people are in the form that may be shown.
func tidy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			text, isText := item.(string)
			switch {
			case isText && (key == title || key == description || key == "$comment"):
				out[key] = Shown(text, schemaTextShown)
			case verbatim[key]:
				out[key] = item
			default:
				out[key] = tidy(item)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = tidy(item)
		}
		return out
	}
	return v
}

// dataOf returns plain JSON as data for a file, keys sorted.
func dataOf(v any) *config.Data {
	switch v := v.(type) {
	case map[string]any:
		d := &config.Data{Kind: config.KindObject}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			d.Keys = append(d.Keys, config.Text{Value: key})
			d.Items = append(d.Items, dataOf(v[key]))
		}
		return d
	case []any:
		d := &config.Data{Kind: config.KindArray}
		for _, item := range v {
			d.Items = append(d.Items, dataOf(item))
		}
		return d
	}
	return &config.Data{Scalar: v}
}

// How much of a server's text is stored and shown, in characters.
const (
	titleShown       = 100
	descriptionShown = 1000
	schemaTextShown  = 300
	placeShown       = 200 // names of properties are the server's, too
)

// Shown returns a server's text in a form that may be shown to people: at most so many
// characters, hidden ones marked as <U+200B>. A text that lost something ends with its
// length and a hash, so that different texts have different forms.
func Shown(text string, most int) string {
	const maxMarks = 4 // in a row; the others are dropped
	var b strings.Builder
	lost, count, row := false, 0, 0
	for i, r := range text {
		hide := isInvisible(r) || r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD")
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
		if row++; row > maxMarks {
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

// isInvisible reports whether a character cannot be seen, or changes how others are seen.
func isInvisible(r rune) bool {
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
