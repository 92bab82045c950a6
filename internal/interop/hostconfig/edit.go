package hostconfig

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// edit replaces a part of a file; where from is to, it inserts.
type edit struct {
	span
	text string
}

// apply returns the file with all edits made; parts of it that no edit names stay byte for byte. Of
// edits at one place, the first comes first.
func apply(src []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, src[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, src[at:]...)
}

var byteOrderMark = []byte("\uFEFF")

// rewrite returns the file with other values of the wanted keys, which are those of want: an object
// that read has returned for these keys, with changes. What is equal is not touched. The result is
// read again and compared, so that a change that the editor of the syntax cannot make is an error and
// never a broken file.
func (s *syntax) rewrite(path string, src []byte, want *config.Data, wanted ...string) ([]byte, error) {
	body := bytes.TrimPrefix(src, byteOrderMark)
	out, err := s.edit(path, body, want, wanted)
	if err != nil {
		return nil, err
	}
	if len(body) < len(src) {
		out = slices.Concat(byteOrderMark, out)
	}
	got, err := s.read(path, out, wanted...)
	if err != nil || !same(got, want) {
		return nil, &placedError{want.Pos, "this file is written in a way in which one entry cannot be changed alone; add the entry by hand"}
	}
	return out, nil
}

// same reports whether two values are equal. The order of keys does not count, and a number is equal to
// one of another type that is written alike.
func same(a, b *config.Data) bool {
	if a == nil || b == nil || a.Kind != b.Kind || len(a.Items) != len(b.Items) {
		return a == b
	}
	for i, item := range a.Items {
		other := b.Items[i]
		if a.Kind == config.KindObject {
			other = b.Get(a.Keys[i].Value)
		}
		if !same(item, other) {
			return false
		}
	}
	_, isText := a.Scalar.(string)
	_, isOtherText := b.Scalar.(string)
	return isText == isOtherText && fmt.Sprint(a.Scalar) == fmt.Sprint(b.Scalar) && a.Expr.Value == b.Expr.Value
}

// layout is how a file is formatted, so that what is added looks like it.
type layout struct {
	newline string // "\n" or "\r\n"
	unit    string // of one level of indentation
}

func layoutOf(src []byte) layout {
	l := layout{"\n", "  "}
	if first := bytes.IndexByte(src, '\n'); first > 0 && src[first-1] == '\r' {
		l.newline = "\r\n"
	}
	for line := range bytes.Lines(src) {
		text := bytes.TrimLeft(line, " \t")
		if indent := line[:len(line)-len(text)]; len(indent) > 0 && bytes.HasPrefix(text, []byte(`"`)) {
			l.unit = string(indent)
			break
		}
	}
	return l
}

// indentOf returns the white space at the beginning of the line of an offset.
func indentOf(src []byte, at int) string {
	line := src[bytes.LastIndexByte(src[:at], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// quoted is a text as a string of JSON, and of TOML, whose escapes are the same but for characters
// beyond 16 bits. Characters that a terminal acts on, or hides, are escaped.
func quoted(text string, toml bool) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string always has a JSON form
	var b strings.Builder
	for _, r := range strings.TrimSuffix(out.String(), "\n") {
		switch {
		case r != 0x7f && !wording.IsHidden(r) && !unicode.IsControl(r):
			b.WriteRune(r)
		case r > 0xffff && toml:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
	}
	return b.String()
}
