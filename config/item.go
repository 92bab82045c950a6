package config

import (
	"bytes"
	"fmt"

	"toolgraph/internal/base/wording"

	"go.yaml.in/yaml/v4"
)

// itemKind is the kind of an item.
type itemKind uint8

const (
	itemScalar itemKind = iota
	itemMapping
	itemList
)

// item is a value of the file: a checked YAML node, with aliases followed and merges done. All
// aliases of an anchor share one item, so items are immutable.
type item struct {
	kind  itemKind
	pos   Pos
	text  Text   // a scalar's
	keys  []Text // of a mapping
	items []*item

	// The size with all aliases expanded, the item itself included.
	nodes, bytes, height int
}

// get returns the value of a key, or nil.
func (it *item) get(key string) *item {
	if it == nil || it.kind != itemMapping {
		return nil
	}
	for i, k := range it.keys {
		if k.Value == key {
			return it.items[i]
		}
	}
	return nil
}

// has reports whether a mapping has a key.
func (it *item) has(key string) bool { return it.get(key) != nil }

// isNull reports whether the value is missing or null.
func (it *item) isNull() bool {
	if it == nil {
		return true
	}
	value, problem := it.scalar()
	return it.kind == itemScalar && problem == nil && value == nil
}

// word returns the text of a scalar that is text, else "".
func (it *item) word() string {
	if it == nil || it.kind != itemScalar {
		return ""
	}
	if s, ok := it.value().(string); ok {
		return s
	}
	return ""
}

// value returns a scalar's value; its text when the value has a problem.
func (it *item) value() any {
	value, problem := it.scalar()
	if problem != nil {
		return it.text.Value
	}
	return value
}

// scalar returns the value of a scalar, or its problem.
func (it *item) scalar() (any, *scalarProblem) {
	if it.text.style != stylePlain {
		return it.text.Value, nil
	}
	return resolvePlain(it.text.Value)
}

// describe returns the kind of the item for messages: "server is …".
func (it *item) describe() string {
	if it == nil {
		return "empty"
	}
	switch it.kind {
	case itemMapping:
		return "a mapping"
	case itemList:
		return "a list"
	case itemScalar:
	}
	switch value := it.value().(type) {
	case nil:
		return "empty"
	case bool:
		return fmt.Sprintf("the value %v", value)
	case string:
		return "text"
	}
	return "the number " + it.text.Value
}

// The limits of a file.
const (
	maxDepth         = 64      // levels, aliases and merges expanded
	maxNodes         = 50_000  // values
	maxExpanded      = 50_000  // values, aliases expanded
	maxExpandedBytes = 4 << 20 // of text, aliases expanded
	maxKeys          = 1_000   // of one mapping
)

// builder makes items of nodes. It stops at a limit; its items must not be used then.
type builder struct {
	src     *source
	found   Diagnostics
	stopped bool
	nodes   int
	done    map[*yaml.Node]*item // of every node; nil while a node with an anchor is built
}

// buildItems returns the item of a node and of each node below it. The item is nil when a limit
// was exceeded.
func buildItems(src *source, root *yaml.Node) (*item, map[*yaml.Node]*item, Diagnostics) {
	b := &builder{src: src, done: map[*yaml.Node]*item{}}
	it := b.build(root, 1)
	if b.stopped {
		return nil, nil, b.found
	}
	return it, b.done, b.found
}

func (b *builder) stop(pos Pos, code, message, hint string) {
	if !b.stopped {
		b.found.Add(pos, code, message, hint)
	}
	b.stopped = true
}

// build returns the item of a node at a level; the root is level 1.
func (b *builder) build(n *yaml.Node, level int) *item {
	if n.Kind == yaml.AliasNode {
		return b.alias(n, level)
	}
	start := skipAnchor(b.src.data, b.src.offset(n.Line, n.Column), n.Anchor)
	it := &item{pos: b.src.pos(start), nodes: 1, height: 1}
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
	b.done[n] = it
	b.checkExpanded(it)
	return it
}

// grow adds a child to the sizes.
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
	b.src.aliases = true
	it, known := b.done[n.Alias]
	if known && it == nil {
		b.stop(pos, "alias-in-itself", fmt.Sprintf("the alias *%s is inside the value that it names, so the value contains itself", wording.Shorten(n.Value)), "write the value out")
	}
	if it == nil {
		return &item{pos: pos, nodes: 1, height: 1, text: Text{Pos: pos}}
	}
	if level+it.height-1 > maxDepth {
		b.stop(pos, "too-deep", fmt.Sprintf("found values nested deeper than %d levels, aliases written out", maxDepth), "make the nesting flatter")
	}
	return it
}

// checkTag rejects tags, after the anchor of a node (at start) or before it.
func (b *builder) checkTag(n *yaml.Node, start int, pos Pos) {
	tagged := n.Style&yaml.TaggedStyle != 0
	if start < len(b.src.data) && b.src.data[start] == '!' {
		tagged = true
	}
	if tagged {
		found := b.found.Add(pos, "tag", "tags are not supported, found a value with one (!…)", "remove the tag; quote the value if it is meant as text")
		if from, to, ok := tagAround(b.src.data, start); ok {
			found.Fixed(fixSource("Remove the tag", b.src, from, to, ""))
		}
	}
}

