package config

import (
	"strings"

	"toolgraph/internal/base/wording"
)

// ParseWritten returns the content of a YAML file as it is written: older forms are as they are, no
// ${VAR} is replaced, and an expression is a mapping with the key expr. older reports whether it is a
// graph file of the older language. root is nil when the file cannot be read; path is for places. Safe
// for concurrent use.
func ParseWritten(path string, src []byte) (root *Data, older bool) {
	it, found := readItems(path, src)
	if it == nil {
		return nil, false
	}
	d := &decoder{path: path, file: &File{Path: path, Secrets: &Secrets{}}, found: found}
	if it.kind == itemMapping && !it.has("tests") {
		older = d.findOlder(it)
	}
	return d.data(it, ""), older
}

// Edit replaces the bytes from From up to To of a file. A byte order mark at its start counts.
type Edit struct {
	From, To int
	Text     string
}

// Range returns the bytes of the file that give Value[from:to]. It is not ok for a text that is not
// verbatim in a file.
func (t Text) Range(from, to int) (start, end int, ok bool) {
	if t.src == nil {
		return 0, 0, false
	}
	at, _, ok := t.trace()
	if !ok || from < 0 || from > to || to > len(t.Value) {
		return 0, 0, false
	}
	return at[from] + t.src.mark, at[to] + t.src.mark, true
}

// Scalar returns the bytes of the whole scalar, with its quotes or the header of its block.
func (t Text) Scalar() (start, end int, ok bool) {
	if t.src == nil {
		return 0, 0, false
	}
	_, end, ok = t.trace()
	return t.start + t.src.mark, end + t.src.mark, ok
}

// Replacement is other text, without line ends, for the bytes From up to To of a text's Value.
type Replacement struct {
	From, To int
	Text     string
}

// Replaced returns the edits of the file after which parts of the text, which are in order, are other
// text. A scalar without quotes gets them when it then needs them.
func (t Text) Replaced(parts ...Replacement) ([]Edit, bool) {
	var edits []Edit
	whole, at, plain := "", 0, true
	for _, p := range parts {
		start, end, ok := t.Range(p.From, p.To)
		if !ok || p.From < at || strings.ContainsAny(p.Text, "\n\r") {
			return nil, false
		}
		whole += t.Value[at:p.From] + p.Text
		at = p.To
		plain = plain && safePart().MatchString(p.Text) && (len(whole) > len(p.Text) || p.Text[0] != '`' && p.Text[0] != '-')
		text := p.Text
		switch t.style {
		case styleSingle:
			text = strings.ReplaceAll(text, "'", "''")
		case styleDouble:
			text = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)
		case stylePlain, styleLiteral, styleFolded:
		}
		edits = append(edits, Edit{From: start, To: end, Text: text})
	}
	if whole += t.Value[at:]; t.style == stylePlain && !staysPlain(whole, plain) {
		start, end, _ := t.Scalar()
		return []Edit{{From: start, To: end, Text: inQuotes(whole)}}, true
	}
	return edits, true
}

// staysPlain reports whether a changed text still needs no quotes. safe says that it has got only characters
// that mean nothing to YAML there.
func staysPlain(whole string, safe bool) bool {
	if !safe {
		return isPlain(whole) && !strings.ContainsAny(whole, ",[]{}?:#")
	}
	value, problem := resolvePlain(whole)
	_, isText := value.(string)
	return isText && problem == nil
}

var safePart = wording.Pattern("^[\\pL\\pN_`-][\\pL\\pN_ `-]*$")

// IsBlock reports whether the text is a block scalar: after | or >.
func (t Text) IsBlock() bool { return t.style == styleLiteral || t.style == styleFolded }

// IsQuoted reports whether the text is in quotes.
func (t Text) IsQuoted() bool { return t.style == styleSingle || t.style == styleDouble }

// Apply returns a text with the edits, which are sorted and do not overlap.
func Apply(src []byte, edits []Edit) []byte {
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, src[at:e.From]...), e.Text...)
		at = e.To
	}
	return append(out, src[at:]...)
}

// Offsets returns for each byte of Value, and for its end, the byte of the file that gives it; nil for a
// text that is not verbatim in a file.
func (t Text) Offsets() []int {
	if t.src == nil {
		return nil
	}
	at, _, ok := t.trace()
	if !ok {
		return nil
	}
	for i := range at {
		at[i] += t.src.mark
	}
	return at
}
