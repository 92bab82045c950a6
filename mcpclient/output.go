package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// result is a tool result, taken apart.
type result struct {
	value         value.Value // nil when the result is empty
	details       Details     // of the text items that value is made of
	failed        bool        // isError; text and structured say why
	text          string      // all its text
	structured    []byte      // of a failed result: structuredContent as compact JSON; nil when it is missing
	inputRequired bool
	input         input  // which the tool asks for, if inputRequired
	task          []byte // with which the server has answered in place of a result; or nil
}

// errTask is the error of a task where only a result can be.
var errTask = errors.New("the server has begun a task, expected the result of the call")

// ReadResult returns the value of a tool result, as JSON from MCP's tools/call, and whether the
// call failed: the value is that which an expression reads of such a call, nil for none. The error
// describes a result that is not one.
func ReadResult(raw []byte) (v value.Value, failed bool, err error) {
	r, err := readResult(raw, false)
	if r.task != nil {
		return nil, false, errTask
	}
	return r.value, r.failed || r.inputRequired, err
}

// readResult returns the value of a call: structuredContent when there is one; otherwise
// that of its one item: of a text the JSON in it, or the text itself when it is not JSON, of
// any other its content object, of a known type or not; of several items an array of these;
// of none nil. As text it is the text of the answer, whatever structuredContent there is.
func readResult(raw []byte, asText bool) (result, error) {
	var structured, content, isError, kind, task []byte
	var asked input
	var early value.Value
	err := pick(raw, field{name: "structuredContent", into: &structured, decoded: &early}, field{name: "content", into: &content}, field{name: "isError", into: &isError},
		field{name: "resultType", into: &kind}, field{name: "task", into: &task}, field{name: "inputRequests", into: &asked.requests}, field{name: "requestState", into: &asked.state})
	switch {
	case err != nil:
		return result{}, err
	case string(kind) == `"input_required"`:
		return result{inputRequired: true, input: asked}, nil
	case string(kind) == `"task"`:
		return result{task: raw}, nil
	case string(isError) == "true":
		return failedResult(content, structured), nil
	case asText && content != nil:
		text, err := contentText(content)
		return result{value: text}, err
	case early != nil:
		return result{value: early}, nil
	case structured != nil && !bytes.Equal(structured, []byte("null")):
		v, err := value.Decode(structured)
		if err != nil {
			return result{}, fmt.Errorf("structuredContent: %w", err)
		}
		return result{value: v}, nil
	case content == nil && len(task) > 0 && task[0] == '{':
		return result{task: task}, nil // of revision 2025-11-25
	}
	v, details, err := contentValue(content)
	return result{value: v, details: details}, err
}

// failedResult returns a result with isError. A value that cannot be read is missing.
func failedResult(content, structured []byte) result {
	r := result{failed: true, text: failureText(content), structured: structuredFailure(structured)}
	if r.structured != nil {
		r.value, _ = value.Decode(structured)
		return r
	}
	r.value, _, _ = contentValue(content)
	return r
}

// contentItems returns the raw items of a content array, none when it is missing.
func contentItems(content []byte) ([][]byte, error) {
	if content == nil || bytes.Equal(content, []byte("null")) {
		return nil, nil
	}
	var items [][]byte
	if err := elements(content, func(item []byte) { items = append(items, item) }); err != nil {
		return nil, errors.New("content is not an array")
	}
	return items, nil
}

// textOf takes a text item apart; ok is false for any other.
func textOf(item []byte) (t textItem, ok bool) {
	var kind, raw []byte
	err := pick(item, field{name: "type", into: &kind}, field{name: "text", into: &raw}, field{name: "annotations", into: &t.annotations}, field{name: "_meta", into: &t.meta})
	if err != nil || string(kind) != `"text"` {
		return textItem{}, false
	}
	decode := value.Decode
	if len(raw) >= largeResult {
		decode = value.DecodeInPlace // it is most of the message
	}
	v, _ := decode(raw) // nil when it is missing or invalid
	t.text, ok = v.(string)
	return t, ok
}

