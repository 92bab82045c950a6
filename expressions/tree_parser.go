package expressions

import (
	"fmt"
	"strconv"
	"strings"
)

// treeParser reads tokens into a Tree as jsonata-js 2.2.2 reads them: by the
// precedence of operators. It takes time linear in the tokens.
type treeParser struct {
	source string
	tokens []token
	pos    int
	fault  *SyntaxError // the first one
}

// parseTokens is the tree of the tokens. The error is that of the source: at the
// first token that does not fit.
func parseTokens(source string, tokens []token) (*Tree, *SyntaxError) {
	p := treeParser{source: source, tokens: tokens}
	root := p.expression(0)
	if p.fault == nil && p.pos < len(tokens) {
		p.refuse("an operator or the end")
	}
	if p.fault != nil {
		return nil, p.fault
	}
	return &root, nil
}

// power is how strongly an operator binds what stands before it; right is how
// strongly it binds what follows.
type power struct{ left, right int }

var powers = map[string]power{
	"(": {80, 0}, "[": {80, 0}, "@": {80, 0}, "#": {80, 0}, ".": {75, 75}, "{": {70, 0},
	"*": {60, 60}, "/": {60, 60}, "%": {60, 60},
	"+": {50, 50}, "-": {50, 50}, "&": {50, 50},
	"=": {40, 40}, "!=": {40, 40}, "<": {40, 40}, "<=": {40, 40}, ">": {40, 40}, ">=": {40, 40}, "in": {40, 40}, "^": {40, 0},
	"~>": {40, 40}, "?:": {40, 0}, "??": {40, 0},
	"and": {30, 30}, "or": {25, 25},
	"?": {20, 0}, ":=": {10, 9},
}

// transformPower ends the parts of a transform at their bar.
const transformPower = 20

// is reports whether the next token is that operator.
func (p *treeParser) is(operator string) bool {
	return p.fault == nil && p.pos < len(p.tokens) && p.tokens[p.pos].is(operator)
}

// accept passes the operator when it is next.
func (p *treeParser) accept(operator string) bool {
	if !p.is(operator) {
		return false
	}
	p.pos++
	return true
}

// expect passes the operator, which must be next.
func (p *treeParser) expect(operator string) {
	if !p.accept(operator) {
		p.refuse(operator)
	}
}

// refuse ends the parse at the next token, where something else was expected.
func (p *treeParser) refuse(expected string) {
	if p.pos < len(p.tokens) {
		p.refuseToken(&p.tokens[p.pos], expected)
		return
	}
	p.fail(len(p.source), "", "found the end of the expression, expected "+expected)
}

func (p *treeParser) refuseToken(t *token, expected string) {
	p.fail(t.start, t.text, "found "+shorten(t.text)+", expected "+expected)
}

func (p *treeParser) fail(offset int, text, message string) {
	if p.fault == nil {
		p.fault = &SyntaxError{Offset: offset, Token: text, Message: message}
	}
}

// next passes a token of any kind; there must be one.
func (p *treeParser) next(expected string) *token {
	if p.fault != nil || p.pos >= len(p.tokens) {
		p.refuse(expected)
		return &token{}
	}
	p.pos++
	return &p.tokens[p.pos-1]
}

// end is where the last token that was passed ends.
func (p *treeParser) end() int {
	if p.pos == 0 || p.pos > len(p.tokens) {
		return 0
	}
	return p.tokens[p.pos-1].end
}

// made is a part from offset up to here.
func (p *treeParser) made(kind, text string, offset int, parts ...Tree) Tree {
	return Tree{Kind: kind, Text: text, Offset: offset, End: p.end(), Parts: parts}
}

// expression reads an operand and the operators that bind it more than least.
func (p *treeParser) expression(least int) Tree {
	left := p.operand()
	for p.fault == nil && p.pos < len(p.tokens) && p.tokens[p.pos].kind == tokenOperator {
		bind, known := powers[p.tokens[p.pos].text]
		if !known || bind.left <= least {
			break
		}
		left = p.operator(left, p.next("an operator"), bind.right)
	}
	return left
}

