package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"toolgraph/internal/base/wording"
)

// Kind is the kind of a Data.
type Kind int

// The kinds of Data.
const (
	KindScalar     Kind = iota // Scalar holds it
	KindObject                 // Keys[i] belongs to Items[i]
	KindArray                  // Items
	KindExpression             // only inside args: {expr: …}; Expr holds the JSONata source
)

// Data is a piece of free-form YAML (args, a rule, a schema) with all places, and object keys in
// file order. It is immutable after Load, and then safe for concurrent use.
type Data struct {
	Pos    Pos
	Kind   Kind
	Scalar any  // nil, bool, float64, json.Number (an integer beyond 2^53) or string
	Text   Text // a string scalar's text with its place
	Expr   Text
	Keys   []Text
	Items  []*Data
}

// Get returns the value of an object's key, or nil; d may be nil.
func (d *Data) Get(key string) *Data {
	if d == nil || d.Kind != KindObject {
		return nil
	}
	for i, k := range d.Keys {
		if k.Value == key {
			return d.Items[i]
		}
	}
	return nil
}

// Requires reports whether d is a schema whose required has a name; d may be nil.
func (d *Data) Requires(name string) bool {
	required := d.Get("required")
	return required != nil && slices.ContainsFunc(required.Items, func(item *Data) bool { return item.Scalar == name })
}

// At follows a path of keys (string) and indexes (int, 0-based) as far as possible and returns
// the Data there. It is nil only when d is.
func (d *Data) At(path ...any) *Data {
	for _, step := range path {
		var next *Data
		switch s := step.(type) {
		case string:
			next = d.Get(s)
		case int:
			if d.Kind == KindArray && s >= 0 && s < len(d.Items) {
				next = d.Items[s]
			}
		}
		if next == nil {
			return d
		}
		d = next
	}
	return d
}

// data returns an item as Data. In args and the like, whose name in is, {expr: …} is an
// expression; elsewhere in is empty and it is a mapping.
func (d *decoder) data(it *item, in string) *Data {
	data := &Data{Pos: it.pos, Keys: it.keys}
	switch it.kind {
	case itemMapping:
		if expr := it.get("expr"); in != "" && expr != nil {
			return d.expression(it, expr, in)
		}
		data.Kind = KindObject
	case itemList:
		data.Kind = KindArray
	case itemScalar:
		d.scalar(data, it)
		if v, ok := data.Scalar.(float64); ok && in != "" && strings.Contains(it.text.Value, ".") && !strings.ContainsAny(it.text.Value, "eE") && v == math.Trunc(v) {
			d.found.Warn(it.pos, "number-form", fmt.Sprintf("%s is sent as the number %v", wording.Shorten(it.text.Value), v),
				"quote it if it is meant as text, such as a version").Over(it.text).Fixed(Quote(it.text))
		}
		return data
	}
	data.Items = make([]*Data, len(it.items))
	for i, child := range it.items {
		data.Items[i] = d.data(child, in)
	}
	return data
}

func (d *decoder) scalar(data *Data, it *item) {
	value, problem := it.scalar()
	if problem != nil {
		d.ambiguous(it, problem)
		return
	}
	data.Scalar = value
	if _, isText := value.(string); isText {
		data.Text = it.text
	}
}

// expression returns the {expr: …} of args and the like as Data.
func (d *decoder) expression(it, expr *item, in string) *Data {
	data := &Data{Pos: it.pos, Kind: KindExpression, Expr: expr.text}
	if len(it.keys) > 1 {
		other := it.keys[0]
		if other.Value == "expr" {
			other = it.keys[1]
		}
		d.found.Add(other.Pos, "expr-not-alone", in+" has the key "+wording.Quote(other.Value)+" next to expr, expected expr alone",
			"an object whose only key is expr is an expression; move the other keys out, or compute the whole object in the expression")
		data.Expr = Text{Value: "null", Pos: expr.pos} // so that it has no further findings
		return data
	}
	if value, isText := expr.value().(string); expr.kind != itemScalar || !isText || value == "" {
		if expr.isNull() || isText && value == "" {
			d.found.Add(expr.pos, "wrong-type", "expr is empty", "write a JSONata expression")
		} else {
			d.found.Add(expr.pos, "wrong-type", "expr is "+expr.describe()+", expected a JSONata expression", "quote it").Over(expr.text).Fixed(Quote(expr.text))
		}
		data.Expr = Text{Value: "null", Pos: expr.pos}
	}
	return data
}

var looksLikeExpression = wording.Pattern(`^\$(\.|\$|\[|[A-Za-z_][A-Za-z0-9_]*\s*[.(\[])`)

// prose is a path with at least two words behind it.
var prose = wording.Pattern(`^\$[\w.$]*(\s+[A-Za-z]+){2,}[.!?]?$`)

