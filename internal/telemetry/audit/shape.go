package audit

import (
	"slices"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// Bounds of a shape. Keys beyond them may be data, such as names of people, rather than names of
// arguments.
const (
	maxKeys    = 32   // of an object whose keys are shown
	maxKeySize = 40   // of a key that is shown, in bytes
	maxDepth   = 4    // of objects and lists that are shown
	maxItems   = 16   // of a list that are read
	maxTypes   = 3    // of items of a list that are shown
	maxShape   = 1000 // bytes
)

// shape returns the types and keys of a value, never its values:
//
//	{path: string, edits: [3 × {old: string, new: string}]}
//
// Of an object with more than 32 keys, or with a key that is no identifier of at most 40 bytes or
// that has a secret, it says only how many keys there are. A list says how many items it has, and
// up to three types of the first 16. The text has at most about 1,000 bytes.
func shape(v value.Value, secrets *config.Secrets) string {
	s := shaper{secrets: secrets}
	return wording.Truncate(s.of(v, 0), maxShape)
}

type shaper struct {
	secrets *config.Secrets
	size    int // of the keys so far
}

func (s *shaper) of(v value.Value, depth int) string {
	switch v := v.(type) {
	case nil, value.NullType:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return s.list(v, depth)
	}
	if o, isObject := value.ObjectOf(v); isObject {
		return s.object(o, depth)
	}
	return "number"
}

func (s *shaper) list(items []any, depth int) string {
	if len(items) == 0 {
		return "[]"
	}
	count := strconv.Itoa(len(items)) + " ×"
	if depth >= maxDepth || s.size > maxShape {
		return "[" + count + " …]"
	}
	var types []string
	for _, item := range items[:min(len(items), maxItems)] {
		if t := s.of(item, depth+1); !slices.Contains(types, t) {
			types = append(types, t)
		}
		if len(types) > maxTypes {
			types[maxTypes] = "…"
			break
		}
	}
	return "[" + count + " " + strings.Join(types, " | ") + "]"
}

func (s *shaper) object(o value.Object, depth int) string {
	keys := o.Keys()
	if len(keys) == 0 {
		return "{}"
	}
	if depth >= maxDepth || len(keys) > maxKeys || s.size > maxShape || !s.areNames(keys) {
		return "{" + wording.Count(len(keys), "key") + "}"
	}
	var b strings.Builder
	for i, key := range keys {
		if i > 0 {
			b.WriteString(", ")
		}
		s.size += len(key)
		v, _ := o.Get(key)
		b.WriteString(key + ": " + s.of(v, depth+1))
	}
	return "{" + b.String() + "}"
}

// areNames reports whether keys look like names of arguments: identifiers, with hyphens too.
func (s *shaper) areNames(keys []string) bool {
	for _, key := range keys {
		if key == "" || len(key) > maxKeySize || key[0] >= '0' && key[0] <= '9' || key[0] == '-' ||
			strings.ContainsFunc(key, func(r rune) bool { return !isNamePart(r) }) || s.secrets.Redact(key) != key {
			return false
		}
	}
	return true
}

func isNamePart(r rune) bool {
	return r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}
