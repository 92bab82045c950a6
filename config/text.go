package config

// Text is a YAML string that knows its place, down to each byte of its value.
// Texts may be copied and compared.
type Text struct {
	Value string
	Pos   Pos // where the scalar begins; for a block scalar, its | or >

	src   *source // nil when the value does not stand verbatim in a file
	start int     // of the scalar in src
	style style
}

// style is how a scalar is written.
type style uint8

const (
	stylePlain style = iota
	styleSingle
	styleDouble
	styleLiteral
	styleFolded
)

// At is the place in the file of the byte at offset in Value. Offsets past the end
// give the place just after the last byte. A byte that comes from an escape stands at
// its backslash, one of a folded line end at that line's end. When the text is not that
// of a file, for one of a variable, it is Pos.
func (t Text) At(offset int) Pos { return t.Places().At(offset) }

// Places finds the places of many bytes of a text. It reads the text once, as long as
// they are asked for in ascending order. Not safe for concurrent use.
type Places struct {
	Text Text

	traced bool
	at     []int  // of each byte of the value, where it stands; nil when that is not known
	from   cursor // where the last answer is
}

// Places finds places in the text.
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
	at := p.at[min(max(offset, 0), len(t.Value))]
	if p.from.src == nil || at < p.from.offset {
		p.from = cursor{src: t.src, line: t.Pos.Line, column: t.Pos.Column, offset: t.start}
	}
	pos := p.from.pos(at)
	p.from.line, p.from.column, p.from.offset = pos.Line, pos.Column, at
	return pos
}

// IsSet reports whether the string stands in the file.
func (t Text) IsSet() bool { return t.Pos.IsValid() }

// String is the value.
func (t Text) String() string { return t.Value }

// trace reads the scalar in the source again and returns, for each byte of the value,
// where it stands; then where the value ends, and where the scalar ends. It is not ok
// when what it reads is not the value, which would be a mistake of ours.
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

// tracedText is a value being read and where its bytes stand.
type tracedText struct {
	text []byte
	at   []int
	end  int // just after what gave the last byte
}

// add appends bytes that all stand at from, written as source[from:to].
func (v *tracedText) add(s string, from, to int) {
	for range len(s) {
		v.at = append(v.at, from)
	}
	v.text = append(v.text, s...)
	v.end = to
}

// copy appends bytes that stand verbatim; each rune's bytes stand at its first.
func (v *tracedText) copy(src []byte, from, to int) {
	for from < to {
		size := runeSize(src[from:to])
		v.add(string(src[from:from+size]), from, from+size)
		from += size
	}
}
