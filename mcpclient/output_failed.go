package mcpclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"toolgraph/expressions/value"
	"toolgraph/internal/wording"
)

const (
	mostStructured = 64 << 10 // bytes of the structuredContent of a failed result that are kept
	mostFailure    = 16 << 10 // bytes of an error text that are shown
	failureRoom    = 64 << 10 // bytes of it that are read: it is redacted before it is truncated
)

// failureText is the text of a failed result, or "". It is not redacted.
func failureText(content []byte) string {
	items, err := contentItems(content)
	if err != nil {
		return ""
	}
	var said []string
	for _, item := range items {
		if text, _ := textOf(item); strings.TrimSpace(text) != "" {
			said = append(said, strings.TrimSpace(text))
		}
	}
	return wording.Truncate(strings.Join(said, "\n"), failureRoom)
}

// structuredFailure is the structuredContent of a failed result as compact JSON; nil when
// it is missing, null or no JSON.
func structuredFailure(raw []byte) []byte {
	if raw == nil {
		return nil
	}
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

// failed is what a failed result says, redacted: its text and its structuredContent,
// unless that is what the text says too; and the structuredContent, unless it is too long.
func (n notes) failed(r result) (message string, structured json.RawMessage) {
	structured = n.redactJSON(r.structured)
	message = clip(n.redact(r.text))
	switch {
	case message == "" && structured == nil:
		message = "the tool failed and did not say why"
	case message == "":
		message = clip(string(structured))
	case structured != nil && !sameJSON([]byte(r.text), r.structured):
		message += "\nstructuredContent: " + clip(string(structured))
	}
	if size := len(structured); size > mostStructured {
		message += fmt.Sprintf("\n(structuredContent has %d bytes; more than %d are not kept)", size, mostStructured)
		structured = nil
	}
	return message, structured
}

// sameJSON reports whether two texts are the same JSON, however it is written.
func sameJSON(a, b []byte) bool {
	var plain [2][]byte
	for i, src := range [][]byte{a, b} {
		v, err := value.Decode(src)
		if err != nil {
			return false
		}
		if plain[i], err = value.Encode(value.Plain(v)); err != nil { // with sorted keys
			return false
		}
	}
	return bytes.Equal(plain[0], plain[1])
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

// clip keeps an error text readable. It must be redacted already.
func clip(text string) string { return strings.ToValidUTF8(wording.Truncate(text, mostFailure), "") }
