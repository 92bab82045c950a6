package jsonata

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"toolgraph/expressions"
	"toolgraph/internal/wording"
)

const (
	// MaxSource is the longest expression in bytes.
	MaxSource = 16 << 10
	// MaxNesting is how many brackets of an expression may be open at once.
	MaxNesting = 100
)

// readTokens splits source into tokens, within the limits and with its brackets in
// pairs.
func readTokens(source string) ([]token, *expressions.SyntaxError) {
	if len(source) > MaxSource {
		return nil, &expressions.SyntaxError{
			Offset: MaxSource, Message: fmt.Sprintf("the expression is %d bytes long, expected at most %d", len(source), MaxSource),
			Hint: "split it over several transform nodes",
		}
	}
	if !utf8.ValidString(source) {
		return nil, &expressions.SyntaxError{Offset: invalidByte(source), Message: "found a byte that is no UTF-8"}
	}
	tokens, err := scan(source)
	if err != nil {
		return nil, err
	}
	if len(tokens) == 0 {
		return nil, &expressions.SyntaxError{Message: "the expression is empty", Hint: "write $ for the whole context"}
	}
	if err := checkBrackets(tokens); err != nil {
		return nil, err
	}
	if err := checkPatterns(tokens); err != nil {
		return nil, err
	}
	return tokens, nil
}

// checkPatterns refuses regular expressions that could never be used: Go's have no
// look-around and no back references, and take linear time for it.
func checkPatterns(tokens []token) *expressions.SyntaxError {
	for i := range tokens {
		t := &tokens[i]
		if t.kind != tokenRegex {
			continue
		}
		if _, err := compilePattern(t.value, t.text[strings.LastIndexByte(t.text, '/'):]); err != nil {
			problem := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
			return &expressions.SyntaxError{
				Offset: t.start, Token: wording.Shorten(t.text), Message: "the regular expression cannot be used: " + problem,
				Hint: "write it without look-around and back references (RE2 syntax)",
			}
		}
	}
	return nil
}

func invalidByte(source string) int {
	for i, r := range source {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(source[i:]); size == 1 {
				return i
			}
		}
	}
	return len(source)
}

var closing = map[string]string{"(": ")", "[": "]", "{": "}"}

// checkBrackets finds brackets without their partner, and too many open at once.
func checkBrackets(tokens []token) *expressions.SyntaxError {
	var open []*token
	for i := range tokens {
		t := &tokens[i]
		if t.kind != tokenOperator {
			continue
		}
		switch t.text {
		case "(", "[", "{":
			if open = append(open, t); len(open) > MaxNesting {
				return &expressions.SyntaxError{
					Offset: t.start, Token: t.text, Message: fmt.Sprintf("nested deeper than %d levels", MaxNesting),
					Hint: "split it over several transform nodes",
				}
			}
		case ")", "]", "}":
			if len(open) == 0 {
				return &expressions.SyntaxError{Offset: t.start, Token: t.text, Message: "found " + t.text + " without its opening bracket"}
			}
			last := open[len(open)-1]
			if want := closing[last.text]; want != t.text {
				return &expressions.SyntaxError{
					Offset: t.start, Token: t.text,
					Message: fmt.Sprintf("found %s, expected %s to close the %s at character %d", t.text, want, last.text, last.start+1),
				}
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		last := open[len(open)-1]
		return &expressions.SyntaxError{
			Offset: last.start, Token: last.text, Message: last.text + " is not closed", Hint: "add " + closing[last.text],
		}
	}
	return nil
}
