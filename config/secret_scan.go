package config

import (
	"math/bits"
	"strings"
	"unicode/utf8"
)

// secretScan is one reading of a text in one view.
type secretScan struct {
	*secretFinder
	found []span
	own   int // the first of found that is this reading's
	steps int

	state    int32 // of the automaton
	starts   []int // where the last bytes that it took began; its length is a power of two
	taken    int   // how many it took
	indent   bool  // between a line break and what comes next in its line
	lineEnds bool  // the byte before ended a secret that ends with a line break

	word wordScan
}

// read takes the text up, byte by byte.
func (s *secretScan) read(text string, v secretView) {
	s.starts = make([]int, 1<<bits.Len(uint(min(s.longest, len(text)))))
	s.word.edge = true
	for i := 0; i < len(text); {
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
}

// take is told the next byte and where it stands in the text. Line breaks, and the white
// space that begins a line, are passed over, so that a text is found however it is
// wrapped.
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

// start is where the last n bytes began.
func (s *secretScan) start(n int) int { return s.starts[(s.taken-n)&(len(s.starts)-1)] }

// truncated is told that the text was truncated there: the beginning of a secret before
// it is one.
func (s *secretScan) truncated(at int) {
	if n := int(s.nodes[s.state].depth); n >= leastSecret {
		s.mark(s.start(n), at)
	}
	if s.word.run > 0 {
		s.mark(s.word.from, s.word.to)
	}
}

// mark adds a part of the text to what was found.
func (s *secretScan) mark(from, to int) {
	for n := len(s.found); n > s.own && s.found[n-1].to >= from; n-- {
		from, to = min(from, s.found[n-1].from), max(to, s.found[n-1].to)
		s.found = s.found[:n-1]
	}
	s.found = append(s.found, span{from, to})
}
