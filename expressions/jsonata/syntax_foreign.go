package jsonata

import (
	"strings"
	"sync"
)

// foreignOperators are what other languages have and JSONata has not, longest
// first, with what to write here. None of them is ever part of a source that
// compiles: they are looked for only in one that does not.
var foreignOperators = []struct{ text, hint string }{
	{"===", "write ="},
	{"!==", "write !="},
	{"...", "write $merge([a, b]) to join two objects"},
	{"==", "write ="},
	{"<>", "write !="},
	{"&&", "write and"},
	{"||", "write or"},
	{"=>", "write function($x){ … }"},
	{"->", "write function($x){ … }"},
	{"?.", "write . alone: a field that is missing yields nothing"},
}

// foreignWords are words of other languages that precede an operand.
var foreignWords = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"not":    "write $not(…)",
		"return": "leave it out: the last expression is the value",
		"let":    "write ($x := …; …)",
		"const":  "write ($x := …; …)",
		"var":    "write ($x := …; …)",
	}
})

// located replaces the error of a source by a more helpful one when the source has syntax of
// another language there.
func located(source string, tokens []token, fault *SyntaxError) *SyntaxError {
	if err := foreign(source, tokens, fault.Offset); err != nil {
		return err
	}
	return fault
}

// foreign returns the syntax error of a source that failed at a byte because of syntax of
// another language; nil when there is none.
func foreign(source string, tokens []token, failed int) *SyntaxError {
	if err := foreignTemplate(source, tokens, failed); err != nil {
		return err
	}
	depth := 0
	for i := range tokens {
		t := &tokens[i]
		switch {
		case t.start > failed:
			return nil
		case t.kind == tokenName && foreignWords()[t.text] != "" && i+1 < len(tokens) && tokens[i+1].start == failed:
			return syntaxError(t.start, t.text, "found "+t.text+", which is not a JSONata word", foreignWords()[t.text])
		case t.kind != tokenOperator:
			continue
		case t.is("(") || t.is("{") || t.is("["):
			depth++
		case t.is(")") || t.is("}") || t.is("]"):
			depth--
		case t.is(";") && t.start == failed && depth == 0:
			return syntaxError(t.start, t.text, "found ; outside parentheses", "put ( ) around several expressions")
		}
		for _, operator := range foreignOperators {
			if t.start+len(operator.text) >= failed && strings.HasPrefix(source[t.start:], operator.text) {
				return foreignOperator(t.start, operator.text, operator.hint)
			}
		}
		if t.is("!") && t.start == failed {
			return foreignOperator(t.start, t.text, "write $not(…)")
		}
	}
	return nil
}

func foreignOperator(offset int, text, hint string) *SyntaxError {
	return syntaxError(offset, text, "found "+text+", which is not a JSONata operator", hint)
}

// plainPath returns the names of a source that is a path of names and no more, as in
// $.a.b or .a.b, separated by dots; "" for another.
func plainPath(source string) string {
	source = strings.TrimPrefix(strings.TrimPrefix(source, "$"), ".")
	tokens, fault := readTokens(source)
	if fault != nil {
		return ""
	}
	tree, fault := parseTokens(source, tokens)
	if fault != nil {
		return ""
	}
	steps := []Tree{*tree}
	if tree.Kind == PathKind {
		steps = tree.Parts
	}
	names := make([]string, len(steps))
	for i := range steps {
		if steps[i].Kind != NameKind {
			return ""
		}
		names[i] = steps[i].Text
	}
	return strings.Join(names, ".")
}

// foreignTemplate finds the {{…}} or ${…} of a template that holds the place.
func foreignTemplate(source string, tokens []token, failed int) *SyntaxError {
	for i := 0; i+1 < len(tokens) && tokens[i].start <= failed; i++ {
		head, brace := &tokens[i], &tokens[i+1]
		if !brace.is("{") || brace.start != head.end || !head.is("{") && (head.kind != tokenVariable || head.value != "") {
			continue
		}
		end := closingBracket(tokens, i+1)
		if tokens[end].end < failed {
			continue
		}
		found, hint := head.text+"{", "remove the braces"
		if path := plainPath(strings.TrimSpace(source[brace.end:tokens[end].start])); path != "" {
			hint = "write $." + path
		}
		return syntaxError(head.start, found, "found "+found+", but an expression is not a template", hint)
	}
	return nil
}

// closingBracket is the index of the partner of the bracket at i; checkBrackets has found
// that it exists.
func closingBracket(tokens []token, i int) int {
	for depth := 0; ; i++ {
		switch t := &tokens[i]; {
		case t.is("(") || t.is("[") || t.is("{"):
			depth++
		case t.is(")") || t.is("]") || t.is("}"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
}
