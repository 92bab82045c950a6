package page

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/view"
	"toolgraph/internal/base/wording"
)

const (
	childrenShown = 100      // of a level
	textShown     = 4000     // bytes of a scalar
	childText     = 300      // bytes of a scalar in a level
	textRest      = 64 << 10 // bytes of the rest of a scalar
	previewShown  = 160      // bytes of a value in a list
)

// value returns the value that a request names by of and at.
func (s *Server) value(r *http.Request, now runState) (value.Value, error) {
	p, err := placeOf(r, now)
	if err != nil {
		return nil, err
	}
	switch of := r.URL.Query().Get("of"); of {
	case "args":
		return now.args, nil
	case "result":
		return now.result, nil
	case "context":
		if now.graph != nil && now.isSteps(p) {
			return s.evaluated(r, now, p, of)
		}
		return contextAt(now.before(p)), nil
	case "output":
		if rec, ok := now.record(p); ok {
			return rec.Output, nil
		}
		return nil, errorf(http.StatusNotFound, "step %s has no output yet", p.address())
	case "input", "item", "foreseen", "expression":
		return s.evaluated(r, now, p, of)
	default:
		return nil, errorf(http.StatusBadRequest, "of is %q, expected args, result, context, output, input, item, foreseen or expression", of)
	}
}

