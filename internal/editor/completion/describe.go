package completion

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/internal/base/wording"
)

// Description is what is known of a word of a text.
type Description struct {
	From, To int // the bytes of the word
	Candidate

	Facts []Fact   // what else is known, each on a line
	Value *Reading // nil: the word is no value of a run
}

// Fact is a line of a description, under its name.
type Fact struct{ Name, Text string }

// Reading is the value of a run that a word stands for: an expression over the context of a run of the tool,
// which begins with the output of a node.
type Reading struct{ Tool, Node, Expr string }

// Describe returns what is known of the word around a byte of a text: the key, name, field or function
// that it is among the candidates of its place. ok is false for any other word.
func Describe(ctx context.Context, src string, offset int, known *Known) (d Description, ok bool) {
	offset = min(max(offset, 0), len(src))
	if d, ok := describeOperator(ctx, src, offset, known); ok {
		return d, true
	}
	d.To = offset
	for d.To < len(src) && (isLetter(src[d.To]) || src[d.To] == '_' || src[d.To] == '$' && d.To == offset) {
		d.To++
	}
	if d.From = d.To - len(wordAtEnd(src[:d.To], "_$")); d.From == d.To {
		return d, false
	}
	for at := d.To; ; at++ { // ids and names of tools have other characters as well
		if d, ok = describe(ctx, src, at, d.From, known); ok && d.From > offset {
			return d, false // a word behind the one at the place
		} else if ok || at == len(src) || at-offset > mostName || !isLetter(src[at]) && !strings.ContainsRune("-_.:", rune(src[at])) {
			return d, ok
		}
	}
}

// mostName bounds the names that are looked for behind a place: each is a look at the whole text.
const mostName = 150

// describeOperator describes an operator of a rule that is no word, such as >=.
func describeOperator(ctx context.Context, src string, offset int, known *Known) (d Description, ok bool) {
	const signs = "!<>=+-*/%?:"
	from, to := offset, offset
	for from > 0 && strings.IndexByte(signs, src[from-1]) >= 0 {
		from--
	}
	for to < len(src) && strings.IndexByte(signs, src[to]) >= 0 {
		to++
	}
	if to < len(src) && (src[to] == '"' || src[to] == '\'') && from > 0 && src[from-1] == src[to] {
		if c, ok := newCursor(ctx, src, to, known); ok && c.inKey && c.inRule(c.path(cmp.Or(c.node, c.root))) {
			d = Description{From: from, To: to, Candidate: Candidate{Label: src[from:to], Kind: "function", Detail: "operator of rules", Doc: docOfOperator(src[from:to])}}
			return d, d.Doc != ""
		}
	}
	return d, false
}

func describe(ctx context.Context, src string, end, from int, known *Known) (d Description, ok bool) {
	d.From, d.To = from, end
	c, ok := newCursor(ctx, src, end, known)
	if !ok {
		return d, false
	}
	if path := c.path(c.node); c.node != nil && len(path) == 1 && path[0] == "id" && !c.inKey {
		d.From, d.Candidate = end-len(c.prefix), Candidate{Label: c.node.word("id"), Kind: "node"}
		c.addNode(&d)
		return d, d.Detail != ""
	}
	if c.tool != nil && c.of.parent == c.tool && c.of.key == "name" && !c.inKey {
		d.From, d.Candidate = end-len(c.prefix), Candidate{Label: c.tool.word("name"), Kind: "tool", Doc: c.tool.word("description")}
		c.addOwnTool(&d)
		return d, true
	}
	list := c.list()
	d.From = end - len(c.prefix)
	for _, candidate := range list {
		if candidate.Label == c.prefix && candidate.Kind != "snippet" && (candidate.Detail != "" || candidate.Doc != "") {
			d.Candidate = candidate
			c.addFacts(&d)
			return d, true
		}
	}
	return d, false
}

