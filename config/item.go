package config

import "fmt"

// itemKind is what an item is.
type itemKind uint8

const (
	itemScalar itemKind = iota
	itemMapping
	itemList
)

// item is a value of the file: a YAML node that is checked, with aliases followed and
// merges done. What an anchor names is one item, wherever it is used, so nothing may
// change it.
type item struct {
	kind  itemKind
	pos   Pos
	text  Text   // a scalar's
	keys  []Text // of a mapping
	items []*item

	// What it is with every alias written out, itself included.
	nodes, bytes, height int
}

// get is the value of a key, or nil.
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

// isNull reports whether the value is left out or null.
func (it *item) isNull() bool {
	if it == nil {
		return true
	}
	value, problem := it.scalar()
	return it.kind == itemScalar && problem == nil && value == nil
}

// word is the text of a scalar that is text, else "".
func (it *item) word() string {
	if it == nil || it.kind != itemScalar {
		return ""
	}
	if s, ok := it.value().(string); ok {
		return s
	}
	return ""
}

// value is a scalar's value; what cannot be had is its text.
func (it *item) value() any {
	value, problem := it.scalar()
	if problem != nil {
		return it.text.Value
	}
	return value
}

// scalar is what a scalar means, or what is wrong with it.
func (it *item) scalar() (any, *scalarProblem) {
	if it.text.style != stylePlain {
		return it.text.Value, nil
	}
	return resolvePlain(it.text.Value)
}

// describe says what the item is, for "found …".
func (it *item) describe() string {
	if it == nil {
		return "nothing"
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
		return "nothing"
	case bool:
		return fmt.Sprintf("the value %v", value)
	case string:
		return "text"
	}
	return "the number " + it.text.Value
}
