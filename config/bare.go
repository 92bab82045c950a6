package config

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"toolgraph/internal/base/wording"
)

// slip is a text that ends earlier than it looks: at a comma in { }, or at a #. Its finding is left
// out where another one says what is wrong at its place, which then gets its hint.
type slip struct {
	at, end Pos // of the finding; end may be unknown
	within  Pos // the mapping around it
	code    string
	message string
	hint    string
	fixes   []Fix
}

// noSpace matches a key and a value without a blank behind the colon, as in name:3.
var noSpace = wording.Pattern(`^([A-Za-z_][\w.-]*):([^\s:/\\].*)$`)

// spaceHint returns the remedy for a text that is a key and a value without a blank behind the colon;
// "" for any other.
func spaceHint(text string) string {
	m := noSpace().FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return "write a blank behind the colon: " + wording.Shorten(m[1]+": "+m[2])
}

// spaceHint is that of a text without quotes, else "".
func (it *item) spaceHint() string {
	if it.kind != itemScalar || it.text.style != stylePlain {
		return ""
	}
	return spaceHint(it.text.Value)
}

// end returns the offset behind a scalar of one line. It is not ok for a long one in quotes.
func (t Text) end() (end int, ok bool) {
	const longest = 1000
	switch {
	case t.src == nil:
		return 0, false
	case t.style == stylePlain:
		end = t.start + len(t.Value)
		return end, end <= len(t.src.data) && string(t.src.data[t.start:end]) == t.Value
	case len(t.Value) > longest:
		return 0, false
	}
	_, end, ok = t.trace()
	return end, ok && end <= len(t.src.data)
}

// bare reports whether the text is a key in { } with no colon behind it, so that its value is null.
func (t Text) bare() bool {
	end, ok := t.end()
	if !ok {
		return false
	}
	i := scanGap(t.src.data, end).end
	return i < len(t.src.data) && (t.src.data[i] == ',' || t.src.data[i] == '}')
}

// HasBareKey reports whether a mapping in the data has a key in { } with no colon behind it: most
// likely its names are not those that were meant.
func (d *Data) HasBareKey() bool {
	for i, item := range d.Items {
		if d.Kind == KindObject && item.Kind == KindScalar && item.Scalar == nil && d.Keys[i].bare() || item.HasBareKey() {
			return true
		}
	}
	return false
}

// bareKey notes the last key of a mapping in { } when it has no colon behind it.
func (b *builder) bareKey(it *item) {
	last := len(it.keys) - 1
	key, value := it.keys[last], it.items[last]
	if value.kind != itemScalar || value.text.Value != "" || value.text.style != stylePlain || !key.bare() {
		return
	}
	bare := *value // an alias of it is another item
	bare.pos, bare.text.Pos = key.Pos, key.Pos
	it.items[last] = &bare
	found := slip{at: key.Pos, within: it.pos, code: "key-without-value"}
	if end, ok := key.end(); ok {
		found.end = b.src.pos(end)
	}
	found.message = fmt.Sprintf("the key %s has no value", wording.Quote(key.Value))
	found.hint = "write " + wording.Shorten(key.Value) + ": VALUE; a list is in [ ]"
	switch hint := spaceHint(key.Value); {
	case hint != "" && key.style == stylePlain:
		found.hint = hint
		m := noSpace().FindStringSubmatch(key.Value)
		found.fixes = []Fix{WriteScalar("Write "+m[1]+": "+m[2], key, m[1]+": "+m[2])}
	case last > 0:
		before := it.items[last-1]
		if it.keys[last-1].bare() && before.isNull() {
			return // of the same text
		}
		if text := before.word(); text != "" && before.text.style == stylePlain && key.style == stylePlain {
			found.message = fmt.Sprintf("the comma ends the text %s, and %s is a key without a value", wording.Quote(text), wording.Quote(key.Value))
			found.hint = "quote the whole text of " + wording.Quote(it.keys[last-1].Value)
		}
	}
	b.src.slips = append(b.src.slips, found)
}

