package jsonata

import (
	"strings"

	"toolgraph/expressions/value"
)

// tokenKind is the category of a token.
type tokenKind uint8

const (
	tokenName     tokenKind = iota // field, keyword as a field, or `name`
	tokenVariable                  // $name, $ and $$
	tokenString
	tokenNumber
	tokenWord // true, false, null
	tokenRegex
	tokenOperator // all the rest, and, or and in included
)

// token is one token of an expression; the source's comments and blanks lie
// between tokens.
type token struct {
	kind       tokenKind
	start, end int    // bytes in the source
	text       string // source[start:end]
	value      string // a name without backticks, a variable without $, a string without quotes
	prefix     bool   // it stands where an operand begins
	closes     bool   // the last bar of a transform, which ends an operand
}

func (t *token) is(operator string) bool { return t.kind == tokenOperator && t.text == operator }

// operand reports whether the token ends an operand, so that an operator follows.
func (t *token) operand() bool {
	if t.kind != tokenOperator {
		return true
	}
	switch t.text {
	case ")", "]", "}":
		return true
	case "*", "**", "%", "?":
		return t.prefix
	case "|":
		return t.closes
	}
	return false
}

// scanner splits a source into tokens.
type scanner struct {
	source string
	pos    int
	tokens []token
	bars   []int // of each open transform, how many bars are still to come
}

// scan is the source's tokens, or the first thing that is none.
func scan(source string) ([]token, *SyntaxError) {
	s := scanner{source: source, tokens: make([]token, 0, len(source)/3+1)}
	for {
		if err := s.blank(); err != nil {
			return s.tokens, err
		}
		if s.pos >= len(source) {
			return s.tokens, nil
		}
		if err := s.next(); err != nil {
			return s.tokens, err
		}
	}
}

// blank passes white space and comments.
func (s *scanner) blank() *SyntaxError {
	for s.pos < len(s.source) {
		switch c := s.source[s.pos]; {
		case strings.IndexByte(" \t\n\r\v", c) >= 0:
			s.pos++
		case c == '/' && strings.HasPrefix(s.source[s.pos:], "/*"):
			end := strings.Index(s.source[s.pos+2:], "*/")
			if end < 0 {
				return syntaxError(s.pos, "/*", "the comment is not closed", "add */").fixed(closeWith(s.source, "*/"))
			}
			s.pos += end + 4
		default:
			return nil
		}
	}
	return nil
}

// prefix reports whether an operand is expected at the scanner's place.
func (s *scanner) prefix() bool {
	return len(s.tokens) == 0 || !s.tokens[len(s.tokens)-1].operand()
}

func (s *scanner) add(kind tokenKind, end int, value string) {
	s.tokens = append(s.tokens, token{
		kind: kind, start: s.pos, end: end, text: s.source[s.pos:end], value: value, prefix: s.prefix(),
	})
	s.pos = end
}

func (s *scanner) next() *SyntaxError {
	c := s.source[s.pos]
	switch {
	case c == '/' && s.prefix():
		return s.regex()
	case c == '"' || c == '\'':
		return s.text(c)
	case c == '`':
		end := strings.IndexByte(s.source[s.pos+1:], '`')
		if end < 0 {
			return syntaxError(s.pos, "`", "the quoted name is not closed", "add a closing `").fixed(closeWith(s.source, "`"))
		}
		s.add(tokenName, s.pos+end+2, s.source[s.pos+1:s.pos+1+end])
		return nil
	case c >= '0' && c <= '9':
		s.number()
		return nil
	}
	if size := operatorSize(s.source[s.pos:]); size > 0 {
		s.add(tokenOperator, s.pos+size, "")
		if c == '|' {
			s.bar()
		}
		return nil
	}
	s.word()
	return nil
}

// bar notes which bar of a transform was read last: its first begins an operand, its third
// ends one.
func (s *scanner) bar() {
	t, last := &s.tokens[len(s.tokens)-1], len(s.bars)-1
	if t.prefix {
		s.bars = append(s.bars, 2)
		return
	}
	if last < 0 {
		return
	}
	if s.bars[last]--; s.bars[last] == 0 {
		s.bars, t.closes = s.bars[:last], true
	}
}

