package config

// blockHeader is what stands after | or >.
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

// blockIndent is the deepest indentation up to and with the first line that is not
// blank, which is what YAML takes when the header does not say.
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

// parentIndent is the indentation of the mapping or list that the block scalar at
// start stands in: the column of the key, or of the innermost dash before the scalar.
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

// block is a block scalar being read: the line ends after the last line with
// content are held back until it is clear what they become.
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

// isContent reports whether at stands in column indent, after only spaces.
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
// line is not of the scalar, at stays where it begins.
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
