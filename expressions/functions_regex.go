package expressions

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"
)

// regexFunctions search texts. A search ends with the evaluation, takes linear
// time, and makes results within the limits.
var regexFunctions = map[string]function{
	"match":         match,
	"replace":       replace,
	"contains":      contains,
	hidden + "find": find,
}

// pattern is a regular expression of a source, compiled.
type pattern struct {
	*regexp.Regexp

	size      int  // instructions
	backwards bool // it looks at what lies before a match: ^ or \b
}

// patterns are the compiled patterns by flags and text. They come from sources
// only, never from data; the cap is for programs that compile sources for ever.
var patterns = patternCache{entries: map[string]*pattern{}}

type patternCache struct {
	mu      sync.RWMutex // guards entries
	entries map[string]*pattern
}

const maxPatterns = 4096

// patternOf is the pattern that the engine's value of a regular expression means.
func patternOf(value map[string]any) (*pattern, error) {
	text, _ := value["pattern"].(string)
	flags, _ := value["flags"].(string)
	return compilePattern(text, flags)
}

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

// maxWork is how many bytes times instructions are searched in one go, which is
// well under a second.
const maxWork = 50_000_000

// search finds one match after the other.
type search struct {
	c       *call
	pattern *pattern
	text    string
	pos     int
	count   int
	ahead   [][]int // the matches found in one go, when the pattern looks back
}

func (c *call) search(value map[string]any, text string) (*search, error) {
	p, err := patternOf(value)
	if err != nil {
		return nil, c.fail("D3137", "has a regular expression that cannot be used")
	}
	s := &search{c: c, pattern: p, text: text}
	if p.backwards {
		if len(text)*p.size > maxWork {
			return nil, c.fail("size", "searches too long a text for a pattern with ^ or \\b")
		}
		s.ahead = p.FindAllStringSubmatchIndex(text, maxItems+1)
		if len(s.ahead) > maxItems {
			return nil, c.tooMany()
		}
	}
	return s, nil
}

// next is the next match's places, in pairs, or nil after the last.
func (s *search) next() ([]int, error) {
	if s.count++; s.count%256 == 0 {
		if err := s.c.spend(); err != nil {
			return nil, err
		}
	}
	if s.count > maxItems {
		return nil, s.c.tooMany()
	}
	if s.pattern.backwards {
		if len(s.ahead) == 0 {
			return nil, nil
		}
		loc := s.ahead[0]
		s.ahead = s.ahead[1:]
		return loc, nil
	}
	if s.pos > len(s.text) {
		return nil, nil
	}
	loc, err := s.find()
	if loc == nil || err != nil {
		return nil, err
	}
	for i := range loc {
		if loc[i] >= 0 {
			loc[i] += s.pos
		}
	}
	if s.pos = loc[1]; loc[0] == loc[1] {
		// An empty match: the search goes on behind the next character.
		_, size := utf8.DecodeRuneInString(s.text[s.pos:])
		s.pos += max(1, size)
	}
	return loc, nil
}

// find searches the rest of the text; a long one in a way that can be ended.
func (s *search) find() ([]int, error) {
	rest := s.text[s.pos:]
	if len(rest)*s.pattern.size <= maxWork {
		return s.pattern.FindStringSubmatchIndex(rest), nil
	}
	r := &spender{Reader: strings.NewReader(rest), ev: s.c.evaluation}
	loc := s.pattern.FindReaderSubmatchIndex(r)
	return loc, r.err
}

// spender is a reader that ends when the evaluation does.
type spender struct {
	*strings.Reader

	ev    *evaluation
	count int
	err   error
}

// ReadRune is what a search reads.
func (r *spender) ReadRune() (rune, int, error) {
	if r.count++; r.count%spendEvery == 0 {
		if r.err = r.ev.spend(); r.err != nil {
			return 0, 0, r.err
		}
	}
	return r.Reader.ReadRune()
}

// captured are the texts of a match's groups; one that took no part is "".
func captured(text string, loc []int) []any {
	out := make([]any, 0, len(loc)/2-1)
	for i := 2; i < len(loc); i += 2 {
		if loc[i] < 0 {
			out = append(out, "")
			continue
		}
		out = append(out, text[loc[i]:loc[i+1]])
	}
	return out
}

// isRegex tells whether m is the engine's value of a regular expression, which is
// a plain map as no Value is.
func isRegex(m map[string]any) bool {
	_, pattern := m["pattern"].(string)
	_, flags := m["flags"].(string)
	return pattern && flags && len(m) == 2
}
