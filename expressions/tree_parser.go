package expressions

// treeParser reads tokens into a Tree as the engine understands them: by the
// precedence of operators (gnata v0.2.2, internal/parser, bindingPower). The tokens
// are known to compile; what is unexpected nevertheless gives no tree.
type treeParser struct {
	tokens []token
	pos    int
	failed bool
}

// treeOf is the tokens' tree, or nil when there is none.
func treeOf(tokens []token) *Tree {
	p := treeParser{tokens: tokens}
	root := p.expression(0)
	if p.failed || p.pos < len(tokens) {
		return nil
	}
	return &root
}

// power is how strongly an operator binds what stands before it; right is how
// strongly it binds what follows.
type power struct{ left, right int }

var powers = map[string]power{
	"(": {80, 0}, "[": {80, 0}, ".": {75, 74}, "@": {75, 0}, "#": {75, 0}, "{": {70, 0},
	"*": {60, 60}, "/": {60, 60}, "%": {60, 60}, "**": {60, 60},
	"+": {50, 50}, "-": {50, 50}, "&": {50, 50},
	"~>": {45, 44},
	"=":  {40, 40}, "!=": {40, 40}, "<": {40, 40}, "<=": {40, 40}, ">": {40, 40}, ">=": {40, 40}, "in": {40, 40}, "^": {40, 0},
	"and": {30, 30}, "or": {25, 25},
	"?:": {40, 0}, "??": {40, 0}, // as jsonata-js has them, see rewriting.defaults
	"..": {20, 19}, "?": {20, 0}, ":=": {10, 9},
}

// transformPower ends the parts of a transform at their bar.
const transformPower = 20

// is tells whether the next token is that operator.
func (p *treeParser) is(operator string) bool {
	return !p.failed && p.pos < len(p.tokens) && p.tokens[p.pos].is(operator)
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
		p.failed = true
	}
}

// next passes a token, of whatever kind; there must be one.
func (p *treeParser) next() *token {
	if p.failed || p.pos >= len(p.tokens) {
		p.failed = true
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
	for !p.failed && p.pos < len(p.tokens) && p.tokens[p.pos].kind == tokenOperator {
		bind, known := powers[p.tokens[p.pos].text]
		if !known || bind.left <= least {
			break
		}
		left = p.operator(left, p.next().text, bind.right)
	}
	return left
}

// list reads expressions with separators between them up to the closing bracket.
func (p *treeParser) list(separator, closing string, parts []Tree) []Tree {
	for !p.failed && !p.accept(closing) {
		parts = append(parts, p.expression(0))
		if !p.accept(separator) && !p.is(closing) {
			p.failed = true
		}
	}
	return parts
}

// pairs reads keys and values up to the closing brace.
func (p *treeParser) pairs(parts []Tree) []Tree {
	for !p.failed && !p.accept("}") {
		parts = append(parts, p.expression(0))
		p.expect(":")
		parts = append(parts, p.expression(0))
		if !p.accept(",") && !p.is("}") {
			p.failed = true
		}
	}
	return parts
}

// operand reads what stands where an operand begins.
func (p *treeParser) operand() Tree {
	t := p.next()
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
		return p.made("string", t.value, t.start)
	case tokenNumber:
		return p.made("number", t.value, t.start)
	case tokenWord:
		return p.made("literal", t.value, t.start)
	case tokenRegex:
		return p.made("pattern", t.value, t.start)
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
			return p.made("number", "-"+value.Text, t.start)
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
	p.failed = true
	return Tree{}
}

// function reads a function's parameters and body; its signature is its text.
func (p *treeParser) function(offset int) Tree {
	p.expect("(")
	parts := p.list(",", ")", nil)
	for i := range parts {
		if parts[i].Kind != "variable" {
			p.failed = true
		}
		parts[i].Kind = "parameter"
	}
	signature := ""
	for !p.failed && !p.is("{") {
		signature += p.next().text
	}
	p.expect("{")
	parts = append(parts, p.expression(0))
	p.expect("}")
	return p.made("function", signature, offset, parts...)
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
func (p *treeParser) operator(left Tree, operator string, right int) Tree {
	switch operator {
	case "(":
		return p.call(left)
	case "[":
		return p.predicate(left)
	case ".":
		return p.path(left, p.expression(right))
	case "@", "#":
		kind := map[string]string{"@": "focus", "#": "index"}[operator]
		return p.made(kind, p.next().value, left.Offset, left)
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
		value := p.expression(right)
		return p.made("assignment", "", left.Offset, left, value)
	}
	value := p.expression(right)
	return p.made("operator", operator, left.Offset, left, value)
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
		return p.made("keep", "[]", left.Offset, left)
	}
	filter := p.expression(0)
	p.expect("]")
	if left.Kind == "predicate" {
		return p.made("predicate", "", left.Offset, append(left.Parts[:len(left.Parts):len(left.Parts)], filter)...)
	}
	return p.made("predicate", "", left.Offset, left, filter)
}

func (p *treeParser) sort(left Tree) Tree {
	parts := []Tree{left}
	for !p.failed && !p.accept(")") {
		if !p.accept("<") {
			p.accept(">")
		}
		parts = append(parts, p.expression(0))
		if !p.accept(",") && !p.is(")") {
			p.failed = true
		}
	}
	return p.made("sort", "", left.Offset, parts...)
}

// path joins steps; a text that is one of them is a name.
func (p *treeParser) path(left, right Tree) Tree {
	var steps []Tree
	for _, side := range []Tree{left, right} {
		if side.Kind == "path" {
			steps = append(steps, side.Parts...)
			continue
		}
		if side.Kind == "string" {
			side.Kind = "name"
		}
		steps = append(steps, side)
	}
	return p.made("path", "", left.Offset, steps...)
}
