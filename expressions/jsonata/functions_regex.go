package jsonata

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"

	"toolgraph/expressions/value"
)

// regexFunctions search texts. A search ends with the evaluation, takes linear
// time, and makes results within the limits.
var regexFunctions = []builtin{
	{name: "match", types: "<s-(sf)n?:a<o>>", arity: 3, fn: match},
	{name: "contains", types: "<s-(sf):b>", arity: 2, fn: contains},
	{name: "replace", types: "<s-(sf)(sf)n?:s>", arity: 4, fn: replace},
	{name: "split", types: "<s-(sf)n?:a<s>>", arity: 3, fn: split},
}

// regex is a regular expression of a source, /…/, as a value: a function of texts.
type regex struct{ pattern *pattern }

// regexOf compiles a pattern of a tree.
func regexOf(t *Tree) *regex {
	p, err := compilePattern(t.Text, t.flags)
	if err != nil {
		return nil // refused before: checkPatterns
	}
	return &regex{p}
}

// pattern is a regular expression of a source, compiled.
type pattern struct {
	*regexp.Regexp

	size      int  // instructions
	backwards bool // it looks at what lies before a match: ^ or \b
}

// patterns are the compiled patterns by flags and text. They come from sources
// only, never from data; the limit is for programs that compile sources endlessly.
var patterns = patternCache{entries: map[string]*pattern{}}

type patternCache struct {
	mu      sync.RWMutex // guards entries
	entries map[string]*pattern
}

const maxPatterns = 4096

func compilePattern(text, flags string) (*pattern, error) {
	switch i, m := strings.Contains(flags, "i"), strings.Contains(flags, "m"); {
	case i && m:
		text = "(?im)" + text
	case i:
		text = "(?i)" + text
	case m:
		text = "(?m)" + text
	}
	patterns.mu.RLock()
	p := patterns.entries[text]
	patterns.mu.RUnlock()
	if p != nil {
		return p, nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	p = &pattern{Regexp: re, size: 1, backwards: true}
	if tree, err := syntax.Parse(text, syntax.Perl); err == nil {
		p.backwards = looksBack(tree)
		if program, err := syntax.Compile(tree.Simplify()); err == nil {
			p.size = len(program.Inst)
		}
	}
	patterns.mu.Lock()
	defer patterns.mu.Unlock()
	if len(patterns.entries) >= maxPatterns {
		clear(patterns.entries)
	}
	patterns.entries[text] = p
	return p, nil
}

func looksBack(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpBeginText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	default:
	}
	for _, sub := range re.Sub {
		if looksBack(sub) {
			return true
		}
	}
	return false
}

// maxWork is the product of bytes and instructions that one uninterrupted search may have,
// which takes well under a second.
const maxWork = 50_000_000

// search finds one match after the other.
type search struct {
	c       *call
	pattern *pattern // nil: the literal is searched
	literal string
	text    string
	pos     int
	count   int
	ahead   [][]int // the matches found in one go, when the pattern looks back
}

// search begins a search for a regular expression, or for a string that is not empty.
func (c *call) search(by any, text string) (*search, error) {
	s := &search{c: c, text: text}
	r, ok := by.(*regex)
	if !ok {
		s.literal, _ = by.(string)
		return s, nil
	}
	if s.pattern = r.pattern; s.pattern.backwards {
		if len(text)*s.pattern.size > maxWork {
			return nil, c.fail("size", "cannot search so long a string for a pattern with ^ or \\b; search a part of it")
		}
		if err := c.Spend(len(text) * s.pattern.size >> 8); err != nil {
			return nil, err
		}
		s.ahead = s.pattern.FindAllStringSubmatchIndex(text, maxItems+1)
		if len(s.ahead) > maxItems {
			return nil, c.tooMany()
		}
	}
	return s, nil
}

// next is the next match's places, in pairs, or nil after the last. An empty match
// behind another one, or with text behind it, would be found endlessly: an error.
func (s *search) next() ([]int, error) {
	if s.count > maxItems && s.pattern != nil {
		return nil, s.c.tooMany()
	}
	if s.count > 0 && s.pos >= len(s.text) {
		return nil, nil
	}
	from := s.pos
	loc, err := s.found()
	if err := s.c.Spend(1 + s.work(from, loc)>>8); err != nil {
		return nil, err
	}
	if loc == nil || err != nil {
		return nil, err
	}
	if loc[0] == loc[1] && (s.count > 0 || loc[1] < len(s.text)) {
		return nil, s.c.fail("D1004", "has a regular expression that matches the empty string")
	}
	s.count++
	s.pos = loc[1]
	return loc, nil
}

