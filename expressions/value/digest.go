package value

import (
	"crypto/sha256"
	"hash"
	"slices"
	"strconv"
)

// Digest returns a hash of a value: equal values have one, whatever the order of their objects' keys. It
// is charged to the meter, if there is one, whose error is the only one.
func Digest(m *Meter, v Value) (sum [sha256.Size]byte, err error) {
	d := digester{meter: m}
	dst, err := d.value(make([]byte, 0, 256), v)
	if err != nil {
		return sum, err
	}
	if d.long == nil {
		return sha256.Sum256(dst), nil
	}
	d.long.write(dst)
	return [sha256.Size]byte(d.long.Sum(nil)), nil
}

// digester writes values so that different ones are written differently, which is no JSON, and hashes
// what it has written when that is long.
type digester struct {
	meter *Meter    // nil: none
	long  *longHash // nil: nothing is hashed yet
}

// longHash hashes a long text. It copies each piece, so that the buffer of a short text, and the meter,
// can be on the stack.
type longHash struct {
	hash.Hash
	block []byte
}

func (h *longHash) write(piece []byte) {
	h.block = append(h.block[:0], piece...)
	h.Write(h.block)
}

func (d *digester) value(dst []byte, v Value) ([]byte, error) {
	switch v := v.(type) {
	case []any:
		if err := spend(d.meter, 1+len(v)); err != nil {
			return nil, err
		}
		dst = strconv.AppendInt(append(dst, '['), int64(len(v)), 10)
		for _, item := range v {
			var err error
			if dst, err = d.value(d.flush(dst), item); err != nil {
				return nil, err
			}
		}
		return dst, nil
	case map[string]any:
		return d.value(dst, FromPlain(v))
	case Object:
		if err := spend(d.meter, 1+v.Len()); err != nil {
			return nil, err
		}
		dst = strconv.AppendInt(append(dst, '{'), int64(v.Len()), 10)
		keys := slices.Clone(v.Keys())
		slices.Sort(keys)
		for _, key := range keys {
			item, _ := v.Get(key)
			var err error
			if dst, err = d.value(d.flush(AppendString(append(dst, ' '), key)), item); err != nil {
				return nil, err
			}
		}
		return dst, nil
	case string:
		return d.text(append(dst, ' '), v)
	}
	dst, _ = Append(append(dst, ' '), v) // values are JSON: this does not fail
	return dst, nil
}

// text writes a text as JSON, piece by piece.
func (d *digester) text(dst []byte, s string) ([]byte, error) {
	dst = append(dst, '"')
	for first, rest := piece(s); first != ""; first, rest = piece(rest) {
		if err := spend(d.meter, len(first)>>8); err != nil {
			return nil, err
		}
		dst = d.flush(appendEscaped(dst, first))
	}
	return append(dst, '"'), nil
}

// flush hashes what was written when that is long.
func (d *digester) flush(dst []byte) []byte {
	if len(dst) < pieceBytes/4 {
		return dst
	}
	if d.long == nil {
		d.long = &longHash{Hash: sha256.New()}
	}
	d.long.write(dst)
	return dst[:0]
}