// addFacts adds what else is known of a candidate.
func (c *cursor) addFacts(d *Description) {
	if of := d.of; of != nil {
		d.fact("value", valuesOf(of))
		d.fact("default", jsonText(of["default"]))
	}
	switch d.Kind {
	case "node":
		c.addNode(d)
	case "tool":
		c.addTool(d)
	case "server":
		var names []string
		for _, t := range c.tools(d.Label) {
			names = append(names, t.Name)
		}
		d.fact("tools", strings.Join(names, ", "))
	case "field":
		if s, ok := c.expression(); ok {
			c.addField(d, s)
		}
	}
}

// fact adds a line, unless it is empty.
func (d *Description) fact(name, text string) {
	if text != "" {
		d.Facts = append(d.Facts, Fact{name, text})
	}
}

// chain is a path of names at the end of a text, with indexes.
var chain = wording.Pattern("(?:\\$\\$?\\.)?(?:[A-Za-z_]\\w*|`[^`]+`)(?:\\[-?\\d+\\])*(?:\\.(?:[A-Za-z_]\\w*|`[^`]+`)(?:\\[-?\\d+\\])*)*$")

// addField adds the fields of a value, where its type comes from, and where a run has it.
func (c *cursor) addField(d *Description, s source) {
	if list, isRead := fieldsBelow(c, s); isRead {
		d.Doc = cmp.Or(d.Doc, list)
	}
	path := chain().FindString(s.before)
	start := len(s.before) - len(path)
	if path == "" || start > 0 && strings.IndexByte(".)]", s.before[start-1]) >= 0 {
		return
	}
	e, err := jsonata.CompileVar(c.ctx, path)
	if err != nil || len(e.References()) != 1 || c.tool == nil || c.isRelative(start) {
		return
	}
	node := e.References()[0].Path[0]
	if c.isStep() {
		if detail := d.Detail; node == d.Label && len(e.References()[0].Path) == 1 {
			c.addNode(d)
			d.Detail = detail
		}
		return
	}
	if g := c.graph(); g == nil || g.Node(node) == nil {
		return
	}
	if node == d.Label && len(e.References()[0].Path) == 1 {
		detail := d.Detail
		if c.addNode(d); detail != "" {
			d.Detail = detail
		}
	} else {
		d.fact("type from", c.typeFrom(node))
	}
	d.Value = &Reading{Tool: c.tool.word("name"), Node: node, Expr: path}
}

// isRelative reports whether the path at a byte of the expression at the cursor is read from something else
// than the context, as in a predicate. It is unknown while the expression does not compile, and then not said.
func (c *cursor) isRelative(start int) bool {
	whole := strings.ReplaceAll(c.of.text, mark, "")
	e, err := jsonata.CompileVar(c.ctx, whole)
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(e.References(), func(r jsonata.Reference) bool {
		return r.Offset == start || r.Offset == start+len("$.") || r.Offset == start+len("$$.")
	})
}

// fieldsBelow lists the fields of the value at the cursor.
func fieldsBelow(c *cursor, s source) (string, bool) {
	closing, open := closers(s.before)
	if !open {
		return "", false
	}
	env, _ := c.envOf(s)
	of, known := c.probe(env, s.before+"."+shape.Probed+closing)
	if !known || len(of.Members()) == 0 {
		return "", false
	}
	return fields(of), true
}

// mostFields bounds the fields that a description lists.
const mostFields = 20

// fields lists the fields of a shape, one a line.
func fields(s shape.Shape) string {
	var lines []string
	for _, f := range s.Members() {
		if len(lines) == mostFields {
			lines = append(lines, "…")
			break
		}
		name := f.Name
		if f.Optional {
			name += "?"
		}
		lines = append(lines, name+": "+f.Shape.String())
	}
	return strings.Join(lines, "\n")
}

// mostText bounds a text of a description.
const mostText = 600

func short(text string) string { return wording.Truncate(text, mostText) }