// list reads expressions with separators between them up to the closing bracket.
func (p *treeParser) list(separator, closing string, parts []Tree) []Tree {
	if p.accept(closing) {
		return parts
	}
	for p.fault == nil {
		parts = append(parts, p.item(closing))
		if p.accept(closing) {
			break
		}
		if p.expectOne(separator, closing); separator == ";" && p.accept(closing) {
			break // a block may end with a semicolon
		}
	}
	return parts
}

// expectOne passes the separator, which or the closing bracket must be next.
func (p *treeParser) expectOne(separator, closing string) {
	if !p.accept(separator) {
		p.refuse(separator + " or " + closing)
	}
}

// item reads an item of a list; one of an array may be a range.
func (p *treeParser) item(closing string) Tree {
	first := p.expression(0)
	if closing != "]" || !p.accept("..") {
		return first
	}
	last := p.expression(0)
	return p.made("operator", "..", first.Offset, first, last)
}

// pairs reads keys and values up to the closing brace.
func (p *treeParser) pairs(parts []Tree) []Tree {
	if p.accept("}") {
		return parts
	}
	for p.fault == nil {
		parts = append(parts, p.expression(0))
		p.expect(":")
		parts = append(parts, p.expression(0))
		if p.accept("}") {
			break
		}
		p.expectOne(",", "}")
	}
	return parts
}

// operand reads what stands where an operand begins.
func (p *treeParser) operand() Tree {
	t := p.next("an operand")
	switch t.kind {
	case tokenName:
		if isFunctionWord(t) && p.is("(") {
			return p.function(t.start)
		}
		return p.made("name", t.value, t.start)
	case tokenVariable:
		if t.value == "" || t.value == "$" {
			return p.made("context", t.text, t.start)
		}
		return p.made("variable", t.value, t.start)
	case tokenString:
		if message := faultOfString(t.text[1 : len(t.text)-1]); message != "" {
			p.fail(t.start, t.text, "found "+shorten(t.text)+": "+message)
		}
		return p.made("string", t.value, t.start)
	case tokenNumber:
		if _, err := strconv.ParseFloat(t.value, 64); err != nil {
			p.refuseToken(t, "a number within float64")
		}
		return p.made("number", t.value, t.start)
	case tokenWord:
		return p.made("literal", t.value, t.start)
	case tokenRegex:
		made := p.made("pattern", t.value, t.start)
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
		return p.made("block", "", t.start, parts...)
	case "[":
		parts := p.list(",", "]", nil)
		return p.made("array", "", t.start, parts...)
	case "{":
		parts := p.pairs(nil)
		return p.made("object", "", t.start, parts...)
	case "|":
		return p.transform(t.start)
	case "-":
		value := p.expression(70)
		if value.Kind == "number" {
			text, negative := strings.CutPrefix(value.Text, "-")
			if !negative {
				text = "-" + text
			}
			return p.made("number", text, t.start)
		}
		return p.made("operator", "-", t.start, value)
	case "*":
		return p.made("wildcard", "*", t.start)
	case "**":
		return p.made("descendants", "**", t.start)
	case "%":
		return p.made("parent", "%", t.start)
	case "?":
		return p.made("placeholder", "?", t.start)
	}
	p.refuseToken(t, "an operand")
	return Tree{}
}

// function reads a function's parameters and body; its signature is its text.
func (p *treeParser) function(offset int) Tree {
	p.expect("(")
	parts := p.list(",", ")", nil)
	for i := range parts {
		if parts[i].Kind != "variable" && p.fault == nil {
			text := p.source[parts[i].Offset:parts[i].End]
			p.fail(parts[i].Offset, text, "found "+shorten(text)+", expected a $variable as a parameter")
		}
		parts[i].Kind = "parameter"
	}
	signature := p.signature()
	p.expect("{")
	parts = append(parts, p.expression(0))
	p.expect("}")
	return p.made("function", signature, offset, parts...)
}

