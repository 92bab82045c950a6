package config

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// stop returns the end of the last line of a node, including a comment on that line and comments
// below it with the indentation of its parts.
func (e *editor) stop(n *yaml.Node) int {
	stop := e.lineEnd(e.end(n))
	if n.Kind == yaml.ScalarNode || n.Kind == yaml.AliasNode || n.Style&yaml.FlowStyle != 0 || len(n.Content) == 0 {
		return stop
	}
	indent := n.Content[0].Column - 1
	if n.Kind == yaml.SequenceNode {
		indent = n.Column - 1
	}
	for next := e.nextLine(stop); next < len(e.src.data); next = e.nextLine(next) {
		line := string(e.src.data[next:e.lineEnd(next)])
		text := strings.TrimLeft(line, " ")
		if strings.TrimSpace(text) != "" && (text[0] != '#' || len(line)-len(text) < indent) {
			break
		}
		if text != "" && text[0] == '#' {
			stop = e.lineEnd(next)
		}
	}
	return stop
}

// pairStop is stop for a key and its value.
func (e *editor) pairStop(key, value *yaml.Node) int {
	return max(e.lineEnd(e.end(key)), e.stop(value))
}

// rewritten returns the text that replaces source[start:stop] of a node, with equal parts
// unchanged. It is not ok when the whole node must be written again.
func (e *editor) rewritten(n *yaml.Node, want *Data) (text string, ok bool) {
	if e.sameValue(n, want) {
		return string(e.src.data[e.start(n):e.stop(n)]), true
	}
	if n.Kind != yaml.MappingNode || want.Kind != KindObject || n.Style&yaml.FlowStyle != 0 || len(n.Content) == 0 || len(want.Keys) == 0 {
		return "", false
	}
	for i := 0; i < len(n.Content); i += 2 {
		if isMerge(n.Content[i]) || n.Content[i].Kind != yaml.ScalarNode {
			return "", false
		}
	}
	if !e.isRegular(n) {
		return "", false
	}
	return e.rewriteMapping(n, want), true
}

// rewriteMapping rewrites a mapping with one key per line.
func (e *editor) rewriteMapping(n *yaml.Node, want *Data) string {
	indent := n.Content[0].Column - 1
	lead := string(e.src.data[e.start(n):e.start(n.Content[0])]) // an anchor
	var lines []string                                           // each with the lines above it
	gap, above := "", ""                                         // the lines above the next key, and those of them that are directly above it
	fresh := newKeys(n, want)
	moved := map[*yaml.Node]bool{} // the keys whose comments are above a new one
	for i, from := 0, e.start(n.Content[0]); i+1 < len(n.Content) && e.keeps; i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		moved[key] = want.Get(key.Value) == nil && e.moveRemarks(key, value, from, want, fresh)
		from = e.nextLine(e.pairStop(key, value))
	}
	for _, i := range fresh[""] {
		lines = append(lines, e.freshPair(want, i, indent))
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		end := e.pairStop(key, value)
		if !moved[key] {
			gap += above
		}
		if wanted := want.Get(key.Value); wanted != nil {
			lines = append(lines, gap+e.rewritePair(key, value, wanted, indent))
			gap = ""
		} else if !moved[key] {
			gap += e.above(e.remarks(e.start(key), end), indent)
		}
		for _, j := range fresh[key.Value] {
			lines = append(lines, e.freshPair(want, j, indent))
		}
		if i+2 < len(n.Content) {
			above = string(e.src.data[e.nextLine(end):e.lineStart(e.start(n.Content[i+2]))])
		} else {
			above = e.below(end, e.stop(n))
		}
	}
	gap += above
	text := lead + strings.TrimLeft(strings.Join(lines, e.newline()), " ")
	if gap = strings.TrimRight(gap, " \r\n"); gap != "" { // the comment above a removed last key
		text += e.newline() + gap
	}
	return text
}

// isRegular reports whether the parts of a block are on lines of their own, by the parser's
// places, which are not exact for empty values and unusual styles.
func (e *editor) isRegular(n *yaml.Node) bool {
	step := 1
	if n.Kind == yaml.MappingNode {
		step = 2
	}
	at := -1 // the start of the line after the previous part
	for i := 0; i+step <= len(n.Content); i += step {
		first, last := n.Content[i], n.Content[i+step-1]
		start := e.start(first)
		if at >= 0 && (e.lineStart(start) < at || !isMargin(e.src.data[e.lineStart(start):start])) {
			return false
		}
		if first != last && e.end(first) > e.start(last) || start > e.end(last) || e.end(last) > len(e.src.data) {
			return false
		}
		at = e.nextLine(max(e.lineEnd(e.end(first)), e.stop(last)))
	}
	return true
}

// isMargin reports whether a text before a part is only spaces and dashes.
func isMargin(text []byte) bool { return len(bytes.Trim(text, " -")) == 0 }

// newKeys returns the indexes of keys that the mapping lacks, by the key after which they go; ""
// is before the first.
func newKeys(n *yaml.Node, want *Data) map[string][]int {
	fresh := map[string][]int{}
	after := ""
	for i, key := range want.Keys {
		if pair(n, key.Value) >= 0 {
			after = key.Value
		} else {
			fresh[after] = append(fresh[after], i)
		}
	}
	return fresh
}

func (e *editor) freshPair(want *Data, i, indent int) string {
	w := writer{newline: e.newline(), notes: e.notes}
	w.note(want.Items[i], indent)
	w.pair(want.Keys[i].Value, want.Items[i], indent, "")
	return strings.Repeat(" ", indent) + w.text()
}

