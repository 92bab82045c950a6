package schema

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxPatterns bounds the total size of a schema's patterns, in instructions of RE2: a
// letter is about one, and a repetition counts as often as it repeats.
const maxPatterns = 50_000

// errPatterns is the reason why a pattern is not used.
var errPatterns = fmt.Errorf("the patterns of the schema compile to more than %d instructions", maxPatterns)

// patterns are the regular expressions of one schema, each compiled once.
type patterns struct {
	lenient bool // a pattern that RE2 does not support matches everything
	sealed  bool // the schema is compiled: new patterns are data
	refused bool // a pattern of the schema was too large
	size    int
	known   map[string]compiledPattern
}

func newPatterns(lenient bool) *patterns {
	return &patterns{lenient: lenient, known: map[string]compiledPattern{}}
}

type compiledPattern struct {
	re   *regexp.Regexp // nil matches everything
	size int
}

// engine returns an engine whose patterns count their matches in m.
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

// measured compiles a pattern that is not too large.
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

// instructions estimates how many instructions an expression compiles to.
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

// pattern is a regular expression that counts its matches.
type pattern struct {
	compiledPattern
	source string
	meter  *meter
}

// workPerStep is how many bytes × instructions count as one step.
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