// signature passes the types of a function's parameters, <…>; empty without one.
func (p *treeParser) signature() string {
	if p.fault != nil || p.pos >= len(p.tokens) || !beginsSignature(p.tokens, p.pos) {
		return ""
	}
	start, end := p.pos, signatureEnd(p.tokens, p.pos)
	text := ""
	for i := start; i < end; i++ {
		text += p.tokens[i].text
	}
	p.pos = end
	if _, fault := parseSignature(text); fault != "" {
		p.fail(p.tokens[start].start, text, "found "+shorten(text)+": "+fault)
	}
	return text
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
	return p.made("transform", "", offset, parts...)
}

// operator reads what follows the operator, which has been passed; right is how
// strongly it binds that.
func (p *treeParser) operator(left Tree, t *token, right int) Tree {
	switch operator := t.text; operator {
	case "(":
		return p.call(left)
	case "[":
		return p.predicate(left)
	case ".":
		return p.path(left, p.expression(right))
	case "@", "#":
		kind := map[string]string{"@": "focus", "#": "index"}[operator]
		name := p.next("a $variable")
		if p.fault == nil && (name.kind != tokenVariable || name.value == "" || name.value == "$") {
			p.refuseToken(name, "a $variable")
		}
		return p.made(kind, name.value, left.Offset, left)
	case "{":
		parts := p.pairs([]Tree{left})
		return p.made("group", "", left.Offset, parts...)
	case "^":
		p.expect("(")
		return p.sort(left)
	case "?":
		parts := []Tree{left, p.expression(0)}
		if p.accept(":") {
			parts = append(parts, p.expression(0))
		}
		return p.made("conditional", "", left.Offset, parts...)
	case ":=":
		if left.Kind != "variable" {
			p.fail(t.start, t.text, "found :=, expected a $variable before it")
		}
		value := p.expression(right)
		return p.made("assignment", "", left.Offset, left, value)
	}
	value := p.expression(right)
	made := p.made("operator", t.text, left.Offset, left, value)
	made.place = t.start
	return made
}

func (p *treeParser) call(callee Tree) Tree {
	kind, parts := "call", p.list(",", ")", []Tree{callee})
	for i := range parts {
		if parts[i].Kind == "placeholder" {
			kind = "partial call"
		}
	}
	return p.made(kind, "", callee.Offset, parts...)
}

// predicate reads a filter, an index, or the closing bracket of [].
func (p *treeParser) predicate(left Tree) Tree {
	if p.accept("]") {
		if left.Kind == "keep" {
			left.End = p.end()
			return left
		}
		return p.made("keep", "[]", left.Offset, left)
	}
	filter := p.expression(0)
	p.expect("]")
	if left.Kind == "predicate" {
		return p.made("predicate", "", left.Offset, append(left.Parts, filter)...)
	}
	return p.made("predicate", "", left.Offset, left, filter)
}

// sort reads the terms of an order; its text is their directions, < or > each.
func (p *treeParser) sort(left Tree) Tree {
	parts, directions := []Tree{left}, ""
	for p.fault == nil {
		direction := "<"
		if !p.accept("<") && p.accept(">") {
			direction = ">"
		}
		directions += direction
		parts = append(parts, p.expression(0))
		if p.accept(")") {
			break
		}
		p.expectOne(",", ")")
	}
	return p.made("sort", directions, left.Offset, parts...)
}

// path adds a step; a text that is one is a name. The steps of left belong to this
// parser, which has no other use for them.
func (p *treeParser) path(left, right Tree) Tree {
	steps := left.Parts
	if left.Kind != "path" {
		steps = []Tree{p.step(left)}
	}
	return p.made("path", "", left.Offset, append(steps, p.step(right))...)
}

// step is a part as a step of a path.
func (p *treeParser) step(part Tree) Tree {
	switch part.Kind {
	case "string":
		part.Kind = "name"
	case "number", "literal":
		p.fail(part.Offset, part.Text, fmt.Sprintf("found %s, which cannot be a step of a path", shorten(part.Text)))
	}
	return part
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
