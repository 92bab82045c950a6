package config

import (
	"reflect"
	"slices"
	"strings"

	"toolgraph/internal/base/wording"
)

// Format returns a new YAML file with this content, in the style of the files that people write.
// A note of a part is a comment above it, on as many lines as it has; a note of the first key of a
// list item is above the item, and parts of a text, a schema or a small list have none. Characters
// that a terminal acts on are replaced in notes. The result is parsed and compared with root. The
// error is Diagnostics; path is for messages.
func Format(path string, root *Data, notes map[*Data]string) ([]byte, error) {
	w := writer{newline: "\n", notes: notes}
	if note := notes[root]; note != "" {
		w.comment(note, 0)
	}
	w.mapping(root, 0)
	text := []byte(w.text() + "\n")
	got, err := ParseData(path, text)
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(got.Value(), root.Value()) {
		return nil, cannotEdit(path, Pos{}, "cannot write this content as YAML", "")
	}
	return text, nil
}

// note writes the note of a part, which begins at this indentation, above it.
func (w *writer) note(d *Data, indent int) {
	if note := w.notes[d]; note != "" {
		w.comment(note, indent)
	}
}

// noteItem writes the notes of a list item and of its first key above it.
func (w *writer) noteItem(d *Data, indent int) {
	w.note(d, indent)
	if d.Kind == KindObject && len(d.Items) > 0 {
		w.note(d.Items[0], indent)
	}
}

// comment writes lines with # and begins the next one.
func (w *writer) comment(text string, indent int) {
	for _, line := range strings.Split(text, "\n") {
		w.out.WriteString(strings.TrimRight("# "+wording.OneLine(line), " "))
		w.line(indent)
	}
}

// isNoted reports whether a part of the data has a note, so that it needs lines of its own.
func (w *writer) isNoted(d *Data) bool {
	if len(w.notes) == 0 {
		return false
	}
	return slices.ContainsFunc(d.Items, func(item *Data) bool { return w.notes[item] != "" || w.isNoted(item) })
}

// NewText returns a text as Data for Format.
func NewText(text string) *Data { return &Data{Scalar: text} }

// NewExpression returns {expr: source} as Data for Format.
func NewExpression(source string) *Data {
	return &Data{Kind: KindExpression, Expr: Text{Value: source}}
}

// NewList returns a list as Data for Format.
func NewList(items ...*Data) *Data { return &Data{Kind: KindArray, Items: items} }

// NewObject returns an empty object as Data for Format; Set fills it.
func NewObject() *Data { return &Data{Kind: KindObject} }

// Set adds a key at the end of an object made by NewObject, and returns the object. The value is a
// *Data, a text, a boolean or a float64; a nil *Data adds nothing. The key must be new.
func (d *Data) Set(key string, value any) *Data {
	data, isData := value.(*Data)
	if !isData {
		data = &Data{Scalar: value}
	}
	if data != nil {
		d.Keys, d.Items = append(d.Keys, Text{Value: key}), append(d.Items, data)
	}
	return d
}
