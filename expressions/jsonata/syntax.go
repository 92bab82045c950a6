package jsonata

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"toolgraph/internal/base/wording"
)

const (
	// maxSource is the longest expression in bytes.
	maxSource = 16 << 10
	// maxNesting is how many brackets of an expression may be open at once.
	maxNesting = 100
)

// readTokens splits source into tokens, within the limits and with its brackets in
// pairs.
func readTokens(source string) ([]token, *SyntaxError) {
	if len(source) > maxSource {
		message := fmt.Sprintf("the expression is %d bytes long, expected at most %d", len(source), maxSource)
		return nil, syntaxError(maxSource, "", message, "split it over several transform nodes")
	}
	if !utf8.ValidString(source) {
		return nil, syntaxError(invalidByte(source), "", "found a byte that is not UTF-8", "")
	}
	tokens, err := scan(source)
	if err != nil {
		return nil, err
	}
	if len(tokens) == 0 {
		return nil, syntaxError(0, "", "the expression is empty", "write $ for the whole context")
	}
	if err := checkBrackets(source, tokens); err != nil {
		return nil, err
	}
	if err := checkPatterns(tokens); err != nil {
		return nil, err
	}
	return tokens, nil
}

// checkPatterns refuses regular expressions that could never be used: Go's have no
// look-around and no back references, and take linear time for it.
func checkPatterns(tokens []token) *SyntaxError {
	for i := range tokens {
		t := &tokens[i]
		if t.kind != tokenRegex {
			continue
		}
		if _, err := compilePattern(t.value, t.text[strings.LastIndexByte(t.text, '/'):]); err != nil {
			problem := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
			return syntaxError(t.start, wording.Shorten(t.text), "the regular expression cannot be used: "+problem,
				"write it without look-around and back references (RE2 syntax)")
		}
	}
	return nil
}

// syntaxError is the error of a source at a byte, where the token is.
func syntaxError(offset int, token, message, hint string) *SyntaxError {
	return &SyntaxError{Offset: offset, Token: token, Message: message, Hint: hint}
}

// fixed returns the error with a fix.
func (e *SyntaxError) fixed(fix *Fix) *SyntaxError {
	e.Fix = fix
	return e
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
func checkBrackets(source string, tokens []token) *SyntaxError {
	var open []*token
	for i := range tokens {
		t := &tokens[i]
		if t.kind != tokenOperator {
			continue
		}
		switch t.text {
		case "(", "[", "{":
			if open = append(open, t); len(open) > maxNesting {
				return syntaxError(t.start, t.text, fmt.Sprintf("nested deeper than %d levels", maxNesting), "split it over several transform nodes")
			}
		case ")", "]", "}":
			if len(open) == 0 {
				return syntaxError(t.start, t.text, "found "+t.text+" without its opening bracket", "").
					fixed(&Fix{"Remove " + t.text, true, []Replacement{{From: t.start, To: t.start + len(t.text)}}})
			}
			last := open[len(open)-1]
			if want := closing[last.text]; want != t.text {
				message := fmt.Sprintf("found %s, expected %s to close the %s at character %d", t.text, want, last.text, last.start+1)
				return syntaxError(t.start, t.text, message, "")
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		last := open[len(open)-1]
		return syntaxError(last.start, last.text, last.text+" is not closed", "add "+closing[last.text]).fixed(closeWith(source, closing[last.text]))
	}
	return nil
}