// evaluated returns the arguments of a call or the message of an ask; the item of a part; what a step
// that has not run would give; what a step of a tool of steps sees; or the value of an expression of the request.
func (s *Server) evaluated(r *http.Request, now runState, p place, of string) (v value.Value, err error) {
	defer func() {
		var known *failure
		if err != nil && !errors.As(err, &known) {
			err = errorf(http.StatusUnprocessableEntity, "%s", now.project.File.Secrets.Redact(err.Error()))
		}
	}()
	ctx, done, err := s.evaluating(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	scope, err := now.scope(ctx, p)
	if err != nil {
		return nil, err
	}
	node := now.node(p)
	switch of {
	case "context":
		return now.history.StepContext(ctx, now.graph, p.address())
	case "item":
		return scope.Variables[now.graphOf(p.Frame).ItemAt(now.nodeID(p), p.Part)], nil
	case "expression":
		q := r.URL.Query()
		return evaluated(ctx, evaluateJSON{Kind: q.Get("kind"), Source: q.Get("source")}, scope)
	case "foreseen":
		e := evaluation{ctx: ctx, scope: scope}
		v, known, err := e.foreseenAt(now, p)
		if err == nil && !known {
			err = errNotForeseen
		}
		return v, err
	}
	input := view.InputOf(node, p.Part)
	if input == nil {
		return nil, errorf(http.StatusNotFound, "step %s neither makes a call with arguments nor asks", p.address())
	}
	return input.Eval(ctx, scope)
}

// contextAt returns the context after these records, with the nodes in the order in which
// they first ran.
func contextAt(records []execution.Record) value.Value {
	outputs := execution.Context(records)
	var keys []string
	var values []value.Value
	for _, rec := range records {
		if v, ok := outputs[rec.NodeID]; ok {
			keys, values = append(keys, rec.NodeID), append(values, v)
			delete(outputs, rec.NodeID)
		}
	}
	return value.NewObject(keys, values)
}

// part returns the part of a value that a request names by its path, and what it was before.
func (s *Server) part(r *http.Request, now runState) (v value.Value, old earlier, err error) {
	if v, err = s.value(r, now); err != nil {
		return nil, old, err
	}
	if p, err := placeOf(r, now); err == nil {
		old = earlierOf(r, now, p, r.URL.Query().Get("of"))
	}
	var path []any
	if text := r.URL.Query().Get("path"); text != "" && json.Unmarshal([]byte(text), &path) != nil {
		return nil, old, errorf(http.StatusBadRequest, "path is not a JSON array of keys and indexes")
	}
	for _, key := range path {
		if v = child(v, key); v == nil {
			return nil, old, errorf(http.StatusNotFound, "the value has no such part any more")
		}
		old = old.child(key)
	}
	return v, old, nil
}

func (s *Server) getValue(r *http.Request, now runState) (any, error) {
	v, old, err := s.part(r, now)
	if err != nil {
		return nil, err
	}
	from, err := number(r, "from", 0, maxBody)
	if err != nil {
		return nil, err
	}
	out, err := levelOf(v, nil, from)
	if err == nil {
		old.markAll(&out, v)
	}
	return out, err
}

// level is a value as a tree shows it: itself and its children, those by previews.
type level struct {
	Key      any     `json:"key,omitempty"` // a field's name or an index
	Kind     string  `json:"kind"`          // see kindOf
	Size     int     `json:"size"`          // number of children
	Bytes    int     `json:"bytes"`         // as compact JSON; of a child only when it is truncated
	Text     string  `json:"text,omitempty"`
	More     int     `json:"more,omitempty"` // the byte of a text from which to read on; 0: Text is all of it
	Preview  string  `json:"preview,omitempty"`
	Children []level `json:"children,omitempty"` // a page of them; nil for a scalar and for a child
	Table    bool    `json:"table,omitempty"`    // a list of objects

	// How it differs from what was at its place before, when that was asked for.
	Change string `json:"change,omitempty"` // new or changed
	Was    string `json:"was,omitempty"`    // a preview of what it was, unless it has parts that say so
	Gone   []any  `json:"gone,omitempty"`   // keys that it does not have any more
}

// levelOf returns the value at a path with its children from an index on; of a text, what
// follows from a byte on.
func levelOf(v value.Value, path []any, from int) (level, error) {
	for _, part := range path {
		if v = child(v, part); v == nil {
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
	out.Preview = ""
	if v != nil {
		out.Bytes = value.Size(v)
	}
	add := func(key any, v value.Value) {
		item := brief(v, childText)
		item.Key = key
		out.Children = append(out.Children, item)
	}
	from = min(from, out.Size)
	to := min(from+childrenShown, out.Size)
	if items, ok := v.([]any); ok {
		out.Children = []level{}
		for i, item := range items[from:to] {
			add(from+i, item)
		}
	} else if object, ok := objectOf(v); ok {
		out.Children = []level{}
		for _, key := range object.Keys()[from:to] {
			item, _ := object.Get(key)
			add(key, item)
		}
	}
	return out, nil
}

// child returns the part of a value at a key or an index, nil when it has none.
func child(v value.Value, part any) value.Value {
	switch part := part.(type) {
	case string:
		if object, ok := objectOf(v); ok {
			item, _ := object.Get(part)
			return item
		}
	case float64:
		items, ok := v.([]any)
		if i := int(part); ok && i >= 0 && i < len(items) {
			return items[i]
		}
	}
	return nil
}

// brief returns a value without its children.
func brief(v value.Value, most int) level {
	out := level{Kind: kindOf(v)}
	switch out.Kind {
	case "array":
		items := v.([]any)
		out.Size, out.Preview = len(items), preview(v, previewShown)
		out.Table = areObjects(items)
	case "object":
		object, _ := objectOf(v)
		out.Size, out.Preview = object.Len(), preview(v, previewShown)
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

// areObjects reports whether the first items of a list are objects.
func areObjects(items []any) bool {
	const looked = 20
	for _, item := range items[:min(len(items), looked)] {
		if _, ok := objectOf(item); !ok {
			return false
		}
	}
	return len(items) > 0
}

// preview returns the beginning of a value's JSON, at most so many bytes and an ellipsis;
// for nil the word nothing. It costs no more than what it shows.
func preview(v value.Value, most int) string {
	var b strings.Builder
	begin(&b, v, most)
	return wording.Truncate(b.String(), most)
}

// begin writes JSON until it is longer than most, and reports whether that was all.
func begin(b *strings.Builder, v value.Value, most int) bool {
	if b.Len() > most {
		return false
	}
	switch kindOf(v) {
	case "nothing":
		b.WriteString("nothing")
	case "array":
		b.WriteByte('[')
		for i, item := range v.([]any) {
			if i > 0 {
				b.WriteByte(',')
			}
			if !begin(b, item, most) {
				return false
			}
		}
		b.WriteByte(']')
	case "object":
		object, _ := objectOf(v)
		b.WriteByte('{')
		for i, key := range object.Keys() {
			if i > 0 {
				b.WriteByte(',')
			}
			begin(b, key, most)
			b.WriteByte(':')
			if item, _ := object.Get(key); !begin(b, item, most) {
				return false
			}
		}
		b.WriteByte('}')
	case "string":
		b.WriteString(scalar(wording.Truncate(v.(string), most)))
	default:
		b.WriteString(scalar(v))
	}
	return b.Len() <= most
}

// scalar returns a scalar's JSON.
func scalar(v value.Value) string {
	raw, err := value.Encode(v)
	if err != nil {
		return "null" // a number that JSON does not have
	}
	return string(raw)
}

// kindOf is object, array, string, number, boolean, null or nothing.
func kindOf(v value.Value) string {
	switch v.(type) {
	case nil:
		return "nothing"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case value.Object, map[string]any:
		return "object"
	}
	if v == value.Null {
		return "null"
	}
	return "number"
}

// objectOf returns a value that is an object, with its keys in order.
func objectOf(v value.Value) (value.Object, bool) {
	if unordered, ok := v.(map[string]any); ok {
		keys := slices.Sorted(maps.Keys(unordered))
		values := make([]value.Value, len(keys))
		for i, key := range keys {
			values[i] = unordered[key]
		}
		v = value.NewObject(keys, values)
	}
	object, ok := v.(value.Object)
	return object, ok
}