// rewritePair returns the lines of a pair, with indentation.
func (e *editor) rewritePair(key, value *yaml.Node, want *Data, indent int) string {
	start := strings.Repeat(" ", indent) + string(e.src.data[e.start(key):e.end(key)])
	between := string(e.src.data[e.end(key):e.start(value)])
	switch {
	case e.sameValue(value, want):
		return start + string(e.src.data[e.end(key):e.pairStop(key, value)])
	case value.Kind == yaml.SequenceNode && value.Style&yaml.FlowStyle == 0 && value.Anchor == "" && len(want.items()) > 0 && e.isRegular(value):
		from := e.nextLine(e.end(key))
		return start + string(e.src.data[e.end(key):from]) + e.rewriteList(value, want, from)
	}
	if text, ok := e.rewritten(value, want); ok {
		return start + between + text
	}
	w := writer{newline: e.newline()}
	w.value(key.Value, want, indent, e.commentOf(value, between))
	return start + ":" + w.text()
}

// below returns the lines between the stop of the last part and that of the whole.
func (e *editor) below(part, whole int) string {
	if part >= whole {
		return ""
	}
	return string(e.src.data[e.nextLine(part):whole])
}

// commentOf joins the comments beside and inside a value that is written again.
func (e *editor) commentOf(n *yaml.Node, between string) string {
	if n.Kind == yaml.ScalarNode && !strings.Contains(between, "#") {
		beside := string(e.src.data[e.end(n):e.stop(n)])
		if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			beside = string(e.src.data[e.start(n):e.lineEnd(e.start(n))])
		}
		if i := strings.IndexByte(beside, '#'); i >= 0 {
			return beside[len(strings.TrimRight(beside[:i], " \t")):]
		}
		return ""
	}
	var all []string
	note := func(text string) {
		for _, line := range splitLines(text) {
			if line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#")); line != "" && !slices.Contains(all, line) {
				all = append(all, line)
			}
		}
	}
	for _, line := range comments(between) {
		note(line)
	}
	var walk func(*yaml.Node)
	walk = func(n *yaml.Node) {
		note(n.HeadComment)
		note(n.LineComment)
		for _, child := range n.Content {
			walk(child)
		}
		note(n.FootComment)
	}
	walk(n)
	for _, line := range comments(string(e.src.data[e.end(n):e.stop(n)])) {
		note(line)
	}
	if len(all) == 0 {
		return ""
	}
	return " # " + strings.Join(all, "; ")
}

// rewriteList returns the lines of a list, from the line below its key.
func (e *editor) rewriteList(n *yaml.Node, want *Data, from int) string {
	indent := n.Column - 1
	chunks := make([]chunk, len(n.Content))
	for i, item := range n.Content {
		chunks[i] = chunk{item: item, from: from, to: e.stop(item)}
		from = e.nextLine(chunks[i].to)
	}
	lines := make([]string, len(want.Items))
	for i, wanted := range want.Items {
		at := e.counterpart(chunks, want, i)
		if at < 0 {
			w := writer{newline: e.newline()}
			w.item(wanted, indent)
			lines[i] = e.apart(chunks) + strings.Repeat(" ", indent) + w.text()
			continue
		}
		chunks[at].used = true
		lines[i] = e.rewriteItem(chunks[at], wanted, indent)
		chunks[at].line = i
	}
	left := "" // the comments of items that are left out
	for _, c := range chunks {
		if c.used {
			lines[c.line] = left + lines[c.line]
			left = ""
		} else if e.keeps {
			left += string(e.src.data[c.from:e.lineStart(e.start(c.item))]) + e.above(e.remarks(e.start(c.item), c.to), indent)
		}
	}
	if left != "" {
		lines = append(lines, strings.TrimRight(left, " \r\n"))
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
	line     int // of the wanted item that it becomes
}

// apart returns the blank line before a new item when the others have one.
func (e *editor) apart(chunks []chunk) string {
	if len(chunks) > 1 && len(strings.TrimSpace(string(e.src.line(e.src.pos(chunks[1].from).Line)))) == 0 {
		return e.newline()
	}
	return ""
}

func (e *editor) rewriteItem(c chunk, want *Data, indent int) string {
	if e.sameValue(c.item, want) {
		return string(e.src.data[c.from:c.to])
	}
	if text, ok := e.rewritten(c.item, want); ok {
		return string(e.src.data[c.from:e.start(c.item)]) + text
	}
	above := string(e.src.data[c.from:e.lineStart(e.start(c.item))])
	margin := strings.Repeat(" ", indent)
	own := *c.item
	own.HeadComment, own.FootComment = "", "" // the lines of these do not change
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

// isOneLine reports whether an item is written on one line, in flow style.
func (e *editor) isOneLine(n *yaml.Node) bool {
	return (n.Kind == yaml.ScalarNode || n.Style&yaml.FlowStyle != 0) && e.lineEnd(e.start(n)) >= e.end(n)
}

// counterpart returns the index of the chunk that becomes the wanted item i, or -1: an equal item,
// else one with its id or name, else, in lists of equal length, the one at its index unless that
// becomes another item.
func (e *editor) counterpart(chunks []chunk, want *Data, i int) int {
	wanted := want.Items[i]
	at := slices.IndexFunc(chunks, func(c chunk) bool { return !c.used && e.sameValue(c.item, wanted) })
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
	if len(chunks) != len(want.Items) || chunks[i].used || slices.ContainsFunc(want.Items, func(d *Data) bool { return e.sameName(chunks[i].item, d) }) {
		return -1
	}
	return i
}

// sameName reports whether two items have the same id or name, or are the same.
func (e *editor) sameName(n *yaml.Node, d *Data) bool {
	for _, key := range []string{"id", "name"} {
		if name := d.Get(key).textValue(); name != "" {
			return word(followed(n), key) == name
		}
	}
	return e.sameValue(n, d)
}
