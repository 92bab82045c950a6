package config

import (
	"fmt"

	"gopkg.in/yaml.v3"
)

// mapping fills in the keys of a mapping: its own, then those of its merges (<<).
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
		if key.Kind == yaml.ScalarNode && key.Tag == "!!merge" {
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
				fmt.Sprintf("the key %q stands twice, first in line %d, again in line %d", shortened(name.Value), at.Line, name.Pos.Line), "remove one of them")
			continue
		}
		first[name.Value] = name.Pos
		it.keys = append(it.keys, name)
		it.items = append(it.items, child)
		it.grow(child)
		it.bytes += len(name.Value)
	}
	for _, source := range merged {
		b.merge(it, source, first)
	}
}

// key is the text of a key. Keys that are not text are findings.
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
		hint = fmt.Sprintf("quote it: %q:", shortened(it.text.Value))
	}
	b.found.Add(it.pos, "key-not-text", fmt.Sprintf("found %s as a key, expected text", shortened(what)), hint)
	return Text{}, false
}

// mergeSources are the mappings that a << names.
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
			b.found.Add(source.pos, "bad-merge", "found "+s.describe()+" after <<, expected an alias of a mapping, or a list of such", "")
			return nil
		}
	}
	return sources
}

// merge adds the keys of a source that the mapping does not have. The source counts
// as a level, so that chains of merges end.
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
