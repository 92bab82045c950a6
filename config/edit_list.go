package config

import (
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// rewriteList is the lines of a list from the line below its key on.
func (e *editor) rewriteList(n *yaml.Node, want *Data, from int) string {
	indent := n.Column - 1
	chunks := make([]chunk, len(n.Content))
	for i, item := range n.Content {
		chunks[i] = chunk{item: item, from: from, to: e.stop(item)}
		from = e.nextLine(chunks[i].to)
	}
	lines := make([]string, len(want.Items))
	for i, wanted := range want.Items {
		at := counterpart(chunks, want, i)
		if at < 0 {
			w := writer{newline: e.newline()}
			w.item(wanted, indent)
			lines[i] = e.apart(chunks) + strings.Repeat(" ", indent) + w.text()
			continue
		}
		chunks[at].used = true
		lines[i] = e.rewriteItem(chunks[at], wanted, indent)
	}
	if below := e.below(chunks[len(chunks)-1].to, e.stop(n)); below != "" {
		lines = append(lines, below)
	}
	return strings.Join(lines, e.newline())
}

// chunk is an item of a list with the lines above it.
type chunk struct {
	item     *yaml.Node
	from, to int
	used     bool
}

// apart is the blank line that an item begins with where the others do.
func (e *editor) apart(chunks []chunk) string {
	if len(chunks) > 1 && len(strings.TrimSpace(string(e.src.line(e.src.pos(chunks[1].from).Line)))) == 0 {
		return e.newline()
	}
	return ""
}

func (e *editor) rewriteItem(c chunk, want *Data, indent int) string {
	if sameValue(c.item, want) {
		return string(e.src.data[c.from:c.to])
	}
	if text, ok := e.rewritten(c.item, want); ok {
		return string(e.src.data[c.from:e.start(c.item)]) + text
	}
	above := string(e.src.data[c.from:e.lineStart(e.start(c.item))])
	margin := strings.Repeat(" ", indent)
	own := *c.item
	own.HeadComment, own.FootComment = "", "" // these stand in lines that stay
	comment := e.commentOf(&own, "")
	if text := inline(want); e.isOneLine(c.item) && !hasLines(want) && indent+len("- ")+utf8.RuneCountInString(text) <= widest {
		return above + margin + "- " + text + comment
	}
	if comment != "" {
		above += margin + strings.TrimLeft(comment, " \t") + e.newline()
	}
	w := writer{newline: e.newline()}
	w.item(want, indent)
	return above + margin + w.text()
}

// isOneLine reports whether an item is written as one line, and not as a block would be.
func (e *editor) isOneLine(n *yaml.Node) bool {
	return (n.Kind == yaml.ScalarNode || n.Style&yaml.FlowStyle != 0) && e.lineEnd(e.start(n)) >= e.end(n)
}

// counterpart is the chunk of the item that the wanted item i was before, or -1: the
// same item, else that of its id or name, else, when there are as many, the one in its
// place if nothing else is made of that.
func counterpart(chunks []chunk, want *Data, i int) int {
	wanted := want.Items[i]
	at := slices.IndexFunc(chunks, func(c chunk) bool { return !c.used && sameValue(c.item, wanted) })
	if at >= 0 {
		return at
	}
	for _, key := range []string{"id", "name"} {
		if name := wanted.Get(key).textValue(); name != "" {
			at = slices.IndexFunc(chunks, func(c chunk) bool { return !c.used && word(followed(c.item), key) == name })
			if at >= 0 {
				return at
			}
		}
	}
	if len(chunks) != len(want.Items) || chunks[i].used || slices.ContainsFunc(want.Items, func(d *Data) bool { return sameName(chunks[i].item, d) }) {
		return -1
	}
	return i
}

// sameName reports whether two items have the same id or name, or are the same.
func sameName(n *yaml.Node, d *Data) bool {
	for _, key := range []string{"id", "name"} {
		if name := d.Get(key).textValue(); name != "" {
			return word(followed(n), key) == name
		}
	}
	return sameValue(n, d)
}
