package value

import (
	"slices"
	"strings"
)

const (
	// largeFrom is the length in bytes of a document from which its objects share their keys, and stay text if they can.
	largeFrom = 64 << 10
	// mostLarge is the longest one: offsets have 32 bits.
	mostLarge = 1<<31 - 1
)

// large is what the decoder of a large document has of it.
type large struct {
	root    keyList
	lists   int // that were made
	open    map[*keyList]*rows
	offsets []uint32 // of the values of the object at hand, while it may become a row
	values  []Value  // of the objects at hand that do not, the inner ones last
}

func newLarge() *large { return &large{open: map[*keyList]*rows{}} }

// largeObject is object for a large document: the same values and errors. An object of scalars becomes a Row; others share
// their keys.
func (d *decoder) largeObject(depth int) (Value, error) {
	l, start := d.large, d.pos
	more, err := d.Open(depth)
	if err != nil || !more {
		return NewMap(), err
	}
	keys, mark := &l.root, len(l.values)
	isRow, facts := true, rowFacts{form: plainRow | exactRow}
	l.offsets = l.offsets[:0]
	for more {
		next, key, err := d.follow(keys)
		if err != nil {
			return nil, err
		}
		if isRow && (next == nil || d.pos-start > mostRow || d.Peek() == '{' || d.Peek() == '[') {
			isRow = false
			d.fromOffsets()
		}
		if next == nil {
			return d.unshared(keys, mark, key, depth)
		}
		keys = next
		if isRow {
			l.offsets = append(l.offsets, uint32(d.pos))
			err = d.scalar(&facts)
		} else {
			var item Value
			item, err = d.value(depth)
			l.values = append(l.values, item)
		}
		if err != nil {
			return nil, err
		}
		if more, err = d.Next('}'); err != nil {
			return nil, err
		}
	}
	if isRow && d.pos-start <= mostRow {
		return d.row(keys, start, facts), nil
	}
	if isRow {
		d.fromOffsets()
	}
	return keys.object(l.take(mark)), nil
}

// follow reads a key and returns the list of the keys before it with it; nil when there is none.
func (d *decoder) follow(keys *keyList) (next *keyList, key string, err error) {
	if next := keys.latest; next != nil && strings.HasPrefix(d.text[d.pos:], next.written) {
		d.pos += len(next.written)
		d.space()
		return next, next.key, nil
	}
	start := d.pos + 1
	raw, plain, err := d.Key()
	if err != nil {
		return nil, "", err
	}
	key = d.unquoted(start, raw, plain)
	if plain {
		next = keys.then(key, &d.large.lists)
	}
	return next, key, nil
}

// fromOffsets decodes the values that were only checked.
func (d *decoder) fromOffsets() {
	at := d.pos
	for _, offset := range d.large.offsets {
		d.pos = int(offset)
		item, _ := d.value(0) // it was checked
		d.large.values = append(d.large.values, item)
	}
	d.pos = at
}

// unshared reads the rest of an object that has keys of its own, from the value of a key.
func (d *decoder) unshared(keys *keyList, mark int, key string, depth int) (Value, error) {
	object := keys.object(d.large.take(mark))
	item, err := d.value(depth)
	if err != nil {
		return nil, err
	}
	object.Set(key, item)
	more, err := d.Next('}')
	if err != nil {
		return nil, err
	}
	return d.members(object, more, depth)
}

// take returns the values of the object at hand.
func (l *large) take(mark int) []Value {
	values := slices.Clone(l.values[mark:])
	l.values = l.values[:mark]
	return values
}

// rowsAtOnce is how many rows are allocated at once, at most: a row keeps those in memory.
const rowsAtOnce = 256

// row returns the object that begins at start and ends at Pos as a row.
func (d *decoder) row(keys *keyList, start int, facts rowFacts) *Row {
	keys.complete()
	l := d.large
	of := l.open[keys]
	if of == nil || len(of.all) == cap(of.all) {
		n := 4
		if of != nil {
			n = min(2*cap(of.all), rowsAtOnce)
		}
		of = &rows{text: d.text, keys: keys, all: make([]Row, 0, n), offsets: make([]uint32, 0, n*keys.count)}
		l.open[keys] = of
	}
	size := facts.size + len("{}") + len(",")*(keys.count-1)
	for _, key := range keys.all {
		size += len(key) + len(`"":`)
	}
	if size != d.pos-start {
		facts.form &^= exactRow // it has white space
	}
	first := uint32(len(of.offsets))
	of.offsets = append(of.offsets, l.offsets...)
	of.all = append(of.all, Row{of: of, first: first, size: uint16(size), form: facts.form})
	return &of.all[len(of.all)-1]
}
