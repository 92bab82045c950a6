package page

import (
	"encoding/json"
	"net/http"

	"toolgraph/expressions/value"
	"toolgraph/internal/wording"
)

const (
	childrenShown = 100      // of a level
	textShown     = 4000     // bytes of a scalar
	childText     = 1000     // bytes of a scalar in a level
	textRest      = 64 << 10 // bytes of a scalar that is read on
)

// level is a value as a tree shows it: itself and its children, those by previews.
type level struct {
	Key      any     `json:"key,omitempty"` // a field's name or an index
	Kind     string  `json:"kind"`          // see kindOf
	Size     int     `json:"size"`          // children
	Bytes    int     `json:"bytes"`         // as compact JSON; of a child only when it is cut
	Text     string  `json:"text,omitempty"`
	More     int     `json:"more,omitempty"` // the byte of a text to read on from; 0: Text is all of it
	Preview  string  `json:"preview,omitempty"`
	Children []level `json:"children,omitempty"` // a page of them; nil for a scalar and for a child
}

// levelOf is the value at a path, with its children from one on; of a text, what stands
// from a byte on.
func levelOf(v value.Value, path []any, from int) (level, error) {
	for _, part := range path {
		var ok bool
		if v, ok = child(v, part); !ok {
			return level{}, errorf(http.StatusNotFound, "the value has no such part any more")
		}
	}
	if text, ok := v.(string); ok && from > 0 {
		rest := text[min(from, len(text)):]
		out := level{Kind: "string", Text: wording.Head(rest, textRest), Bytes: value.Size(v)}
		if len(out.Text) < len(rest) {
			out.More = from + len(out.Text)
		}
		return out, nil
	}
	out := brief(v, textShown)
	if v != nil {
		out.Bytes = value.Size(v)
	}
	out.Preview = ""
	switch out.Kind {
	case "array":
		out.Children = []level{}
		items := v.([]any)
		from = min(from, len(items))
		for i := from; i < min(from+childrenShown, len(items)); i++ {
			item := brief(items[i], childText)
			item.Key = i
			out.Children = append(out.Children, item)
		}
	case "object":
		out.Children = []level{}
		keys := keysOf(v)
		from = min(from, len(keys))
		for _, key := range keys[from:min(from+childrenShown, len(keys))] {
			item := brief(fieldOf(v, key), childText)
			item.Key = key
			out.Children = append(out.Children, item)
		}
	}
	return out, nil
}

func child(v value.Value, part any) (value.Value, bool) {
	switch part := part.(type) {
	case string:
		item := fieldOf(v, part)
		return item, item != nil
	case float64:
		items, ok := v.([]any)
		if i := int(part); ok && i >= 0 && i < len(items) {
			return items[i], true
		}
	}
	return nil, false
}

// brief is a value without its children.
func brief(v value.Value, most int) level {
	out := level{Kind: kindOf(v)}
	switch out.Kind {
	case "array":
		out.Size, out.Preview = len(v.([]any)), preview(v, previewShown)
	case "object":
		out.Size, out.Preview = len(keysOf(v)), preview(v, previewShown)
	case "string":
		text := v.(string)
		out.Text = wording.Head(text, most)
		if len(out.Text) < len(text) {
			out.Bytes, out.More = len(text), len(out.Text)
		}
	case "nothing":
	default:
		out.Text = scalar(v)
	}
	return out
}

// pathOf reads a path: a JSON array of keys and indexes.
func pathOf(text string) ([]any, error) {
	var path []any
	if text != "" && json.Unmarshal([]byte(text), &path) != nil {
		return nil, errorf(http.StatusBadRequest, "path is no array of keys and indexes")
	}
	return path, nil
}
