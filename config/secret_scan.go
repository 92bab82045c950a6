package config

import (
	"context"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// secretFinder finds secrets in texts, in time linear in the text, whatever the number of secrets
// and of their encodings. It has an Aho-Corasick automaton (https://doi.org/10.1145/360825.360855)
// of plain texts, and a set of pieces of base64, 8 letters each. It reads a text in several views,
// each with the escapes of URLs or of JSON decoded, so that one plain text finds all its escaped
// forms.
type secretFinder struct {
	nodes   []secretNode // of the automaton; the first is its root
	roots   [256]int32   // the children of the root
	pieces  pieceSet
	longest int // of the plain texts, in bytes
}

type secretNode struct {
	child, sibling int32 // 0 for none
	fail           int32
	depth          int32
	secret         int32 // length of the longest secret that ends here; 0 for none
	letter         byte
	endsLine       bool // the secret that ends here ends with a line break
}

// span is a part of a text.
type span struct{ from, to int }

func newSecretFinder(values []string) *secretFinder {
	f := &secretFinder{nodes: make([]secretNode, 1)}
	for _, v := range values {
		for _, part := range secretParts(v) {
			f.addPart(part)
		}
	}
	f.link()
	return f
}

func (f *secretFinder) addPart(part string) {
	lines := secretLines(part)
	joined := strings.Join(lines, "")
	f.addText(joined, leastSecret, strings.TrimRight(part, "\r\n") != part)
	if len(lines) > 1 {
		for _, line := range lines {
			f.addText(line, leastLine, false)
		}
	}
	for _, word := range opaqueWords(joined) {
		f.pieces.add(word)
	}
	for _, plain := range []string{part, strings.TrimSpace(part)} {
		for _, form := range insideBase64(plain) {
			if f.pieces.add(form); len(form) < leastRun {
				f.addText(form, leastLetter, false)
				f.addText(strings.NewReplacer("+", "-", "/", "_").Replace(form), leastLetter, false)
			}
		}
	}
}

// addText adds a plain text to the automaton.
func (f *secretFinder) addText(text string, least int, endsLine bool) {
	if len(text) < least {
		return
	}
	at := int32(0)
	for i := range len(text) {
		letter := folded(text[i])
		next := f.child(at, letter)
		if next == 0 {
			next = int32(len(f.nodes)) //nolint:gosec // a graph file has 4 MiB at most
			node := secretNode{letter: letter, depth: f.nodes[at].depth + 1}
			if at == 0 {
				f.roots[letter] = next
			} else {
				node.sibling, f.nodes[at].child = f.nodes[at].child, next
			}
			f.nodes = append(f.nodes, node)
		}
		at = next
	}
	f.nodes[at].secret = f.nodes[at].depth
	f.nodes[at].endsLine = f.nodes[at].endsLine || endsLine
	f.longest = max(f.longest, len(text))
}

// link sets the failure link of each node: the node of the longest proper suffix. It is less
// deep than the node, so that links are set by depth.
func (f *secretFinder) link() {
	var queue []int32
	for _, n := range f.roots {
		if n != 0 {
			queue = append(queue, n)
		}
	}
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		for n := f.nodes[at].child; n != 0; n = f.nodes[n].sibling {
			queue = append(queue, n)
			fail := f.nodes[at].fail
			next := f.child(fail, f.nodes[n].letter)
			for next == 0 && fail != 0 {
				fail = f.nodes[fail].fail
				next = f.child(fail, f.nodes[n].letter)
			}
			f.nodes[n].fail = next
			if f.nodes[n].secret == 0 {
				f.nodes[n].secret, f.nodes[n].endsLine = f.nodes[next].secret, f.nodes[next].endsLine
			}
		}
	}
}

func (f *secretFinder) child(at int32, letter byte) int32 {
	if at == 0 {
		return f.roots[letter]
	}
	n := f.nodes[at].child
	for n != 0 && f.nodes[n].letter != letter {
		n = f.nodes[n].sibling
	}
	return n
}

// folded maps letters to one that some encodings do not distinguish.
func folded(c byte) byte {
	if c == '+' || c == '\t' {
		return ' '
	}
	return c
}