// commented notes a value of a key that a comment without a blank behind its # ends: where there is no
// value, or before a number as in: see issue #12.
func (b *builder) commented(it *item) {
	last := len(it.keys) - 1
	key, value := it.keys[last], it.items[last]
	if value.kind != itemScalar || value.text.style != stylePlain || key.src != b.src {
		return
	}
	end, ok := key.end()
	if value.text.Value != "" {
		end, ok = value.text.end()
	}
	if !ok {
		return
	}
	comment, begins := bytes.CutPrefix(bytes.TrimPrefix(b.src.data[end:], []byte(":")), []byte(" #"))
	word := string(comment[:wordSize(comment)])
	switch {
	case !begins || word == "" || word[0] == '-':
	case value.text.Value == "":
		b.src.slips = append(b.src.slips, slip{
			at: key.Pos, within: it.pos, code: "comment-in-text",
			message: fmt.Sprintf("%s has no value: %s begins a comment", wording.Quote(key.Value), wording.Quote("#"+word)),
			hint:    "quote it if it is meant as text", fixes: b.quoteLine(end+1, end+1),
		})
	case strings.Contains(value.text.Value, " ") && word[0] >= '0' && word[0] <= '9':
		b.src.slips = append(b.src.slips, slip{
			at: value.pos, within: it.pos, code: "comment-in-text",
			message: fmt.Sprintf("the text of %s ends before %s, which begins a comment", wording.Quote(key.Value), wording.Quote("#"+word)),
			hint:    "quote the text", fixes: b.quoteLine(value.text.start, end),
		})
	}
}

// quoteLine quotes the text from an offset up to the end of its line, or up to another one.
func (b *builder) quoteLine(from, to int) (fixes []Fix) {
	rest := b.src.data[from:]
	if end := bytes.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	for _, text := range []string{string(rest), string(b.src.data[from:to])} {
		size := len(strings.TrimRight(text, " \t\r"))
		if body := strings.TrimSpace(text); body != "" {
			indent := strings.Repeat(" ", len(text)-len(strings.TrimLeft(text, " ")))
			fixes = append(fixes, fixSource("Quote it", b.src, from, from+size, indent+inQuotes(body)))
		}
	}
	return fixes
}

// wordSize returns how many letters, digits, _ and - a text begins with, at most 40.
func wordSize(text []byte) int {
	n := 0
	for n < min(len(text), 40) && (text[n] == '_' || text[n] == '-' || text[n] >= '0' && text[n] <= '9' || text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z') {
		n++
	}
	return n
}

// addSlips adds the findings of texts that end early; at a place with other findings the first of
// them stays, with the remedy.
func (ds *Diagnostics) addSlips(slips []slip) {
	for _, s := range slips {
		left := Diagnostics{}
		explained := false
		for _, d := range *ds {
			switch {
			case d.Pos != s.at && (d.Pos != s.within || d.Severity == Warning):
			case explained:
				continue
			default:
				explained = true
				if d.Pos == s.at {
					d.Hint, d.Fixes = s.hint, s.fixes
				}
			}
			left = append(left, d)
		}
		if *ds = left; !explained {
			ds.Warn(s.at, s.code, s.message, s.hint).Until(s.end).Fixed(s.fixes...)
		}
	}
}

// MergeSlips leaves out the finding of a text that ends early where another finding is at its place,
// which gets its hint.
func (ds *Diagnostics) MergeSlips() {
	var slips []slip
	*ds = slices.DeleteFunc(*ds, func(d Diagnostic) bool {
		isSlip := d.Code == "key-without-value" || d.Code == "comment-in-text"
		if isSlip {
			slips = append(slips, slip{at: d.Pos, end: d.End, code: d.Code, message: d.Message, hint: d.Hint, fixes: d.Fixes})
		}
		return isSlip
	})
	ds.addSlips(slips)
}

// spaced returns the name among these, and its text, that a key without a blank behind its colon was
// meant to be, as in name:3; "" for another key.
func (it *item) spaced(i int, names []string) (name string, text Text) {
	key := it.keys[i]
	m := noSpace().FindStringSubmatch(key.Value)
	if m == nil || !key.bare() || !slices.Contains(names, m[1]) {
		return "", Text{}
	}
	return m[1], Text{Value: m[2], Pos: key.Pos}
}

// with returns a mapping with another text as one of its values.
func (it *item) with(i int, text Text) *item {
	other, value := *it, *it.items[i]
	value.text = text
	other.items = slices.Clone(it.items)
	other.items[i] = &value
	return &other
}
