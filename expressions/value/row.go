package value

import (
	"encoding/json"
	"strings"
	"unsafe"
)

// Row is an object of a large document that stays text: its scalars are decoded when they are read, each time. A document of
// many megabytes then takes about its own length, and an expression that reads two fields of each item decodes those two.
// A Row never changes; many goroutines may read it. It refers to the text of its document, as strings do.
type Row struct {
	of    *rows
	first uint32 // its first offset in of.offsets
	size  uint16 // bytes as compact JSON
	form  rowForm
}

// rowForm is what is known of the text of a row.
type rowForm uint8

const (
	plainRow rowForm = 1 << iota // its strings have no escapes and are valid UTF-8
	exactRow                     // it is written as Append writes it, and plain
)

// mostRow is the longest text of a row in bytes. It bounds the work of Get, which no meter counts.
const mostRow = 4 << 10

// rows are some objects of a document that have the same keys.
type rows struct {
	text    string // of the whole document
	keys    *keyList
	all     []Row
	offsets []uint32 // in text, of each value of each row
}

// Keys returns the keys in order; the caller must not change the slice.
func (r *Row) Keys() []string { return r.of.keys.all }

// Len returns the number of keys.
func (r *Row) Len() int { return len(r.of.keys.all) }

// Get returns the value of the key, and whether there is one.
func (r *Row) Get(key string) (any, bool) {
	i := findKey(r.of.keys.all, r.of.keys.index, key)
	if i < 0 {
		return nil, false
	}
	return r.value(int(r.of.offsets[int(r.first)+i])), true
}

// value decodes the scalar at an offset, which was checked when the document was decoded.
func (r *Row) value(at int) any {
	text := r.of.text
	switch text[at] {
	case '"':
		if r.form&plainRow != 0 {
			at++
			return text[at : at+strings.IndexByte(text[at:], '"')]
		}
		s := Scanner{src: bytesOf(text), pos: at}
		raw, plain, _ := s.Quoted()
		if plain {
			return text[at+1 : at+1+len(raw)]
		}
		return Unescape(raw)
	case 't':
		return true
	case 'f':
		return false
	case 'n':
		return Null
	}
	d := decoder{Scanner: Scanner{src: bytesOf(text), pos: at}, text: text}
	raw, whole, _ := d.Literal()
	if whole {
		return wholeNumber(raw)
	}
	if f, ok := shortDecimal(raw); ok {
		return f
	}
	v, _ := d.number(at, raw, whole)
	return v
}

// exact returns the row as Append writes it; "" when its text is written in another way.
func (r *Row) exact() string {
	if r.form&exactRow == 0 {
		return ""
	}
	start := int(r.of.offsets[r.first]) - len(`{"":`) - len(r.of.keys.all[0])
	return r.of.text[start : start+int(r.size)]
}

// bytesOf returns the bytes of a text, which must not be changed.
func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// textOf returns bytes as a text, without a copy: they must not change afterwards.
func textOf(src []byte) string { return unsafe.String(unsafe.SliceData(src), len(src)) }

// rowFacts is what is found out of a row while it is checked.
type rowFacts struct {
	size int // of its values as compact JSON
	form rowForm
}

// scalar checks the scalar at Pos and passes it: its errors are those of decoding it.
func (d *decoder) scalar(facts *rowFacts) error {
	start := d.pos
	if d.Peek() == '"' {
		raw, plain, err := d.Quoted()
		switch {
		case plain:
			facts.size += len(raw) + len(`""`)
		case err == nil:
			facts.form = 0
			facts.size += sizeOfString(Unescape(raw))
		}
		return err
	}
	raw, whole, err := d.Literal()
	switch {
	case err != nil:
		return err
	case raw[0] >= 'a', whole && raw[0] != '-', isShortest(raw):
		facts.size += len(raw)
		return nil
	}
	v, err := d.number(start, raw, whole)
	size := Size(v)
	if text, isLong := v.(json.Number); size != len(raw) || !isLong || string(text) != string(raw) {
		facts.form &^= exactRow
	}
	facts.size += size
	return err
}

// isShortest reports whether a number is certainly written as AppendNumber writes it: a decimal of at most 15 digits is the
// shortest that gives its float64, unless it ends with zeros.
func isShortest(raw []byte) bool {
	point := 0
	for i, c := range raw {
		switch {
		case c == '.':
			point = i
		case (c < '0' || c > '9') && (c != '-' || i > 0):
			return false // an exponent
		}
	}
	digits, last := raw, raw[len(raw)-1]
	if digits[0] == '-' {
		digits, point = digits[1:], point-1
	}
	if point < 1 {
		return len(digits) <= 15 && digits[0] != '0'
	}
	return len(digits) <= 16 && last != '0' && (digits[0] != '0' || len(digits) > 2 && digits[2] != '0')
}