// find returns the spans of secrets in a text, in order and without overlaps, and the number of
// steps of the search.
func (f *secretFinder) find(text string) (found []span, steps int) {
	found, steps, _ = f.findWithin(context.Background(), text)
	return found, steps
}

// findWithin is find that ends with the context, whose Err is the error.
func (f *secretFinder) findWithin(ctx context.Context, text string) (found []span, steps int, err error) {
	for _, v := range secretViews(text) {
		s := secretScan{secretFinder: f, found: found, own: len(found)}
		if err := s.read(ctx, text, v); err != nil {
			return nil, 0, err
		}
		found, steps = s.found, steps+s.steps
	}
	slices.SortFunc(found, func(a, b span) int { return a.from - b.from })
	apart := found[:0]
	for _, s := range found {
		if last := len(apart) - 1; last >= 0 && s.from <= apart[last].to {
			apart[last].to = max(apart[last].to, s.to)
			continue
		}
		apart = append(apart, s)
	}
	return apart, steps, nil
}

// secretScan is the state of reading a text in one view.
type secretScan struct {
	*secretFinder
	found []span
	own   int // the first of found that is this reading's
	steps int

	state    int32 // of the automaton
	starts   []int // offsets of the last bytes; a ring whose length is a power of two
	taken    int   // the number of bytes taken
	indent   bool  // in the white space at the start of a line
	lineEnds bool  // the byte before ended a secret that ends with a line break

	word wordScan
}

// lookEvery is how many bytes are read between two looks at the context.
const lookEvery = 256 << 10

// read reads the text byte by byte.
func (s *secretScan) read(ctx context.Context, text string, v secretView) error {
	look := lookEvery
	s.starts = make([]int, 1<<bits.Len(uint(min(s.longest, len(text)))))
	s.word.edge = true
	for i := 0; i < len(text); {
		if i >= look {
			if err := ctx.Err(); err != nil {
				return err
			}
			look = i + lookEvery
		}
		c := text[i]
		switch {
		case c == '\\' && v.levels > 0 || c == '%' && v.percent:
			r, size := v.letter(text, i, v.levels)
			if r&rawByte != 0 || r < utf8.RuneSelf {
				s.take(byte(r), i, i+size)
			} else {
				for _, c := range utf8.AppendRune(nil, r) {
					s.take(c, i, i+size)
				}
			}
			i += size
			continue
		case c == "…"[0] && strings.HasPrefix(text[i:], "…"):
			s.truncated(i)
		}
		s.take(c, i, i+1)
		i++
	}
	s.endRun(true)
	return nil
}

// take takes the next byte, which is text[from:to]. It skips line breaks and the white space at
// the start of a line, so that a secret is found however it is wrapped.
func (s *secretScan) take(c byte, from, to int) {
	s.steps++
	switch {
	case c == '\n' || c == '\r':
		if s.lineEnds {
			s.mark(from, to)
			s.lineEnds = c == '\r'
		}
		s.indent = true
		s.breakWord()
		return
	case s.indent && (c == ' ' || c == '\t'):
		return
	}
	s.indent = false
	s.takeLetter(c, from, to)
	c = folded(c)
	next := s.child(s.state, c)
	for next == 0 && s.state != 0 {
		s.steps++
		s.state = s.nodes[s.state].fail
		next = s.child(s.state, c)
	}
	s.state, s.lineEnds = next, false
	if next == 0 {
		return
	}
	s.starts[s.taken&(len(s.starts)-1)] = from
	s.taken++
	if n := int(s.nodes[next].secret); n > 0 {
		s.lineEnds = s.nodes[next].endsLine
		s.mark(s.start(n), to)
	}
}

// start returns the offset of the last n bytes.
func (s *secretScan) start(n int) int { return s.starts[(s.taken-n)&(len(s.starts)-1)] }

// truncated takes an ellipsis: the start of a secret before it is a secret.
func (s *secretScan) truncated(at int) {
	if n := int(s.nodes[s.state].depth); n >= leastSecret {
		s.mark(s.start(n), at)
	}
	if s.word.run > 0 {
		s.mark(s.word.from, s.word.to)
	}
}

