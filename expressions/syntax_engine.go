package expressions

import "strings"

// engineSource is the tokens as the engine reads them right. gnata v0.2.2
//   - takes a slash after "]", after a block of several expressions and after a
//     function's body for the start of a regular expression (internal/parser,
//     parseSubscript): x[0] / 2 becomes x[0] *1/ 2;
//   - counts brackets in a regular expression that are escaped (internal/lexer):
//     /\(/ becomes /\x28/.
func engineSource(tokens []token) string {
	var b strings.Builder
	for i := range tokens {
		t := &tokens[i]
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case t.is("/") && i > 0 && (tokens[i-1].is("]") || tokens[i-1].is("}") || tokens[i-1].is(")")):
			b.WriteString("*1/")
		case t.kind == tokenRegex:
			writeRegex(&b, t.text)
		default:
			b.WriteString(t.text)
		}
	}
	return b.String()
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
