package lock

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"toolgraph/expressions/value"
	"toolgraph/internal/base/diff"
)

// Kind is what happened to a tool between two locks.
type Kind string

// The kinds of changes.
const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Changed Kind = "changed" // its definition
	Learned Kind = "learned" // only the schema that was learned from its answers
)

// Change is a tool that differs between two locks.
type Change struct {
	Server string   `json:"server"`
	Tool   string   `json:"tool"`
	Kind   Kind     `json:"kind"`
	Diff   []string `json:"diff,omitempty"` // of Changed and Learned: one place a line, for people
}

// Compare returns the changes from the lock to a newer one, sorted by server and tool.
// Either may be nil.
func (l *Lock) Compare(newer *Lock) []Change {
	var changes []Change
	if l != nil {
		for _, was := range l.Entries {
			is, remains := newer.Entry(was.Server, was.Tool)
			switch {
			case !remains:
				changes = append(changes, Change{Server: was.Server, Tool: was.Tool, Kind: Removed})
			case was.Hash != is.Hash || !was.sameParts(is):
				changes = append(changes, Change{Server: was.Server, Tool: was.Tool, Kind: Changed, Diff: was.diff(is)})
			case !bytes.Equal(was.Output, is.Output) || was.Learned != is.Learned:
				changes = append(changes, Change{Server: was.Server, Tool: was.Tool, Kind: Learned, Diff: was.diff(is)})
			}
		}
	}
	if newer != nil {
		for _, is := range newer.Entries {
			if _, known := l.Entry(is.Server, is.Tool); !known {
				changes = append(changes, Change{Server: is.Server, Tool: is.Tool, Kind: Added})
			}
		}
	}
	slices.SortStableFunc(changes, func(a, b Change) int {
		return strings.Compare(a.Server+"\x00"+a.Tool, b.Server+"\x00"+b.Tool)
	})
	return changes
}

// sameParts reports whether the stored parts of two definitions are equal.
func (e Entry) sameParts(other Entry) bool {
	return maps.EqualFunc(e.parts(), other.parts(), func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}

// diff returns the places in which two entries of a tool differ, one a line.
func (e Entry) diff(newer Entry) []string {
	var lines []string
	for _, text := range []struct{ name, was, is string }{
		{"server", e.Identity, newer.Identity}, {title, e.Title, newer.Title}, {description, e.Description, newer.Description},
	} {
		if text.was != text.is {
			lines = append(lines, placeOf(diff.Change{Path: text.name, Old: orNil(text.was), New: orNil(text.is)}))
		}
	}
	for _, name := range documents {
		for _, c := range diff.Values(valueOf(*e.document(name)), valueOf(*newer.document(name))) {
			c.Path = name + c.Path
			lines = append(lines, placeOf(c))
		}
	}
	if len(lines) == 0 {
		lines = []string{"~ the difference is in a part of which the lock has only the hash"}
	}
	return lines
}

// orNil returns a string as a value, nil for an empty one.
func orNil(text string) value.Value {
	if text == "" {
		return nil
	}
	return text
}

// valueOf decodes JSON; nil when it is missing.
func valueOf(src []byte) value.Value {
	v, err := value.Decode(src)
	if err != nil {
		return nil
	}
	return v
}

// placeOf returns a change as a line: - for a removed value, + for an added one, ~ for both.
func placeOf(c diff.Change) string {
	place := Shown(c.Path, placeShown)
	switch {
	case c.Old == nil:
		return "+ " + place + ": " + valueShown(c.New, "")
	case c.New == nil:
		return "- " + place + ": " + valueShown(c.Old, "")
	}
	return "~ " + place + ": " + valueShown(c.Old, encoded(c.New)) + " → " + valueShown(c.New, encoded(c.Old))
}

func encoded(v value.Value) string {
	src, err := value.Encode(v)
	if err != nil {
		return "…"
	}
	return string(src)
}

// valueShown returns the part of a value's JSON that fits into a line, from a little before
// the place where it differs from the other JSON.
func valueShown(v value.Value, other string) string {
	const room, before = 160, 40
	src := []rune(Shown(encoded(v), maxStored))
	if len(src) <= room {
		return string(src)
	}
	from := 0
	for i, r := range []rune(other) {
		if i >= len(src) || src[i] != r {
			break
		}
		from++
	}
	from = max(0, min(from-before, len(src)-room))
	text := string(src[from:min(len(src), from+room)])
	if from > 0 {
		text = "…" + text
	}
	if from+room < len(src) {
		text += "…"
	}
	return text
}
