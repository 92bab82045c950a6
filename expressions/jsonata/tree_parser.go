package jsonata

import (
	"sync"

	"toolgraph/internal/base/wording"
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

// power is how strongly an operator binds: left to the operand before it, right to the
// operand that follows.
type power struct{ left, right int }

var powers = sync.OnceValue(func() map[string]power {
	return map[string]power{
		"(": {80, 0}, "[": {80, 0}, "@": {80, 0}, "#": {80, 0}, ".": {75, 75}, "{": {70, 0},
		"*": {60, 60}, "/": {60, 60}, "%": {60, 60},
		"+": {50, 50}, "-": {50, 50}, "&": {50, 50},
		"=": {40, 40}, "!=": {40, 40}, "<": {40, 40}, "<=": {40, 40}, ">": {40, 40}, ">=": {40, 40}, "in": {40, 40}, "^": {40, 0},
		"~>": {40, 40}, "?:": {40, 0}, "??": {40, 0},
		"and": {30, 30}, "or": {25, 25},
		"?": {20, 0}, ":=": {10, 9},
	}
})

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
	p.fail(t.start, t.text, "found "+wording.Shorten(t.text)+", expected "+expected)
}

func (p *treeParser) fail(offset int, text, message string) {
	if p.fault == nil {
		p.fault = syntaxError(offset, text, message, "")
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
func (p *treeParser) made(kind Kind, text string, offset int, parts ...Tree) Tree {
	return Tree{Kind: kind, Text: text, Offset: offset, End: p.end(), Parts: parts}
}

// expression reads an operand and the operators that bind it more than least.
func (p *treeParser) expression(least int) Tree {
	left := p.operand()
	for p.fault == nil && p.pos < len(p.tokens) && p.tokens[p.pos].kind == tokenOperator {
		bind, known := powers()[p.tokens[p.pos].text]
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
	return p.made(OperatorKind, "..", first.Offset, first, last)
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
