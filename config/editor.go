package config

import (
	"bytes"
	"cmp"
	"slices"

	"go.yaml.in/yaml/v4"
)

// editor collects changes of a file's text by the places of its nodes.
type editor struct {
	src     *source
	root    *yaml.Node
	items   map[*yaml.Node]*item // of root and of every node below it
	edits   map[int]edit         // by start, so that a shared anchor is changed once
	changes []Change
	found   Diagnostics

	keeps   bool             // comments of what is left out stay: see Restructure
	notes   map[*Data]string // those that have moved to a new part
	scalars [][2]int         // the bytes of scalars, sorted; nil: not yet found
}

// edit replaces source[from:to].
type edit struct {
	from, to int
	text     string
}

func newEditor(path string, text []byte) (*editor, error) {
	src, found := cleanText(path, text)
	if found != nil {
		return nil, found
	}
	root, found := parseTree(src)
	if found != nil {
		return nil, found
	}
	_, items, found := buildItems(src, root)
	if found.Err() != nil {
		return nil, sorted(found)
	}
	return &editor{src: src, root: root, items: items, edits: map[int]edit{}}, nil
}

func (e *editor) replace(from, to int, text string) {
	e.edits[from] = edit{from: from, to: to, text: text}
}

func (e *editor) change(n *yaml.Node, message string) {
	c := Change{Pos: e.src.pos(e.start(n)), Message: message}
	if !slices.Contains(e.changes, c) {
		e.changes = append(e.changes, c)
	}
}

func (e *editor) refuse(n *yaml.Node, message string) {
	e.found.Add(e.src.pos(e.start(n)), "cannot-upgrade", message, "write it out, or rewrite the file by hand")
}

// apply returns the text with the edits. Edits inside others are dropped.
func (e *editor) apply() []byte {
	edits := make([]edit, 0, len(e.edits))
	for _, ed := range e.edits {
		edits = append(edits, ed)
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out bytes.Buffer
	at := 0
	for _, ed := range edits {
		if ed.from < at {
			continue
		}
		out.Write(e.src.data[at:ed.from])
		out.WriteString(ed.text)
		at = ed.to
	}
	out.Write(e.src.data[at:])
	return out.Bytes()
}

// start returns the start of a node, including its anchor.
func (e *editor) start(n *yaml.Node) int { return e.src.offset(n.Line, n.Column) }

// text returns a scalar as a Text.
func (e *editor) text(n *yaml.Node) Text {
	start := skipAnchor(e.src.data, e.start(n), n.Anchor)
	return Text{Value: n.Value, Pos: e.src.pos(start), src: e.src, start: start, style: styleOf(n)}
}

// end returns the end of a node, without blank lines below a block scalar unless it has |+ or >+.
func (e *editor) end(n *yaml.Node) int {
	data := e.src.data
	switch n.Kind {
	case yaml.AliasNode:
		return e.start(n) + 1 + len(n.Value)
	case yaml.ScalarNode:
		t := e.text(n)
		_, end, ok := t.trace()
		if !ok || n.Value == "" && t.style == stylePlain {
			return t.start
		}
		if (t.style == styleLiteral || t.style == styleFolded) && scanBlockHeader(data, t.start).chomp != '+' {
			end = t.start + len(bytes.TrimRight(data[t.start:end], " \t\r\n"))
		}
		return end
	case yaml.DocumentNode, yaml.SequenceNode, yaml.MappingNode:
	}
	end := skipAnchor(data, e.start(n), n.Anchor)
	flow := n.Style&yaml.FlowStyle != 0
	if flow {
		end++
	}
	if last := len(n.Content) - 1; last >= 0 {
		end = max(end, e.end(n.Content[last]))
		if n.Kind == yaml.MappingNode {
			end = max(end, e.end(n.Content[last-1]))
		}
	}
	if flow {
		for end < len(data) && data[end] != ']' && data[end] != '}' {
			if data[end] == '#' {
				end = e.lineEnd(end)
			}
			end++
		}
		end++
	}
	return min(end, len(data))
}

func (e *editor) lineStart(offset int) int {
	return bytes.LastIndexByte(e.src.data[:offset], '\n') + 1
}

// lineEnd returns the end of a line's text; nextLine returns the start of the next line.
func (e *editor) lineEnd(offset int) int {
	if i := bytes.IndexByte(e.src.data[offset:], '\n'); i >= 0 {
		offset += i
		if offset > 0 && e.src.data[offset-1] == '\r' {
			offset--
		}
		return offset
	}
	return len(e.src.data)
}

func (e *editor) nextLine(offset int) int {
	end := e.lineEnd(offset)
	return end + breakSize(e.src.data, end)
}

// newline returns the line end that the file uses.
func (e *editor) newline() string {
	if bytes.Contains(e.src.data, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// removePair removes a key and its value from a mapping.
func (e *editor) removePair(mapping *yaml.Node, i int) {
	key, value := mapping.Content[i], mapping.Content[i+1]
	from, to := e.start(key), max(e.end(key), e.end(value))
	switch {
	case mapping.Style&yaml.FlowStyle != 0:
		if i+2 < len(mapping.Content) {
			to = e.start(mapping.Content[i+2])
		} else if i > 0 {
			from = e.end(mapping.Content[i-1])
		}
	case len(bytes.TrimSpace(e.src.data[e.lineStart(from):from])) == 0:
		from, to = e.lineStart(from), e.nextLine(to)
	case i+2 < len(mapping.Content): // the first key, after its dash
		to = e.start(mapping.Content[i+2])
	}
	e.replace(from, to, "")
}

// pair returns the index of a key in a mapping, or -1.
func pair(mapping *yaml.Node, key string) int {
	if mapping.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// under returns the value of a key with aliases followed, or nil.
func under(mapping *yaml.Node, key string) *yaml.Node {
	if i := pair(mapping, key); i >= 0 {
		return followed(mapping.Content[i+1])
	}
	return nil
}

func followed(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// children returns the items of a list, with aliases followed.
func children(list *yaml.Node) []*yaml.Node {
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil
	}
	items := make([]*yaml.Node, len(list.Content))
	for i, n := range list.Content {
		items[i] = followed(n)
	}
	return items
}

func word(mapping *yaml.Node, key string) string {
	if n := under(mapping, key); n != nil && n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return ""
}