const (
	oneByteOperators = ".[]{}(),@#;:?+-*/%|=<>^&!~"
	twoByteOperators = ".. := != >= <= ** ~> ?: ??"
)

func operatorSize(rest string) int {
	if strings.IndexByte(oneByteOperators, rest[0]) < 0 {
		return 0
	}
	if len(rest) >= 2 && rest[1] != ' ' && strings.Contains(twoByteOperators, rest[:2]) {
		return 2
	}
	return 1
}

// word reads a name, a keyword or a variable.
func (s *scanner) word() {
	end := s.pos
	for end < len(s.source) && strings.IndexByte(" \t\n\r\v"+oneByteOperators, s.source[end]) < 0 {
		end++
	}
	word := s.source[s.pos:end]
	switch {
	case word[0] == '$':
		s.add(tokenVariable, end, word[1:])
	case word == "true" || word == "false" || word == "null":
		s.add(tokenWord, end, word)
	case (word == "and" || word == "or" || word == "in") && !s.prefix():
		s.add(tokenOperator, end, "")
	default:
		s.add(tokenName, end, word)
	}
}

func (s *scanner) number() {
	end := s.pos
	digits := func() {
		for end < len(s.source) && s.source[end] >= '0' && s.source[end] <= '9' {
			end++
		}
	}
	digits()
	if end+1 < len(s.source) && s.source[end] == '.' && s.source[end+1] >= '0' && s.source[end+1] <= '9' {
		end++
		digits()
	}
	if end < len(s.source) && s.source[end]|0x20 == 'e' {
		end++
		if end < len(s.source) && (s.source[end] == '+' || s.source[end] == '-') {
			end++
		}
		digits()
	}
	s.add(tokenNumber, end, s.source[s.pos:end])
}

// text reads a string literal; the parser reports wrong escapes.
func (s *scanner) text(quote byte) *SyntaxError {
	for end := s.pos + 1; end < len(s.source); end++ {
		switch s.source[end] {
		case '\\':
			end++
		case quote:
			v := s.source[s.pos+1 : end]
			if strings.IndexByte(v, '\\') >= 0 && faultOfString(v) == "" {
				v = value.Unescape([]byte(v))
			}
			s.add(tokenString, end+1, v)
			return nil
		}
	}
	return syntaxError(s.pos, string(quote), "the string is not closed", "add a closing "+string(quote)).fixed(closeWith(s.source, string(quote)))
}

// regex reads a regular expression up to the slash that is neither escaped nor
// inside brackets, and its flags.
func (s *scanner) regex() *SyntaxError {
	depth := 0
	for end := s.pos + 1; end < len(s.source); end++ {
		switch s.source[end] {
		case '(', '[', '{':
			if s.source[end-1] != '\\' {
				depth++
			}
		case ')', ']', '}':
			if s.source[end-1] != '\\' {
				depth--
			}
		case '/':
			if depth == 0 && !oddBackslashes(s.source[s.pos+1:end]) {
				return s.flags(end)
			}
		}
	}
	return syntaxError(s.pos, "/", "the regular expression is not closed", "add a closing /, and escape brackets that have no partner")
}

func oddBackslashes(text string) bool {
	n := 0
	for i := len(text) - 1; i >= 0 && text[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

// flagHints are the remedies for flags of JavaScript.
var flagHints = map[byte]string{
	'g': "leave it out: $match, $replace and $split find all matches", 's': "write (?s) at the beginning of the expression", 'u': "leave it out", 'y': "leave it out",
}

// flags ends the regular expression whose closing slash is at end.
func (s *scanner) flags(end int) *SyntaxError {
	pattern := s.source[s.pos+1 : end]
	if pattern == "" {
		return syntaxError(s.pos, "//", "the regular expression is empty", "write a comment as /* … */")
	}
	for end++; end < len(s.source); end++ {
		c := s.source[end]
		if c != 'i' && c != 'm' {
			if c|0x20 >= 'a' && c|0x20 <= 'z' {
				return syntaxError(end, string(rune(c)), "found an unknown flag of a regular expression, expected i or m", flagHints[c])
			}
			break
		}
	}
	s.add(tokenRegex, end, pattern)
	return nil
}
