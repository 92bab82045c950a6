package config

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// moveNodes moves the nodes of the top-level list into their tools, with the comments above and
// beside them. Nodes of no tool become a comment.
func (e *editor) moveNodes() {
	at := pair(e.root, "nodes")
	if at < 0 {
		return
	}
	key, list := e.root.Content[at], e.root.Content[at+1]
	tools := under(e.root, "tools")
	switch {
	case e.root.Style&yaml.FlowStyle != 0 || tools != nil && tools.Style&yaml.FlowStyle != 0:
		e.refuse(key, "the nodes cannot be moved into tools that are written in { } or [ ]")
		return
	case hasAnchors(list) || tools != nil && hasAliases(tools):
		e.refuse(key, "the nodes or tools have anchors or aliases")
		return
	}
	moved := e.movedNodes(key, list)
	moved.takeAbove(e, key)
	for _, tool := range children(tools) {
		if pair(tool, "nodes") < 0 {
			e.moveInto(tool, moved)
		}
	}
	e.removeList(at, moved)
}

// movedNode is a node of the top-level list with the text that moves.
type movedNode struct {
	it   *item
	text []string // lines; the dash is in the first column
	used bool
}

// movedNodes splits the list's text into nodes.
func (e *editor) movedNodes(key, list *yaml.Node) *movedList {
	m := &movedList{items: map[*item]*movedNode{}}
	built := e.items[list]
	m.list = newNodeList(built.items)
	before := e.end(key) + 1
	for i, n := range list.Content {
		from, to := e.start(n), e.end(n)
		node := &movedNode{it: built.items[i]}
		if list.Style&yaml.FlowStyle != 0 {
			node.text = append(comments(string(e.src.data[before:from])), "- "+strings.ReplaceAll(string(e.src.data[from:to]), "\n", "\n  "))
			before = to
		} else {
			first := e.lineStart(e.dash(list, n))
			if i == 0 {
				before = min(e.nextLine(before), first)
			}
			last := e.nextLine(to)
			node.text = outdent(splitLines(string(e.src.data[before:last])), list.Column-1)
			before = last
		}
		m.items[node.it] = node
		m.order = append(m.order, node)
	}
	m.end = before
	if list.Style&yaml.FlowStyle != 0 || len(list.Content) == 0 {
		m.end = e.nextLine(e.end(list))
	}
	return m
}

type movedList struct {
	list  *nodeList
	items map[*item]*movedNode
	order []*movedNode
	above []string // the comment above the list, for the first tool
	from  int      // the start of the list, including that comment
	end   int      // the start of the text after the list
}

// takeAbove makes the comment lines directly above the list part of it.
func (m *movedList) takeAbove(e *editor, key *yaml.Node) {
	start := e.lineStart(e.start(key))
	m.from = start
	for m.from > 0 {
		line := e.lineStart(m.from - 1)
		if text := strings.TrimSpace(string(e.src.data[line:m.from])); !strings.HasPrefix(text, "#") || line == 0 {
			break
		}
		m.from = line
	}
	m.above = splitLines(string(e.src.data[m.from:start]))
}

// moveInto writes a tool's nodes below its other keys.
func (e *editor) moveInto(tool *yaml.Node, moved *movedList) {
	if tool.Kind != yaml.MappingNode || len(tool.Content) == 0 || moved.list == nil {
		return
	}
	nodes := moved.list.of(e.items[tool])
	if len(nodes) == 0 {
		return
	}
	if tool.Style&yaml.FlowStyle != 0 {
		e.refuse(tool, "the nodes cannot be moved into a tool that is written in { }")
		return
	}
	indent := e.indentOf(tool)
	var lines []string
	for _, line := range moved.above {
		lines = append(lines, indented(indent, line))
	}
	moved.above = nil
	lines = append(lines, indent+"nodes:")
	heading := len(lines)
	for i, it := range nodes {
		node := moved.items[it]
		node.used = true
		for _, line := range node.text {
			if i == 0 && len(lines) == heading && line == "" {
				continue
			}
			lines = append(lines, indented(indent+"  ", line))
		}
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	newline := e.newline()
	at := e.lineEnd(e.end(tool))
	e.replace(at, at, newline+strings.Join(lines, newline))
}

// removeList removes the list; nodes of no tool become comments.
func (e *editor) removeList(at int, moved *movedList) {
	key := e.root.Content[at]
	from, to := moved.from, max(moved.end, e.nextLine(e.end(key)))
	rest := moved.above // when no tool took it
	var loose []string
	for _, node := range moved.order {
		if node.used {
			continue
		}
		for _, line := range node.text {
			loose = append(loose, strings.TrimRight("#   "+line, " "))
		}
	}
	if len(loose) > 0 {
		rest = append(append(rest, "# No tool reaches these nodes:"), loose...)
	}
	text := ""
	for _, line := range rest {
		text += line + e.newline()
	}
	if edit, taken := e.edits[from]; taken { // a tool ends just above
		edit.to, edit.text = to, edit.text+text
		e.edits[from] = edit
		return
	}
	e.replace(from, to, text)
}

func hasAnchors(n *yaml.Node) bool {
	if n.Anchor != "" || n.Kind == yaml.AliasNode {
		return true
	}
	for _, child := range n.Content {
		if hasAnchors(child) {
			return true
		}
	}
	return false
}

// hasAliases reports whether an item of a list of tools, or a key of one, is an alias.
func hasAliases(tools *yaml.Node) bool {
	for _, tool := range tools.Content {
		if tool.Kind == yaml.AliasNode || tool.Anchor != "" || pair(tool, "<<") >= 0 {
			return true
		}
	}
	return false
}

// comments returns the comments in the text between two nodes of a flow list.
func comments(between string) []string {
	var lines []string
	for _, line := range splitLines(between) {
		if i := strings.IndexByte(line, '#'); i >= 0 {
			lines = append(lines, line[i:])
		}
	}
	return lines
}

func splitLines(text string) []string {
	text = strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// outdent removes up to n spaces from each line.
func outdent(lines []string, n int) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		spaces := len(line) - len(bytes.TrimLeft([]byte(line), " "))
		out[i] = line[min(spaces, n):]
	}
	return out
}

func indented(indent, line string) string {
	if line == "" {
		return ""
	}
	return fmt.Sprint(indent, line)
}
