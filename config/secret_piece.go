package config

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

// slot is where a piece is, or belongs.
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

// base64Letter is a letter of base64 in the standard alphabet, 0 for any other byte. The
// alphabet for URLs differs in two.
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

// wordScan is what is known of the letters of base64 that were read last.
type wordScan struct {
	piece  uint64            // the last 8
	starts [leastLetter]int  // where they begin
	edges  [leastLetter]bool // which of them begin a word
	count  int               // how many there were on end
	edge   bool              // the next begins a word

	run      int  // of how many, on end, every 8 are a piece of a secret; 0, or 8 and more
	from, to int  // where they are
	bounded  bool // they begin with a word
	padding  int  // where the = of a secret may stand
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

// breakWord is told a line break, which ends a word or wraps it.
func (s *secretScan) breakWord() {
	if run := s.word; run.run >= leastRun || run.run > 0 && run.bounded {
		s.mark(run.from, run.to)
	}
	s.word.edge = true
}

// endRun is told that the pieces end, with the word or before it does.
func (s *secretScan) endRun(word bool) {
	w := &s.word
	if w.run >= leastRun || w.run > 0 && w.bounded && word {
		s.mark(w.from, w.to)
		w.padding = w.to
	}
	w.run = 0
}
