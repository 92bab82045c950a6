package inspect

import (
	"encoding/json"

	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/wording"
)

// DefaultValueBytes is how much of a value is told when nothing else is asked for.
const DefaultValueBytes = 4 << 10

// Value is a value as it is told: whole, or its beginning.
type Value struct {
	Value     json.RawMessage `json:"value,omitempty"`     // the whole
	Beginning string          `json:"beginning,omitempty"` // of its JSON, when it is longer than was asked for
	Bytes     int             `json:"bytes"`               // of the whole JSON
	Gap       *journal.Gap    `json:"gap,omitempty"`       // it was not kept as it was
}

// Whole reports whether the value is all there.
func (v Value) Whole() bool { return v.Beginning == "" && v.Gap == nil }

// Text is the value as one line.
func (v Value) Text() string {
	if v.Beginning != "" {
		return v.Beginning + "…"
	}
	return string(v.Value)
}

func valueOf(k journal.Recorded) Value {
	if k.Truncated && k.Gap == nil || k.Truncated && k.Gap.Reason == journal.Redacted {
		return Value{Beginning: string(k.JSON), Bytes: k.Bytes, Gap: k.Gap}
	}
	return Value{Value: k.JSON, Bytes: k.Bytes, Gap: k.Gap}
}

// bounded is a value in hand, at most so many bytes of it (0: all); nil stays nil.
func bounded(v value.Value, most int) *Value {
	if v == nil {
		return nil
	}
	text, err := value.Encode(v)
	if err != nil {
		text = []byte("null")
	}
	if most > 0 && len(text) > most {
		return &Value{Beginning: wording.Head(string(text), most), Bytes: len(text)}
	}
	return &Value{Value: text, Bytes: len(text)}
}
