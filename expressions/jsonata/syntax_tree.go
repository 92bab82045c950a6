package jsonata

import (
	"fmt"
	"strconv"
	"strings"

	"toolgraph/expressions"

	"github.com/blues/jsonata-go/jparse"
)

// parseTree parses the tokens with jparse, which is an older dialect and keeps no
// positions in its tree. Each token is therefore written as a stand-in that holds
// its index and is of the older dialect: names as n7, variables as $v7, strings as
// "s7", numbers as 7, patterns as /r7/; ?? and ?: as or, which reads the same operands; the parent % as a
// variable; @$v and #$i, comments and signatures as nothing.
func parseTree(tokens []token) (root jparse.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, fmt.Errorf("jparse: %v", r)
		}
	}()
	var b strings.Builder
	drop := 0 // tokens up to here are written as nothing
	for i := range tokens {
		if i < drop {
			continue
		}
		if end := signatureEnd(tokens, i); end > i {
			drop = end
			continue
		}
		if (tokens[i].is("@") || tokens[i].is("#")) && i+1 < len(tokens) && tokens[i+1].kind == tokenVariable {
			drop = i + 2
			continue
		}
		b.WriteString(standIn(tokens, i))
		b.WriteByte(' ')
	}
	return jparse.Parse(b.String())
}

func standIn(tokens []token, i int) string {
	t := &tokens[i]
	switch t.kind {
	case tokenName:
		if isFunctionWord(t) && i+1 < len(tokens) && tokens[i+1].is("(") {
			return "function"
		}
		return "n" + strconv.Itoa(i)
	case tokenVariable:
		if t.value == "" || t.value == "$" {
			return t.text
		}
		return "$v" + strconv.Itoa(i)
	case tokenString:
		if i > 0 && tokens[i-1].is(".") {
			return "n" + strconv.Itoa(i)
		}
		return `"s` + strconv.Itoa(i) + `"`
	case tokenNumber:
		return strconv.Itoa(i)
	case tokenRegex:
		return "/r" + strconv.Itoa(i) + "/"
	case tokenWord:
		return t.text
	case tokenOperator:
	}
	switch {
	case t.text == "??" || t.text == "?:":
		return "or"
	case t.text == "%" && t.prefix:
		return "$parent"
	}
	return t.text
}

// beginsSignature tells whether a function's signature begins at i.
func beginsSignature(tokens []token, i int) bool {
	if !tokens[i].is("<") || i == 0 || !tokens[i-1].is(")") {
		return false
	}
	open := i - 2
	for open > 0 && (tokens[open].kind == tokenVariable || tokens[open].is(",")) {
		open-- // past the parameters
	}
	return open > 0 && tokens[open].is("(") && isFunctionWord(&tokens[open-1])
}

// checkSignatures refuses signatures that do not end: jparse v1.5.4 looks for the end
// of one for ever (extractSignature).
func checkSignatures(tokens []token) *expressions.SyntaxError {
	for i := range tokens {
		if beginsSignature(tokens, i) && signatureEnd(tokens, i) == i {
			return &expressions.SyntaxError{
				Offset: tokens[i].start, Token: "<", Message: "the function's signature is not closed", Hint: "add > before its body",
			}
		}
	}
	return nil
}

// signatureEnd is the index after the signature <…> that begins at i, or i.
func signatureEnd(tokens []token, i int) int {
	if !beginsSignature(tokens, i) {
		return i
	}
	depth := 0
	for j := i; j < len(tokens); j++ {
		switch {
		case tokens[j].is("<"):
			depth++
		case tokens[j].is(">"):
			if depth--; depth == 0 {
				return j + 1
			}
		}
	}
	return i
}

// tokenOf is the index that a stand-in holds.
func tokenOf(standIn string) (int, bool) {
	if standIn == "" {
		return 0, false
	}
	i, err := strconv.Atoi(standIn[1:])
	return i, err == nil
}