// work is about what it took to find a match from a place on, in bytes times instructions.
func (s *search) work(from int, loc []int) int {
	to := len(s.text)
	if loc != nil {
		to = loc[1]
	}
	if s.pattern == nil {
		return to - from
	}
	return (to - from) * s.pattern.size
}

// found is the first match from the place on where the last one ended.
func (s *search) found() ([]int, error) {
	if s.pattern == nil {
		i := strings.Index(s.text[s.pos:], s.literal)
		if i < 0 {
			return nil, nil
		}
		return []int{s.pos + i, s.pos + i + len(s.literal)}, nil
	}
	if s.pattern.backwards {
		if len(s.ahead) == 0 {
			return nil, nil
		}
		loc := s.ahead[0]
		s.ahead = s.ahead[1:]
		return loc, nil
	}
	loc, err := s.find()
	for i := range loc {
		if loc[i] >= 0 {
			loc[i] += s.pos
		}
	}
	return loc, err
}

// find searches the rest of the text; a long one in a way that can be ended.
func (s *search) find() ([]int, error) {
	rest := s.text[s.pos:]
	if len(rest)*s.pattern.size <= maxWork {
		return s.pattern.FindStringSubmatchIndex(rest), nil
	}
	r := &spender{Reader: strings.NewReader(rest), meter: &s.c.Meter, each: s.pattern.size}
	loc := s.pattern.FindReaderSubmatchIndex(r)
	return loc, r.err
}

// spender is a reader that ends when the evaluation does.
type spender struct {
	*strings.Reader

	meter *value.Meter
	each  int // instructions for each character
	count int
	err   error
}

// ReadRune is what a search reads.
func (r *spender) ReadRune() (rune, int, error) {
	if r.count++; r.count%batch == 0 {
		if r.err = r.meter.Spend(batch * r.each >> 8); r.err != nil {
			return 0, 0, r.err
		}
	}
	return r.Reader.ReadRune()
}

// captured are the texts of a match's groups; a group that took no part is undefined.
func captured(text string, loc []int) []any {
	out := make([]any, 0, len(loc)/2-1)
	for i := 2; i < len(loc); i += 2 {
		if loc[i] < 0 {
			out = append(out, nil)
			continue
		}
		out = append(out, text[loc[i]:loc[i+1]])
	}
	return out
}

// matchOnce calls a regular expression as a function: it returns the first match.
func (m *machine) matchOnce(r *regex, args []any) (any, error) {
	c := call{machine: m, name: "match", args: args}
	if c.arg(0) == nil {
		return nil, nil
	}
	text, ok := c.arg(0).(string)
	if !ok {
		return nil, &Error{Code: "T0410", Message: "a regular expression expects a string", Offset: -1}
	}
	s := &search{c: &c, pattern: r.pattern, text: text}
	if r.pattern.backwards {
		var err error
		if s, err = c.search(r, text); err != nil {
			return nil, err
		}
	}
	return (&nextMatch{search: s, at: runes{text: text}}).call()
}

// nextMatch is the function next of a match, which returns the following match.
type nextMatch struct {
	search *search
	at     runes
}

func (n *nextMatch) call() (any, error) {
	loc, err := n.search.first()
	if loc == nil || err != nil {
		return nil, err
	}
	s := *n.search // each match goes on from its own place
	text := s.text
	made := value.NewMap()
	made.Set("match", text[loc[0]:loc[1]])
	made.Set("start", float64(n.at.index(loc[0])))
	made.Set("end", float64(n.at.index(loc[1])))
	made.Set("groups", captured(text, loc))
	made.Set("next", &nextMatch{search: &s, at: runes{text: text}})
	return made, nil
}

// first is next, but the first match may be empty.
func (s *search) first() ([]int, error) {
	if s.count == 0 {
		loc, err := s.found()
		if loc != nil {
			s.count, s.pos = 1, loc[1]
		}
		return loc, err
	}
	return s.next()
}
