package completion

import (
	"context"
	"strings"

	"toolgraph/expressions/shape"
)

// Description is what is known of a word of a text.
type Description struct {
	From, To int // the bytes of the word
	Candidate
}

// Describe returns what is known of the word around a byte of a text: the key, name, field or function
// that it is among the candidates of its place. ok is false for any other word.
func Describe(ctx context.Context, src string, offset int, known *Known) (d Description, ok bool) {
	offset = min(max(offset, 0), len(src))
	d.To = offset
	for d.To < len(src) && (isLetter(src[d.To]) || src[d.To] == '_' || src[d.To] == '$' && d.To == offset) {
		d.To++
	}
	if d.From = d.To - len(wordAtEnd(src[:d.To], "_$")); d.From == d.To {
		return d, false
	}
	for at := d.To; ; at++ { // ids and names of tools have other characters as well
		if d, ok = describe(ctx, src, at, d.From, known); ok || at == len(src) || !isLetter(src[at]) && !strings.ContainsRune("-_.", rune(src[at])) {
			return d, ok
		}
	}
}

func describe(ctx context.Context, src string, end, from int, known *Known) (d Description, ok bool) {
	d.From, d.To = from, end
	c, ok := newCursor(ctx, src, end, known)
	if !ok {
		return d, false
	}
	if path := c.path(c.node); c.node != nil && len(path) == 1 && path[0] == "id" && !c.inKey {
		return c.describeNode(d)
	}
	list := c.list()
	d.From = end - len(c.prefix)
	for _, candidate := range list {
		if candidate.Label == c.prefix && (candidate.Detail != "" || candidate.Doc != "") {
			d.Candidate = candidate
			return d, true
		}
	}
	return d, false
}

// describeNode describes a node by its output.
func (c *cursor) describeNode(d Description) (Description, bool) {
	id := c.node.word("id")
	if c.tool == nil {
		return d, false
	}
	g := c.graph()
	if g == nil || g.Node(id) == nil {
		return d, false
	}
	f := c.known.flow(c, g)
	if f == nil {
		return d, false
	}
	output := f.Node(id).Output
	d.From = d.To - len(c.prefix)
	d.Candidate = Candidate{Label: id, Kind: "node", Detail: "output: " + output.String()}
	if !output.MayBeNothing() && output.Members() != nil {
		d.Doc = fields(output)
	}
	return d, true
}

// fields lists the fields of a shape, one a line.
func fields(s shape.Shape) string {
	const most = 20
	var lines []string
	for _, f := range s.Members() {
		if len(lines) == most {
			lines = append(lines, "…")
			break
		}
		lines = append(lines, f.Name+": "+f.Shape.String())
	}
	return strings.Join(lines, "\n")
}
