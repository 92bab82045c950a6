package journal

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// noteTexts is memory for notes.
var noteTexts = sync.Pool{New: func() any { return new([MaxNote + 1]byte) }}

// append appends the note as JSON. Most are written field by field, in half a microsecond in place of three.
func (n *Note) append(dst []byte) ([]byte, error) {
	if !isShortCall(n.Event) {
		text, err := json.Marshal(n)
		return append(dst, text...), err
	}
	v := n.Event.Step
	dst = append(headOf(append(dst, `{"event":`...), n.Event), `,"step":{"executionIndex":`...)
	dst = strconv.AppendInt(dst, int64(v.Index), 10)
	for _, field := range [...]struct{ name, text string }{
		{"frame", string(v.Frame)},
		{"part", v.Part},
		{"graph", v.Graph},
		{"nodeId", v.NodeID},
		{"nodeType", string(v.NodeType)},
		{"server", v.Server},
		{"tool", v.Tool},
		{"digest", v.Digest},
	} {
		dst = appendField(dst, field.name, field.text)
	}
	if v.Attempt != 0 {
		dst = strconv.AppendInt(append(dst, `,"attempt":`...), int64(v.Attempt), 10)
	}
	dst = append(dst, `}}`...)
	if n.Begin != nil {
		dst = append(append(dst, `,"begin":`...), n.Begin.text...)
	}
	return append(dst, '}'), nil
}

// newBeginning returns a beginning with its text, which the notes of a run share.
func newBeginning(of About, first []byte) *beginning {
	b := &beginning{File: of.File, Server: of.Server, First: first}
	dst := make([]byte, 0, 2*usualChunk)
	dst = base64.StdEncoding.AppendEncode(append(dst, `{"first":"`...), b.First)
	b.text = append(appendField(appendField(append(dst, '"'), "file", b.File), "server", b.Server), '}')
	return b
}

// startHead returns the beginning of a run without its arguments, which is short, as JSON.
func startHead(e execution.Event) []byte {
	dst := headOf(make([]byte, 0, usualChunk), e)
	dst = append(value.AppendString(append(dst, `,"start":{"tool":`...), e.Start.Tool), `,"graph":`...)
	return append(value.AppendString(dst, e.Start.Graph), `,"args":null}}`...)
}

// headOf appends what every event has, and leaves its object open.
func headOf(dst []byte, e execution.Event) []byte {
	dst = append(dst, `{"kind":"`...)
	dst = append(append(dst, e.Kind...), `","run":`...)
	dst = append(value.AppendString(dst, e.Run), `,"time":"`...)
	return append(e.Time.UTC().AppendFormat(dst, time.RFC3339Nano), '"')
}

// appendField appends a field of an object that has one before it; nothing for an empty text.
func appendField(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return value.AppendString(dst, text)
}