// mark adds a span, joined with those that it overlaps.
func (s *secretScan) mark(from, to int) {
	for n := len(s.found); n > s.own && s.found[n-1].to >= from; n-- {
		from, to = min(from, s.found[n-1].from), max(to, s.found[n-1].to)
		s.found = s.found[:n-1]
	}
	s.found = append(s.found, span{from, to})
}

// pieceSet is a set of pieces of base64, 8 letters each. Its hash table has a power of two
// of slots, at least half of them 0, which are free.
type pieceSet struct {
	slots []uint64
	count int
}

// add adds the pieces of a word of base64.
func (p *pieceSet) add(word string) {
	piece := uint64(0)
	for i := range len(word) {
		piece = piece<<8 | uint64(base64Letter(word[i]))
		if i+1 >= leastLetter && !p.has(piece) {
			if p.count++; p.count*2 > len(p.slots) {
				p.grow()
			}
			p.slots[p.slot(piece)] = piece
		}
	}
}

func (p *pieceSet) has(piece uint64) bool { return len(p.slots) > 0 && p.slots[p.slot(piece)] == piece }

// slot returns the slot of a piece, or the free one for it.
func (p *pieceSet) slot(piece uint64) int {
	const mixed = 0x9E3779B97F4A7C15
	i := (piece * mixed >> 32) & uint64(len(p.slots)-1)
	for p.slots[i] != 0 && p.slots[i] != piece {
		i = (i + 1) & uint64(len(p.slots)-1)
	}
	return int(i) //nolint:gosec // less than len
}

func (p *pieceSet) grow() {
	old := p.slots
	p.slots = make([]uint64, max(64, 2*len(old)))
	for _, piece := range old {
		if piece != 0 {
			p.slots[p.slot(piece)] = piece
		}
	}
}

// base64Letter returns a letter of base64 in the standard alphabet; 0 for any other byte. The
// alphabet for URLs differs in two letters.
func base64Letter(c byte) byte {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '+', c == '/':
		return c
	case c == '-':
		return '+'
	case c == '_':
		return '/'
	}
	return 0
}

// wordScan is the state of reading letters of base64.
type wordScan struct {
	piece  uint64            // the last 8
	starts [leastLetter]int  // their offsets
	edges  [leastLetter]bool // which of them begin a word
	count  int               // the number of consecutive letters
	edge   bool              // the next begins a word

	run      int  // the number of consecutive letters of which every 8 are a piece of a secret; 0, or at least 8
	from, to int  // the span of the run
	bounded  bool // the run starts a word
	padding  int  // the offset of a = that belongs to a secret
}

// takeLetter looks for secrets in base64: pieces that are a word of 8 letters and more, or
// 16 letters anywhere.
func (s *secretScan) takeLetter(c byte, from, to int) {
	w := &s.word
	letter := base64Letter(c)
	if letter == 0 {
		s.endRun(true)
		if c == '=' && w.padding == from {
			s.mark(from, to)
			w.padding = to
		}
		w.count, w.edge = 0, true
		return
	}
	w.piece = w.piece<<8 | uint64(letter)
	w.starts[w.count%leastLetter], w.edges[w.count%leastLetter] = from, w.edge
	w.edge = false
	w.count++
	if w.count < leastLetter || !s.pieces.has(w.piece) {
		s.endRun(false)
		return
	}
	if w.run++; w.run == 1 {
		first := w.count % leastLetter
		w.run, w.from, w.bounded = leastLetter, w.starts[first], w.edges[first]
	}
	w.to = to
}

// breakWord takes a line break, which ends or wraps a word.
func (s *secretScan) breakWord() {
	if run := s.word; run.run >= leastRun || run.run > 0 && run.bounded {
		s.mark(run.from, run.to)
	}
	s.word.edge = true
}

// endRun takes the end of a run; word is set when the word ends, too.
func (s *secretScan) endRun(word bool) {
	w := &s.word
	if w.run >= leastRun || w.run > 0 && w.bounded && word {
		s.mark(w.from, w.to)
		w.padding = w.to
	}
	w.run = 0
}
