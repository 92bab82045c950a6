package jsonata

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"

	"toolgraph/expressions/value"
)

var errTooLong = errors.New("the text is too long")

// writer writes values as JSON: as $string does, up to maxText; or canonical, so that equal
// values have the same text.
type writer struct {
	meter     *value.Meter
	out       []byte
	pretty    bool
	canonical bool // with sorted keys and all digits, of any length
}

func (w *writer) value(v any, depth int) error {
	if err := w.meter.Spend(1); err != nil {
		return err
	}
	if len(w.out) > maxText && !w.canonical {
		return errTooLong
	}
	switch x := v.(type) {
	case string:
		if err := w.meter.Make(len(x)); err != nil {
			return err
		}
		w.out = value.AppendString(w.out, x)
	case float64:
		return w.number(x)
	case bool:
		w.out = strconv.AppendBool(w.out, x)
	case json.Number:
		w.out = append(w.out, x...)
	case *list:
		return w.array(x.items, depth)
	case []any:
		return w.array(x, depth)
	default:
		if o, ok := value.ObjectOf(v); ok {
			return w.object(o, depth)
		}
		switch {
		case v == nil || value.IsNull(v):
			w.out = append(w.out, "null"...)
		case depth > 0:
			w.out = append(w.out, `""`...) // a function
		}
	}
	return nil
}

// number writes a whole number as it is, and one with a fraction with 15 significant digits,
// as jsonata-js does.
func (w *writer) number(f float64) (err error) {
	if !w.canonical {
		f = shortened(f)
	}
	w.out, err = value.AppendNumber(w.out, f)
	return err
}

// textOfNumber is $string of a number.
func textOfNumber(f float64) (string, error) {
	var room [32]byte
	text, err := value.AppendNumber(room[:0], shortened(f))
	return string(text), err
}

// shortened is a number as $string writes it.
func shortened(f float64) float64 {
	if f != math.Trunc(f) {
		if short, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', 15, 64), 64); err == nil {
			return short
		}
	}
	return f
}

func (w *writer) array(items []any, depth int) error {
	if depth >= value.MaxDepth {
		return errDeepResult
	}
	w.out = append(w.out, '[')
	for i, item := range items {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.line(depth + 1)
		if err := w.value(item, depth+1); err != nil {
			return err
		}
	}
	if len(items) > 0 {
		w.line(depth)
	}
	w.out = append(w.out, ']')
	return nil
}

func (w *writer) object(o value.Object, depth int) error {
	if depth >= value.MaxDepth {
		return errDeepResult
	}
	keys := o.Keys()
	if w.canonical {
		keys = slices.Sorted(slices.Values(keys))
	}
	w.out = append(w.out, '{')
	for i, key := range keys {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.line(depth + 1)
		w.out = append(value.AppendString(w.out, key), ':')
		if w.pretty {
			w.out = append(w.out, ' ')
		}
		item, _ := o.Get(key)
		if err := w.value(item, depth+1); err != nil {
			return err
		}
	}
	if len(keys) > 0 {
		w.line(depth)
	}
	w.out = append(w.out, '}')
	return nil
}

// line begins a new line, indented, when the text is to be pretty.
func (w *writer) line(depth int) {
	if !w.pretty {
		return
	}
	w.out = append(w.out, '\n')
	for range depth {
		w.out = append(w.out, ' ', ' ')
	}
}
