// Package diff compares two versions: texts by lines, values by paths.
//
// In go an older and a newer version, out come the changes, as a unified diff or as a list.
// It must not know what the versions are of. It owns rogpeppe/go-internal/diff.
package diff

import (
	"encoding/json"
	"fmt"

	"toolgraph/expressions/value"

	"github.com/rogpeppe/go-internal/diff"
)

// Text returns a unified diff of two texts, or "" when they are equal.
func Text(oldName, older, newName, newer string) string {
	if older == newer {
		return ""
	}
	return string(diff.Diff(oldName, []byte(older), newName, []byte(newer)))
}

// Change is one place in which two values differ.
type Change struct {
	Path string      // .items[2].name; "" for the value as a whole
	Old  value.Value // nil when it was added
	New  value.Value // nil when it was removed
}

// Values returns the places in which two values differ, keys in the older one's order,
// then the newer one's. Numbers are compared by value, whatever their Go type, and the
// order of an object's keys does not count.
func Values(older, newer value.Value) []Change {
	return compare(nil, "", older, newer)
}

func compare(found []Change, path string, older, newer value.Value) []Change {
	switch a := ordered(older).(type) {
	case value.Object:
		if b, ok := ordered(newer).(value.Object); ok {
			return compareObjects(found, path, a, b)
		}
	case []any:
		if b, ok := newer.([]any); ok {
			return compareArrays(found, path, a, b)
		}
	}
	if equalScalars(older, newer) {
		return found
	}
	return append(found, Change{Path: path, Old: older, New: newer})
}

// ordered returns the value; a map becomes an Object with sorted keys.
func ordered(v value.Value) value.Value {
	if m, ok := v.(map[string]any); ok {
		return value.FromPlain(m)
	}
	return v
}

func compareObjects(found []Change, path string, a, b value.Object) []Change {
	for _, key := range a.Keys() {
		was, _ := a.Get(key)
		is, _ := b.Get(key) // nil when it was removed
		found = compare(found, step(path, key), was, is)
	}
	for _, key := range b.Keys() {
		if _, had := a.Get(key); !had {
			is, _ := b.Get(key)
			found = append(found, Change{Path: step(path, key), New: is})
		}
	}
	return found
}

func compareArrays(found []Change, path string, a, b []any) []Change {
	for i := range max(len(a), len(b)) {
		var was, is value.Value
		if i < len(a) {
			was = a[i]
		}
		if i < len(b) {
			is = b[i]
		}
		found = compare(found, fmt.Sprintf("%s[%d]", path, i), was, is)
	}
	return found
}

// equalScalars compares values that are not both arrays or both objects; numbers by all their digits.
func equalScalars(a, b value.Value) bool {
	if !value.SameScalar(a, b) {
		return false
	}
	switch a.(type) {
	case float64, json.Number: // one with more digits than the other may be the same number
		left, leftErr := value.Encode(a)
		right, rightErr := value.Encode(b)
		return leftErr == nil && rightErr == nil && string(left) == string(right)
	}
	return true
}

// step appends a key to a path, as people write it.
func step(path, key string) string {
	if isName(key) {
		return path + "." + key
	}
	return fmt.Sprintf("%s[%q]", path, key)
}

func isName(key string) bool {
	for i, r := range key {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return key != ""
}
