package config

// Text is a YAML string with its place, down to each byte of its value. Texts may be copied and
// compared, and are safe for concurrent use.
type Text struct {
	Value string
	Pos   Pos // where the scalar begins; for a block scalar, its | or >

	src   *source // nil when the value is not verbatim in a file
	start int     // of the scalar in src
	style style
}

// style is the YAML style of a scalar.
type style uint8

const (
	stylePlain style = iota
	styleSingle
	styleDouble
	styleLiteral
	styleFolded
)

// At returns the place in the file of the byte at an offset (0-based) in Value. Offsets past the
// end give the place just after the last byte. The place of an escaped byte is its backslash,
// that of a folded line end is the end of that line. For a text that is not verbatim in the file,
// such as one with variables, it returns Pos.
func (t Text) At(offset int) Pos { return t.Places().At(offset) }

// Places finds the places of many bytes of a text. It reads the text once.
// Not safe for concurrent use.
type Places struct {
	Text Text

	traced bool
	at     []int // the offset in the file of each byte of the value; nil when unknown
}

// Places returns a finder of places in the text.
func (t Text) Places() *Places { return &Places{Text: t} }

// At is Text.At.
func (p *Places) At(offset int) Pos {
	t := p.Text
	if !p.traced {
		p.traced = true
		if t.src != nil {
			p.at, _, _ = t.trace()
		}
	}
	if p.at == nil {
		return t.Pos
	}
	return t.src.pos(p.at[min(max(offset, 0), len(t.Value))])
}

// IsSet reports whether the file has the text.
func (t Text) IsSet() bool { return t.Pos.IsValid() }

// String returns the value.
func (t Text) String() string { return t.Value }

// trace parses the scalar in the source again and returns the offset of each byte of the value
// and of the value's end, then the end of the scalar. It is not ok when the result differs from
// the value, which is an error in trace.
func (t Text) trace() (at []int, end int, ok bool) {
	var value tracedText
	switch t.style {
	case styleSingle, styleDouble:
		value, end = traceQuoted(t.src.data, t.start, t.style)
	case styleLiteral, styleFolded:
		value, end = traceBlock(t.src.data, t.start, t.style)
	case stylePlain:
		value, end = tracePlain(t.src.data, t.start, len(t.Value))
	}
	if string(value.text) != t.Value {
		return nil, 0, false
	}
	last := t.start
	if n := len(value.at); n > 0 {
		last = value.end
	} else if t.style == styleSingle || t.style == styleDouble {
		last++
	}
	return append(value.at, last), end, true
}

// tracedText is a value and the offsets of its bytes.
type tracedText struct {
	text []byte
	at   []int
	end  int // just after what gave the last byte
}

// add appends bytes that are written as source[from:to].
func (v *tracedText) add(s string, from, to int) {
	for range len(s) {
		v.at = append(v.at, from)
	}
	v.text = append(v.text, s...)
	v.end = to
}

// copy appends verbatim bytes; the offset of each byte is that of its character.
func (v *tracedText) copy(src []byte, from, to int) {
	for from < to {
		size := runeSize(src[from:to])
		v.add(string(src[from:from+size]), from, from+size)
		from += size
	}
}
