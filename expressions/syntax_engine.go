package expressions

import "strings"

// engineSource is the tokens as the engine reads them right. gnata v0.2.2
//   - takes a slash after "]", after a block of several expressions and after a
//     function's body for the start of a regular expression (internal/parser,
//     parseSubscript): x[0] / 2 becomes x[0] *1/ 2;
//   - counts brackets in a regular expression that are escaped (internal/lexer):
//     /\(/ becomes /\x28/;
//   - does not flatten in the steps * and $ behind others, and walks ** in quadratic
//     time without looking at the context (internal/evaluator, evalWildcard,
//     descendantLookup): they become calls of our stepFunctions;
//   - searches all matches for text ~> /pattern/ (applyRegexTest);
//   - groups nothing to nothing, jsonata-js to {} (evalGroupBy): a{k: v} becomes
//     (a{k: v} ?? {});
//   - forgets [] behind a first name inside another expression (evalName): a[]
//     becomes $.a[];
//   - binds ?? and ?: more weakly than and, or (internal/parser, bindingPower): a or b ?? c
//     becomes a or (b ?? c);
//   - writes what & joins without limits, in quadratic time for nested objects
//     (stringifyValue): a & b becomes $§text(a) & $§text(b);
//   - lets |$|{"a": $}| make an object that contains itself, and dies of it at the
//     next transform (deepClone): the update is copied by $§copy.
func engineSource(tokens []token) string {
	var b strings.Builder
	rewritten := rewrite(tokens)
	for i := range tokens {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(rewritten.before[i])
		t := &tokens[i]
		switch {
		case t.is("/") && i > 0 && (tokens[i-1].is("]") || tokens[i-1].is("}") || tokens[i-1].is(")")):
			b.WriteString("*1/")
		case t.kind == tokenRegex && i > 0 && tokens[i-1].is("~>"):
			b.WriteString("$" + hidden + "find(")
			writeRegex(&b, t.text)
			b.WriteString(")")
		case t.kind == tokenRegex:
			writeRegex(&b, t.text)
		default:
			b.WriteString(step(tokens, i))
		}
		b.WriteString(rewritten.after[i])
	}
	return b.String()
}

// step is the token at i as the engine shall read it.
func step(tokens []token, i int) string {
	t := &tokens[i]
	if i+1 < len(tokens) && (tokens[i+1].is("@") || tokens[i+1].is("#")) {
		return t.text
	}
	switch {
	case t.kind == tokenName && t.prefix && keepsArray(tokens, i+1) && (i == 0 || !tokens[i-1].is(".")) && simple(tokens):
		return "$." + t.text
	case t.is("**") && t.prefix:
		return "$" + hidden + "all()"
	case i == 0 || !tokens[i-1].is("."):
	case t.is("*"):
		return "$" + hidden + "any()"
	case t.kind == tokenVariable && t.value == "":
		return "$" + hidden + "self()"
	}
	return t.text
}

// keepsArray tells whether [] stands at i.
func keepsArray(tokens []token, i int) bool {
	return i+1 < len(tokens) && tokens[i].is("[") && tokens[i+1].is("]")
}

var escapedBrackets = map[byte]string{'(': `\x28`, ')': `\x29`, '[': `\x5b`, ']': `\x5d`, '{': `\x7b`, '}': `\x7d`}

func writeRegex(b *strings.Builder, text string) {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		if hex, ok := escapedBrackets[text[i]]; ok {
			b.WriteString(hex)
			continue
		}
		b.WriteString(text[i-1 : i+1])
	}
}
