package config

import (
	"strconv"
	"sync"
	"unicode/utf8"
)

func runeSize(b []byte) int {
	_, size := utf8.DecodeRune(b)
	return max(size, 1)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// breakSize returns the length of the line end at i, or 0.
func breakSize(src []byte, i int) int {
	switch {
	case i < len(src) && src[i] == '\n':
		return 1
	case i+1 < len(src) && src[i] == '\r' && src[i+1] == '\n':
		return 2
	}
	return 0
}

// gap is a run of blanks and line ends in a scalar.
type gap struct {
	end    int
	breaks []int // offsets of the line ends
}

func scanGap(src []byte, i int) gap {
	var g gap
	for i < len(src) {
		if isBlank(src[i]) {
			i++
		} else if n := breakSize(src, i); n > 0 {
			g.breaks = append(g.breaks, i)
			i += n
		} else {
			break
		}
	}
	g.end = i
	return g
}

// fold appends the value of a gap: a space for one line end, n-1 line ends for n. After an
// escaped line end (escaped) every further one counts.
func (v *tracedText) fold(src []byte, g gap, escaped bool) {
	breaks := g.breaks
	if !escaped {
		if len(breaks) == 1 {
			v.add(" ", breaks[0], breaks[0]+breakSize(src, breaks[0]))
			return
		}
		breaks = breaks[1:]
	}
	for _, b := range breaks {
		v.add("\n", b, b+breakSize(src, b))
	}
}

// gap reads the blanks and line breaks at i and returns where they end: blanks alone stay,
// breaks are folded.
func (v *tracedText) gap(src []byte, i int) int {
	g := scanGap(src, i)
	if len(g.breaks) == 0 {
		v.copy(src, i, g.end)
	} else {
		v.fold(src, g, false)
	}
	return g.end
}

// tracePlain reads a plain scalar until it has length bytes.
func tracePlain(src []byte, start, length int) (v tracedText, end int) {
	i := start
	for i < len(src) && len(v.text) < length {
		if !isBlank(src[i]) && breakSize(src, i) == 0 {
			size := runeSize(src[i:])
			v.copy(src, i, i+size)
			i += size
			continue
		}
		i = v.gap(src, i)
	}
	return v, i
}

// traceQuoted reads a quoted scalar; end is after its closing quote.
func traceQuoted(src []byte, start int, as style) (v tracedText, end int) {
	if start >= len(src) {
		return v, start
	}
	quote := src[start]
	i := start + 1
	for i < len(src) {
		c := src[i]
		switch {
		case c == quote && as == styleSingle && i+1 < len(src) && src[i+1] == quote:
			v.add("'", i, i+2)
			i += 2
		case c == quote:
			return v, i + 1
		case c == '\\' && as == styleDouble:
			i = v.escape(src, i)
		case isBlank(c) || breakSize(src, i) > 0:
			i = v.gap(src, i)
		default:
			size := runeSize(src[i:])
			v.copy(src, i, i+size)
			i += size
		}
	}
	return v, i
}

var escapes = sync.OnceValue(func() map[byte]string {
	return map[byte]string{
		'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b",
		' ': " ", '"': "\"", '/': "/", '\\': "\\", '\'': "'", 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
	}
})

// escape reads the escape at i and returns where it ends.
func (v *tracedText) escape(src []byte, i int) int {
	if breakSize(src, i+1) > 0 {
		g := scanGap(src, i+1)
		g.breaks = g.breaks[1:]
		v.fold(src, g, true)
		return g.end
	}
	if i+1 >= len(src) {
		return i + 1
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[src[i+1]]
	if digits == 0 {
		v.add(escapes()[src[i+1]], i, i+2)
		return i + 2
	}
	end := min(i+2+digits, len(src))
	code, err := strconv.ParseUint(string(src[i+2:end]), 16, 32)
	if err == nil {
		v.add(string(rune(code)), i, end)
	}
	return end
}

// blockHeader is the header of a block scalar, after | or >.
type blockHeader struct {
	chomp  byte // '-', '+' or 0
	indent int  // given by a digit, else 0
	body   int  // where the first line of content begins
}

func scanBlockHeader(src []byte, start int) blockHeader {
	var h blockHeader
	i := start + 1
	for ; i < len(src); i++ {
		switch c := src[i]; {
		case c == '-' || c == '+':
			h.chomp = c
			continue
		case c >= '1' && c <= '9':
			h.indent = int(c - '0')
			continue
		}
		break
	}
	for i < len(src) && breakSize(src, i) == 0 { // blanks and a comment
		i++
	}
	h.body = i + breakSize(src, i)
	return h
}

// traceBlock reads a literal or folded block scalar; end is after its last line.
func traceBlock(src []byte, start int, as style) (v tracedText, end int) {
	h := scanBlockHeader(src, start)
	b := block{src: src, at: h.body, folded: as == styleFolded}
	b.indent = blockIndent(src, h.body)
	if h.indent > 0 {
		b.indent = h.indent + max(0, parentIndent(src, start))
	}
	b.read()
	if h.chomp != '-' {
		b.value.line(src, b.leading)
	}
	if h.chomp == '+' {
		b.value.line(src, b.trailing...)
	}
	return b.value, b.at
}

// blockIndent returns the deepest indentation up to and including the first line that is not
// blank: the indentation of a block without one in its header.
func blockIndent(src []byte, i int) int {
	deepest := 1
	for {
		spaces := 0
		for i < len(src) && src[i] == ' ' {
			i++
			spaces++
		}
		deepest = max(deepest, spaces)
		n := breakSize(src, i)
		if n == 0 {
			return deepest
		}
		i += n
	}
}

// parentIndent returns the indentation of the mapping or list that contains the block scalar at
// start: the column of its key, or of the innermost dash before it.
func parentIndent(src []byte, start int) int {
	line := start
	for line > 0 && src[line-1] != '\n' {
		line--
	}
	indent := line
	for i := line; i < start; i++ {
		if src[i] == ' ' {
			continue
		}
		indent = i
		if (src[i] == '-' || src[i] == '?' || src[i] == ':') && i+1 < start && isBlank(src[i+1]) {
			continue
		}
		break
	}
	return indent - line
}

// block reads a block scalar. Line ends after a line with content are added when the next line
// shows what they become.
type block struct {
	src      []byte
	at       int
	indent   int
	folded   bool
	value    tracedText
	leading  int   // offset of the last content line's end, or -1
	trailing []int // offsets of the ends of the blank lines after it
}

func (b *block) read() {
	b.leading = -1
	b.blankLines()
	startsBlank := false
	for b.at < len(b.src) && b.isContent() {
		blank := isBlank(b.src[b.at])
		if b.folded && !startsBlank && !blank && b.leading >= 0 {
			if len(b.trailing) == 0 {
				b.value.add(" ", b.leading, b.leading+breakSize(b.src, b.leading))
			}
		} else {
			b.value.line(b.src, b.leading)
		}
		b.value.line(b.src, b.trailing...)
		b.trailing, startsBlank = nil, blank
		from := b.at
		for b.at < len(b.src) && breakSize(b.src, b.at) == 0 {
			b.at++
		}
		b.value.copy(b.src, from, b.at)
		b.leading = -1
		if n := breakSize(b.src, b.at); n > 0 {
			b.leading = b.at
			b.at += n
		}
		b.blankLines()
	}
}

// isContent reports whether at is in column indent, after spaces alone.
func (b *block) isContent() bool {
	from := b.at - b.indent
	if from < 0 || from > 0 && b.src[from-1] != '\n' {
		return false
	}
	for _, c := range b.src[from:b.at] {
		if c != ' ' {
			return false
		}
	}
	return true
}

// blankLines skips blank lines and the indentation of the line after them. When that
// line is not part of the scalar, at is its start.
func (b *block) blankLines() {
	for {
		line := b.at
		for b.at < len(b.src) && b.at-line < b.indent && b.src[b.at] == ' ' {
			b.at++
		}
		n := breakSize(b.src, b.at)
		if n == 0 {
			if b.at-line < b.indent {
				b.at = line
			}
			return
		}
		b.trailing = append(b.trailing, b.at)
		b.at += n
	}
}

// line appends line ends; an offset of -1 is none.
func (v *tracedText) line(src []byte, offsets ...int) {
	for _, o := range offsets {
		if o >= 0 {
			v.add("\n", o, o+breakSize(src, o))
		}
	}
}
