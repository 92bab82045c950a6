package value

import (
	"maps"
	"slices"
)

// Object is an object that keeps the order of its keys.
type Object interface {
	Keys() []string // in order; the caller must not change the slice
	Get(key string) (any, bool)
	Len() int
}

// Map is the Object that this package makes, but for a Row of a large document. Only its maker calls Set and
// Delete; afterwards it never changes and many goroutines may read it.
type Map struct {
	keys   []string
	values []any
	index  map[string]int // of the keys, once there are more than indexFrom
	shared bool           // index is that of other objects, too; keys never change in place
}

// indexFrom is how many keys are searched one by one.
const indexFrom = 8

// NewMap returns an empty Map.
func NewMap() *Map { return &Map{} }

// MapOf returns a Map of keys, none of which is there twice, and of as many values. Many maps may have one slice of
// keys, which must not change; values is the map's own from here on.
func MapOf(keys []string, values []any) *Map {
	o := &Map{keys: slices.Clip(keys), values: values}
	if len(keys) > indexFrom {
		o.reindex()
	}
	return o
}

// Keys returns the keys in order; the caller must not change the slice.
func (o *Map) Keys() []string { return o.keys }

// Len returns the number of keys.
func (o *Map) Len() int { return len(o.keys) }

// Get returns the value of the key, and whether there is one.
func (o *Map) Get(key string) (any, bool) {
	if i := o.find(key); i >= 0 {
		return o.values[i], true
	}
	return nil, false
}

func (o *Map) find(key string) int { return findKey(o.keys, o.index, key) }

// findKey returns the place of a key, of which there is an index if there are many; -1 without it.
func findKey(keys []string, index map[string]int, key string) int {
	if index != nil {
		if i, ok := index[key]; ok {
			return i
		}
		return -1
	}
	for i := range keys {
		if keys[i] == key {
			return i
		}
	}
	return -1
}

// Set sets the value of a key; an existing key keeps its position.
func (o *Map) Set(key string, value any) {
	if i := o.find(key); i >= 0 {
		o.values[i] = value
		return
	}
	o.keys, o.values = append(o.keys, key), append(o.values, value)
	switch {
	case o.index != nil:
		if o.shared {
			o.index, o.shared = maps.Clone(o.index), false
		}
		o.index[key] = len(o.keys) - 1
	case len(o.keys) > indexFrom:
		o.reindex()
	}
}

// Delete removes the key.
func (o *Map) Delete(key string) {
	i := o.find(key)
	if i < 0 {
		return
	}
	o.keys = append(o.keys[:i:i], o.keys[i+1:]...)
	o.values = append(o.values[:i:i], o.values[i+1:]...)
	if o.index != nil {
		o.reindex()
	}
}

func (o *Map) reindex() { o.index, o.shared = indexOf(o.keys), false }

func indexOf(keys []string) map[string]int {
	index := make(map[string]int, 2*len(keys))
	for i, key := range keys {
		index[key] = i
	}
	return index
}

// NewObject returns an object with these keys in this order; of two equal keys the
// last value counts. Keys without a value have the value Null.
func NewObject(keys []string, values []Value) Value {
	made := NewMap()
	for i, key := range keys {
		value := Null
		if i < len(values) && values[i] != nil {
			value = values[i]
		}
		made.Set(key, value)
	}
	return made
}

// ObjectOf returns v as an Object: an Object itself, or a map with its keys sorted; false
// for anything else.
func ObjectOf(v any) (Object, bool) {
	switch x := v.(type) {
	case Object:
		return x, true
	case map[string]any:
		return sortedMap(x), true
	}
	return nil, false
}

// sortedMap is a map as an Object.
type sortedMap map[string]any

func (m sortedMap) Keys() []string { return slices.Sorted(maps.Keys(m)) }

func (m sortedMap) Get(key string) (any, bool) {
	item, ok := m[key]
	return item, ok
}

func (m sortedMap) Len() int { return len(m) }
