package config

import (
	"fmt"

	"gopkg.in/yaml.v3"
)

// The caps on what a file may hold.
const (
	maxDepth         = 64      // levels, aliases and merges written out
	maxNodes         = 50_000  // values
	maxExpanded      = 50_000  // values, aliases written out
	maxExpandedBytes = 4 << 20 // of text, aliases written out
	maxKeys          = 1_000   // of one mapping
)

// builder makes items of nodes. When it meets a cap it stops: what it has then is of
// no use.
type builder struct {
	src     *source
	at      cursor
	found   Diagnostics
	stopped bool
	nodes   int
	done    map[*yaml.Node]*item // nil while a node is being built
}

// buildItems makes the items of a document. The item is nil when a cap was met.
func buildItems(src *source, doc *yaml.Node) (*item, Diagnostics) {
	b := &builder{src: src, at: cursor{src: src}, done: map[*yaml.Node]*item{}}
	if len(doc.Content) == 0 {
		return &item{pos: Pos{File: src.name, Line: 1, Column: 1}}, nil
	}
	root := b.build(doc.Content[0], 1)
	if b.stopped {
		return nil, b.found
	}
	return root, b.found
}

func (b *builder) stop(pos Pos, code, message, hint string) {
	if !b.stopped {
		b.found.Add(pos, code, message, hint)
	}
	b.stopped = true
}

// build makes the item of a node that stands level levels deep.
func (b *builder) build(n *yaml.Node, level int) *item {
	if n.Kind == yaml.AliasNode {
		return b.alias(n, level)
	}
	start := skipAnchor(b.src.data, b.at.seek(n.Line, n.Column), n.Anchor)
	it := &item{pos: b.at.pos(start), nodes: 1, height: 1}
	if b.nodes++; b.nodes > maxNodes {
		b.stop(it.pos, "too-many-values", fmt.Sprintf("the file has more than %d values", maxNodes), "split it into several files")
	}
	if level > maxDepth {
		b.stop(it.pos, "too-deep", fmt.Sprintf("found values nested deeper than %d levels", maxDepth), "make the nesting flatter")
	}
	if b.stopped {
		return it
	}
	b.checkTag(n, start, it.pos)
	if n.Anchor != "" {
		b.done[n] = nil
	}
	switch n.Kind {
	case yaml.MappingNode:
		it.kind = itemMapping
		b.mapping(it, n, level)
	case yaml.SequenceNode:
		it.kind = itemList
		for _, child := range n.Content {
			if b.stopped {
				break
			}
			it.items = append(it.items, b.build(child, level+1))
			it.grow(it.items[len(it.items)-1])
		}
	default:
		it.bytes = len(n.Value)
		it.text = Text{Value: n.Value, Pos: it.pos, src: b.src, start: start, style: styleOf(n)}
	}
	if n.Anchor != "" {
		b.done[n] = it
	}
	b.checkExpanded(it)
	return it
}

// grow counts a child in.
func (it *item) grow(child *item) {
	const most = 1 << 30 // counts stay far from overflowing
	it.nodes = min(it.nodes+child.nodes, most)
	it.bytes = min(it.bytes+child.bytes, most)
	it.height = max(it.height, child.height+1)
}

func (b *builder) checkExpanded(it *item) {
	switch {
	case it.nodes > maxExpanded:
		b.stop(it.pos, "too-many-aliases", fmt.Sprintf("too many aliases: with all of them written out this has more than %d values", maxExpanded), "use fewer aliases")
	case it.bytes > maxExpandedBytes:
		b.stop(it.pos, "too-many-aliases", "too many aliases: with all of them written out this is longer than 4 MiB", "use fewer aliases, or shorter text")
	}
}

func (b *builder) alias(n *yaml.Node, level int) *item {
	pos := Pos{File: b.src.name, Line: n.Line, Column: n.Column}
	it, known := b.done[n.Alias]
	if known && it == nil {
		b.stop(pos, "alias-in-itself", fmt.Sprintf("the alias *%s stands inside what it names, so the value contains itself", shortened(n.Value)), "write the value out")
	}
	if it == nil {
		return &item{pos: pos, nodes: 1, height: 1, text: Text{Pos: pos}}
	}
	if level+it.height-1 > maxDepth {
		b.stop(pos, "too-deep", fmt.Sprintf("found values nested deeper than %d levels, aliases written out", maxDepth), "make the nesting flatter")
	}
	return it
}

// checkTag refuses tags. The node's start stands after its anchor; a tag may stand
// before the anchor too.
func (b *builder) checkTag(n *yaml.Node, start int, pos Pos) {
	tagged := n.Style&yaml.TaggedStyle != 0
	if start < len(b.src.data) && b.src.data[start] == '!' {
		tagged = true
	}
	if tagged {
		b.found.Add(pos, "tag", "tags are not supported, found a value with one (!…)", "remove the tag; quote the value if it is meant as text")
	}
}

// skipAnchor is where a value begins whose anchor is at start.
func skipAnchor(src []byte, start int, anchor string) int {
	if anchor == "" || start >= len(src) || src[start] != '&' {
		return start
	}
	i := start + 1 + len(anchor)
	for i < len(src) {
		switch {
		case isBlank(src[i]) || src[i] == '\n' || src[i] == '\r':
			i++
		case src[i] == '#':
			for i < len(src) && src[i] != '\n' {
				i++
			}
		default:
			return i
		}
	}
	return min(i, len(src))
}

func styleOf(n *yaml.Node) style {
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return styleDouble
	case n.Style&yaml.SingleQuotedStyle != 0:
		return styleSingle
	case n.Style&yaml.LiteralStyle != 0:
		return styleLiteral
	case n.Style&yaml.FoldedStyle != 0:
		return styleFolded
	}
	return stylePlain
}