// isProse reports whether a text that begins with a path goes on as a sentence does, without an operator.
func isProse(text string) bool {
	return prose().MatchString(text) && !slices.ContainsFunc(strings.Fields(text), func(word string) bool { return word == "and" || word == "or" || word == "in" })
}

// args returns the arguments of a call. In a file of the older language, a text on the first
// level that begins with $ is an expression.
func (d *decoder) args(it *item) *Data {
	if it == nil {
		return nil
	}
	if it.isNull() {
		return &Data{Pos: it.pos, Kind: KindObject}
	}
	data := d.data(it, "args")
	if data.Kind != KindObject {
		return data
	}
	for i, child := range data.Items {
		if text, isText := child.Scalar.(string); isText && d.file.Older && strings.HasPrefix(text, "$") {
			data.Items[i] = &Data{Pos: child.Pos, Kind: KindExpression, Expr: child.Text}
			continue
		}
		d.literal(child, data.Keys[i].Value)
	}
	return data
}

// literal warns of a text under a key that looks like an expression.
func (d *decoder) literal(data *Data, key string) {
	if text, _ := data.Scalar.(string); strings.HasPrefix(text, "$") && looksLikeExpression().MatchString(text) && !isProse(text) {
		d.found.Warn(data.Pos, "literal-expression", wording.Quote(text)+" looks like an expression but is sent as literal text",
			fmt.Sprintf("write %s: {expr: %s}", wording.Shorten(key), wording.Shorten(text))).Fixed(MakeExpression(data.Text, text))
	}
}

// MakeExpression writes an expression in the place of a text.
func MakeExpression(t Text, source string) Fix {
	return WriteScalar("Make it an expression", t, ExpressionText(source))
}

// ExpressionText returns an expression as it is written in args: {expr: source}, in quotes where YAML needs them.
func ExpressionText(source string) string { return inline(NewExpression(source)) }

// Value returns the data as plain Go values: nil, bool, float64, json.Number, string, []any and
// map[string]any. An expression is {"expr": source}. The caller owns the result.
func (d *Data) Value() any {
	if d == nil {
		return nil
	}
	switch d.Kind {
	case KindObject:
		object := make(map[string]any, len(d.Keys))
		for i, k := range d.Keys {
			object[k.Value] = d.Items[i].Value()
		}
		return object
	case KindArray:
		list := make([]any, len(d.Items))
		for i, item := range d.Items {
			list[i] = item.Value()
		}
		return list
	case KindExpression:
		return map[string]any{"expr": d.Expr.Value}
	case KindScalar:
	}
	return d.Scalar
}

// JSON returns the data as compact JSON, with keys in file order and exact numbers.
func (d *Data) JSON() []byte { return d.appendJSON(nil) }

// MarshalJSON returns JSON and never an error.
func (d *Data) MarshalJSON() ([]byte, error) { return d.JSON(), nil }

func (d *Data) appendJSON(dst []byte) []byte {
	if d == nil {
		return append(dst, "null"...)
	}
	switch d.Kind {
	case KindObject:
		dst = append(dst, '{')
		for i, k := range d.Keys {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendJSONText(dst, k.Value), ':')
			dst = d.Items[i].appendJSON(dst)
		}
		return append(dst, '}')
	case KindArray:
		dst = append(dst, '[')
		for i, item := range d.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendJSON(dst)
		}
		return append(dst, ']')
	case KindExpression:
		return append(appendJSONText(append(dst, `{"expr":`...), d.Expr.Value), '}')
	case KindScalar:
	}
	switch v := d.Scalar.(type) {
	case string:
		return appendJSONText(dst, v)
	case json.Number:
		return append(dst, v...)
	}
	raw, err := json.Marshal(d.Scalar)
	if err != nil { // a number that is not finite, which the loader rejects
		return append(dst, "null"...)
	}
	return append(dst, raw...)
}

// appendJSONText appends text as a JSON string; <, > and & stay as they are.
func appendJSONText(dst []byte, s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // strings always encode
		return append(dst, `""`...)
	}
	return append(dst, bytes.TrimRight(b.Bytes(), "\n")...)
}

// ParseData parses free-form YAML or JSON with the limits of graph files; path is for messages.
// The error is Diagnostics. Safe for concurrent use.
func ParseData(path string, src []byte) (*Data, error) {
	root, found := readItems(path, src)
	if root == nil {
		return nil, sorted(found)
	}
	d := &decoder{path: path, file: &File{Path: path, Secrets: &Secrets{}}, found: found}
	data := d.data(root, "")
	return data, sorted(d.found).Err()
}

// LoadData is ParseData for the file at path. The error is fs.ErrNotExist when the file does not
// exist.
func LoadData(path string) (*Data, error) {
	src, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseData(path, src)
}
