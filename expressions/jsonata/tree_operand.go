package jsonata

import (
	"strconv"
	"strings"

	"toolgraph/internal/base/wording"
)

// operand reads what stands where an operand begins.
func (p *treeParser) operand() Tree {
	t := p.next("an operand")
	switch t.kind {
	case tokenName:
		if isFunctionWord(t) && p.is("(") {
			return p.function(t.start)
		}
		return p.made(NameKind, t.value, t.start)
	case tokenVariable:
		if t.value == "" || t.value == "$" {
			return p.made(ContextKind, t.text, t.start)
		}
		return p.made(VariableKind, t.value, t.start)
	case tokenString:
		if message := faultOfString(t.text[1 : len(t.text)-1]); message != "" {
			p.fail(t.start, t.text, "found "+wording.Shorten(t.text)+": "+message)
		}
		return p.made(StringKind, t.value, t.start)
	case tokenNumber:
		if _, err := strconv.ParseFloat(t.value, 64); err != nil {
			p.refuseToken(t, "a number within float64")
		}
		return p.made(NumberKind, t.value, t.start)
	case tokenWord:
		return p.made(LiteralKind, t.value, t.start)
	case tokenRegex:
		made := p.made(PatternKind, t.value, t.start)
		made.flags = t.text[strings.LastIndexByte(t.text, '/')+1:]
		return made
	case tokenOperator:
	}
	return p.bracket(t)
}

// bracket reads the operand that begins with an operator or a bracket.
func (p *treeParser) bracket(t *token) Tree {
	switch t.text {
	case "(":
		parts := p.list(";", ")", nil)
		return p.made(BlockKind, "", t.start, parts...)
	case "[":
		parts := p.list(",", "]", nil)
		return p.made(ArrayKind, "", t.start, parts...)
	case "{":
		parts := p.pairs(nil)
		return p.made(ObjectKind, "", t.start, parts...)
	case "|":
		return p.transform(t.start)
	case "-":
		value := p.expression(70)
		if value.Kind == NumberKind {
			text, negative := strings.CutPrefix(value.Text, "-")
			if !negative {
				text = "-" + text
			}
			return p.made(NumberKind, text, t.start)
		}
		return p.made(OperatorKind, "-", t.start, value)
	case "*":
		return p.made(WildcardKind, "*", t.start)
	case "**":
		return p.made(DescendantsKind, "**", t.start)
	case "%":
		return p.made(ParentKind, "%", t.start)
	case "?":
		return p.made(PlaceholderKind, "?", t.start)
	}
	p.refuseToken(t, "an operand")
	return Tree{}
}

// function reads a function's parameters and body; its signature is its text.
func (p *treeParser) function(offset int) Tree {
	p.expect("(")
	parts := p.list(",", ")", nil)
	for i := range parts {
		if parts[i].Kind != VariableKind && p.fault == nil {
			text := p.source[parts[i].Offset:parts[i].End]
			p.fail(parts[i].Offset, text, "found "+wording.Shorten(text)+", expected a $variable as a parameter")
		}
		parts[i].Kind = ParameterKind
	}
	signature := p.signature()
	p.expect("{")
	parts = append(parts, p.expression(0))
	p.expect("}")
	return p.made(FunctionKind, signature, offset, parts...)
}

// signature passes the types of a function's parameters, <…>; empty without one.
func (p *treeParser) signature() string {
	if !p.is("<") {
		return ""
	}
	first := &p.tokens[p.pos]
	text := ""
	for depth := 0; p.pos < len(p.tokens); {
		t := &p.tokens[p.pos]
		p.pos++
		text += t.text
		switch {
		case t.is("<"):
			depth++
		case t.is(">"):
			depth--
		}
		if depth == 0 {
			if _, fault := parseSignature(text); fault != "" {
				p.fail(first.start, text, "found "+wording.Shorten(text)+": "+fault)
			}
			return text
		}
	}
	p.fail(first.start, "<", "the function's signature is not closed")
	p.fault.Hint = "add > before its body"
	return ""
}

// transform reads |pattern|update, deletion| behind its first bar.
func (p *treeParser) transform(offset int) Tree {
	parts := []Tree{p.expression(transformPower)}
	p.expect("|")
	parts = append(parts, p.expression(transformPower))
	if p.accept(",") {
		parts = append(parts, p.expression(transformPower))
	}
	p.expect("|")
	return p.made(TransformKind, "", offset, parts...)
}

// faultOfString is what is wrong with the escapes of a string literal, or empty.
func faultOfString(text string) string {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++
		switch {
		case i >= len(text):
			return ""
		case text[i] == 'u':
			if i+4 >= len(text) {
				return "\\u must be followed by four hexadecimal digits"
			}
			if _, err := strconv.ParseUint(text[i+1:i+5], 16, 16); err != nil {
				return "\\u must be followed by four hexadecimal digits"
			}
		case !strings.ContainsRune("\"\\/bfnrt", rune(text[i])):
			return "a backslash in a string must be followed by one of \"\\/bfnrtu"
		}
	}
	return ""
}