func contentValue(content []byte) (value.Value, Details, error) {
	items, err := contentItems(content)
	if err != nil {
		return nil, nil, err
	}
	values := make([]value.Value, len(items))
	said := detailsReader{count: len(items)}
	for i, item := range items {
		if t, ok := textOf(item); ok {
			values[i] = textValue(t.text)
			said.add(i, &t)
			continue
		}
		if values[i], err = value.Decode(item); err != nil {
			return nil, nil, fmt.Errorf("content %d: %w", i, err)
		}
	}
	switch len(values) {
	case 0:
		return nil, nil, nil
	case 1:
		return values[0], said.all(), nil
	}
	return values, said.all(), nil
}

// contentText returns the text items of a content array as they are, a line each; without text
// items the JSON of the content.
func contentText(content []byte) (string, error) {
	items, err := contentItems(content)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, item := range items {
		if t, ok := textOf(item); ok {
			texts = append(texts, t.text)
		}
	}
	if texts != nil || len(items) == 0 {
		return strings.Join(texts, "\n"), nil
	}
	v, err := value.Decode(content)
	if err != nil {
		return "", fmt.Errorf("content: %w", err)
	}
	raw, err := value.Encode(v)
	return string(raw), err
}

// textValue returns the JSON in a text, or the text when it is not JSON.
func textValue(text string) value.Value {
	start := strings.TrimLeft(text, " \t\r\n")
	if start == "" || !strings.ContainsRune(`{["-0123456789tfn`, rune(start[0])) {
		return text // prose is not decoded
	}
	v, err := value.DecodeText(text)
	if err != nil {
		return text
	}
	return v
}

const (
	mostStructured = 64 << 10 // bytes of the structuredContent of a failed result
	mostFailure    = 16 << 10 // bytes of an error text that are shown
	failureRoom    = 64 << 10 // bytes of it that are read: it is redacted before it is truncated
)

// failureText returns the text of a failed result, or "". It is not redacted.
func failureText(content []byte) string {
	items, _ := contentItems(content) // a failure without text when it is not an array
	var texts []string
	for _, item := range items {
		if t, _ := textOf(item); strings.TrimSpace(t.text) != "" {
			texts = append(texts, strings.TrimSpace(t.text))
		}
	}
	return wording.Truncate(strings.Join(texts, "\n"), failureRoom)
}

// structuredFailure returns the structuredContent of a failed result as compact JSON; nil
// when it is missing, null or not JSON.
func structuredFailure(raw []byte) []byte {
	v, err := value.Decode(raw)
	if err != nil || v == value.Null {
		return nil
	}
	src, err := value.Encode(v)
	if err != nil {
		return nil
	}
	return src
}

// failed returns the message of a failed result, redacted: its text and its
// structuredContent, unless that is the same as the text; and the structuredContent,
// unless it is too long.
func (n notes) failed(r result) (message string, structured json.RawMessage) {
	structured = n.redactJSON(r.structured)
	message = truncated(n.redact(r.text))
	switch {
	case message == "" && structured == nil:
		message = "the tool failed without a message"
	case message == "":
		message = truncated(string(structured))
	case structured != nil && !sameJSON([]byte(r.text), r.structured):
		message += "\nstructuredContent: " + truncated(string(structured))
	}
	if size := len(structured); size > mostStructured {
		message += fmt.Sprintf("\n(structuredContent has %d bytes; it is left out, because the limit is %d)", size, mostStructured)
		structured = nil
	}
	return message, structured
}

// sameJSON reports whether two texts are the same JSON, however it is written.
func sameJSON(a, b []byte) bool {
	one, err := value.Decode(a)
	other, err2 := value.Decode(b)
	return err == nil && err2 == nil && value.Same(one, other)
}

// redactJSON is redact for JSON, which stays JSON.
func (n notes) redactJSON(raw []byte) json.RawMessage {
	if raw == nil {
		return nil
	}
	clean := []byte(n.auth.hide(string(n.secrets.RedactJSON(raw))))
	if !json.Valid(clean) {
		return json.RawMessage(`"[redacted]"`)
	}
	return clean
}

// truncated returns an error text of a readable length. It must be redacted already.
func truncated(text string) string {
	return strings.ToValidUTF8(wording.Truncate(text, mostFailure), "")
}
