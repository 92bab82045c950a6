package config

import (
	"slices"
	"strings"
)

// secretFinder finds secrets in texts, in time linear in the text however many secrets
// and ways of writing them there are. Two structures know what to find: an automaton
// (Aho and Corasick's) of plain texts, and a set of pieces of base64, 8 letters each. A
// text is read in several views, each with the escapes of URLs or of JSON undone, so that
// one plain text stands for all the ways of escaping it.
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
	secret         int32 // bytes of the longest secret that ends here; 0 for none
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

// link sets where to go on when no child fits: the longest other text that has been
// begun. A node's is less deep than the node, so they are set by depth.
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

// folded makes those letters one that some escapes do not tell apart.
func folded(c byte) byte {
	if c == '+' || c == '\t' {
		return ' '
	}
	return c
}

// find is where the secrets of a text are, in order and apart from each other, and how
// many steps it took to find them.
func (f *secretFinder) find(text string) (found []span, steps int) {
	for _, v := range secretViews(text) {
		s := secretScan{secretFinder: f, found: found, own: len(found)}
		s.read(text, v)
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
	return apart, steps
}