// tagAround returns the bytes of the tag at a value's start, or before it in its line, with the blanks behind it.
func tagAround(src []byte, start int) (from, to int, ok bool) {
	line := bytes.LastIndexByte(src[:start], '\n') + 1
	from = start
	if start >= len(src) || src[start] != '!' {
		from = line + bytes.LastIndexByte(src[line:start], '!')
	}
	if from < line {
		return 0, 0, false
	}
	for to = from; to < len(src) && !isBlank(src[to]) && src[to] != '\n' && src[to] != '\r'; to++ {
	}
	for to < len(src) && isBlank(src[to]) {
		to++
	}
	return from, to, true
}

// skipAnchor returns the start of a value whose anchor, if any, is at start.
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

// mapping adds the keys of a mapping: its own, then those of its merges (<<).
func (b *builder) mapping(it *item, n *yaml.Node, level int) {
	if len(n.Content)/2 > maxKeys {
		over := n.Content[2*maxKeys]
		b.stop(Pos{File: b.src.name, Line: over.Line, Column: over.Column}, "too-many-keys",
			fmt.Sprintf("the mapping has more than %d keys", maxKeys), "split it")
		return
	}
	first := make(map[string]Pos, len(n.Content)/2)
	var merged []*item
	for i := 0; i+1 < len(n.Content) && !b.stopped; i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if isMerge(key) {
			merged = append(merged, b.mergeSources(value, level)...)
			continue
		}
		name, ok := b.key(key, level)
		child := b.build(value, level+1)
		if !ok {
			continue
		}
		if at, twice := first[name.Value]; twice {
			b.found.Add(name.Pos, "duplicate-key",
				fmt.Sprintf("duplicate key %s (first defined on line %d)", wording.Quote(name.Value), at.Line), "remove one of them").Over(name).Fixed(RemoveKey(name.Pos))
			continue
		}
		first[name.Value] = name.Pos
		it.keys = append(it.keys, name)
		it.items = append(it.items, child)
		it.grow(child)
		it.bytes += len(name.Value)
		if n.Style&yaml.FlowStyle != 0 {
			b.bareKey(it)
		}
		b.commented(it)
	}
	for _, source := range merged {
		b.merge(it, source, first)
	}
}

// key returns the text of a key. Other keys are findings.
func (b *builder) key(n *yaml.Node, level int) (Text, bool) {
	it := b.build(n, level+1)
	if b.stopped {
		return Text{}, false
	}
	if it.kind == itemScalar {
		value, problem := it.scalar()
		if _, isText := value.(string); isText && problem == nil {
			return it.text, true
		}
	}
	what := it.describe()
	if it.kind == itemScalar && it.text.Value != "" {
		what = it.text.Value
	}
	hint := ""
	if it.kind == itemScalar {
		hint = fmt.Sprintf("quote it: %q:", wording.Shorten(it.text.Value))
	}
	b.found.Add(it.pos, "key-not-text", "the key is "+wording.Shorten(what)+", expected text", hint).Over(it.text).Fixed(Quote(it.text))
	return Text{}, false
}

// mergeSources returns the mappings of a <<.
func (b *builder) mergeSources(n *yaml.Node, level int) []*item {
	source := b.build(n, level+1)
	if b.stopped {
		return nil
	}
	sources := []*item{source}
	if source.kind == itemList {
		sources = source.items
	}
	for _, s := range sources {
		if s.kind != itemMapping {
			b.found.Add(source.pos, "bad-merge", "the value of << is "+s.describe()+", expected an alias of a mapping, or a list of them", "")
			return nil
		}
	}
	return sources
}

// merge adds the keys of a source that the mapping lacks. The source counts as a level, so that
// chains of merges are bounded.
func (b *builder) merge(it, source *item, first map[string]Pos) {
	it.height = max(it.height, source.height+1)
	if it.height > maxDepth {
		b.stop(it.pos, "too-deep", fmt.Sprintf("found merges (<<) of merges deeper than %d levels", maxDepth), "write the keys out")
	}
	for i, key := range source.keys {
		if b.stopped {
			return
		}
		if _, have := first[key.Value]; have {
			continue
		}
		first[key.Value] = key.Pos
		it.keys = append(it.keys, key)
		it.items = append(it.items, source.items[i])
		it.grow(source.items[i])
		it.bytes += len(key.Value)
		if b.nodes++; b.nodes > maxNodes {
			b.stop(it.pos, "too-many-aliases", fmt.Sprintf("too many aliases: with all merges (<<) written out the file has more than %d values", maxNodes), "use fewer merges")
		}
		if len(it.keys) > maxKeys {
			b.stop(it.pos, "too-many-keys", fmt.Sprintf("the mapping has more than %d keys, those of << included", maxKeys), "split it")
		}
	}
}
