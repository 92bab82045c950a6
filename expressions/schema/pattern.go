package schema

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxPatterns bounds the size of a schema's patterns together, in instructions of RE2: a
// letter is about one, and a repetition counts as often as it repeats.
const maxPatterns = 50_000

// errPatterns is why a pattern is not used.
var errPatterns = fmt.Errorf("the patterns of the schema compile to more than %d instructions", maxPatterns)

// patterns are the regular expressions of one schema, each compiled once.
type patterns struct {
	lenient bool // what RE2 does not know matches everything
	sealed  bool // the schema is compiled: what comes now is data
	refused bool // a pattern of the schema was too large
	size    int
	known   map[string]compiledPattern
}

func newPatterns(lenient bool) *patterns {
	return &patterns{lenient: lenient, known: map[string]compiledPattern{}}
}

type compiledPattern struct {
	re   *regexp.Regexp // nil: everything matches
	size int
}

// engine compiles patterns whose matches are counted by m.
func (p *patterns) engine(m *meter) jsonschema.RegexpEngine {
	return func(source string) (jsonschema.Regexp, error) {
		c, err := p.compile(source)
		if err != nil {
			return nil, err
		}
		return &pattern{source: source, compiledPattern: c, meter: m}, nil
	}
}

func (p *patterns) compile(source string) (compiledPattern, error) {
	if c, known := p.known[source]; known {
		return c, nil
	}
	c, err := p.measured(source)
	switch {
	case err == nil:
	case p.lenient && err != errPatterns: //nolint:errorlint // made here
		c = compiledPattern{}
	default:
		p.refused = p.refused || !p.sealed
		return c, err
	}
	if !p.sealed {
		p.size += c.size
		p.known[source] = c
	}
	return c, nil
}

// measured compiles a pattern unless it is too large.
func (p *patterns) measured(source string) (compiledPattern, error) {
	parsed, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return compiledPattern{}, err
	}
	c := compiledPattern{size: instructions(parsed)}
	if c.size > maxPatterns || !p.sealed && p.size+c.size > maxPatterns {
		return c, errPatterns
	}
	c.re, err = regexp.Compile(source)
	return c, err
}

// instructions is about how many instructions an expression compiles to.
func instructions(re *syntax.Regexp) int {
	total := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		total = min(total+instructions(sub), maxPatterns+1)
	}
	if re.Op == syntax.OpRepeat {
		total *= max(re.Min, re.Max, 1)
	}
	return min(total, maxPatterns+1)
}

// pattern is a regular expression of which each match is counted.
type pattern struct {
	compiledPattern
	source string
	meter  *meter
}

// workPerStep is how many bytes × instructions one step pays for.
const workPerStep = 1024

// MatchString reports whether the text matches. It panics at the end of the budget.
func (p *pattern) MatchString(text string) bool {
	if p.re == nil {
		return true
	}
	p.meter.spend(1 + len(text)/workPerStep*p.size + len(text)%workPerStep*p.size/workPerStep)
	return p.re.MatchString(text)
}

func (p *pattern) String() string { return p.source }
