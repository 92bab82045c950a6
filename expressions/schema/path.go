package schema

import (
	"iter"
	"net/url"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// parts yields a schema and all parts inside it with their paths of keys and indexes,
// outer parts first, in file order. A path is valid until the next part.
func parts(d *config.Data) iter.Seq2[[]string, *config.Data] {
	var walk func(path []string, part *config.Data, yield func([]string, *config.Data) bool) bool
	walk = func(path []string, part *config.Data, yield func([]string, *config.Data) bool) bool {
		if part == nil {
			return true
		}
		if !yield(path, part) {
			return false
		}
		for i, item := range part.Items {
			token := strconv.Itoa(i)
			if part.Kind == config.KindObject {
				token = part.Keys[i].Value
			}
			if !walk(append(path, token), item, yield) {
				return false
			}
		}
		return true
	}
	return func(yield func([]string, *config.Data) bool) { walk(nil, d, yield) }
}

// partAt returns the part at a path, or the innermost existing part around it, and whether
// it exists.
func partAt(d *config.Data, path []string) (part *config.Data, exists bool) {
	for _, token := range path {
		inner := d.Get(token)
		if i, err := strconv.Atoi(token); d.Kind == config.KindArray && err == nil && i >= 0 && i < len(d.Items) {
			inner = d.Items[i]
		}
		if inner == nil {
			return d, false
		}
		d = inner
	}
	return d, true
}

// lookUp returns the part of a plain value at a path, or nil.
func lookUp(v any, path []string) any {
	for _, token := range path {
		switch at := v.(type) {
		case map[string]any:
			v = at[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(at) {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

// pathText returns a path below a value for people: .items[2].name
func pathText(v any, path []string) string {
	var b strings.Builder
	for i, token := range path {
		switch _, isArray := v.([]any); {
		case isArray:
			b.WriteString("[" + token + "]")
		case isIdentifier(token):
			b.WriteString("." + token)
		default:
			b.WriteString("[" + wording.Quote(token) + "]")
		}
		v = lookUp(v, path[i:i+1])
	}
	return b.String()
}

func isIdentifier(text string) bool {
	for i, c := range text {
		letter := c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || (c != '-' && (c < '0' || c > '9'))) {
			return false
		}
	}
	return text != "" && len(text) <= 60
}

var escaper = strings.NewReplacer("~", "~0", "/", "~1", "%", "%25", "#", "%23")

// pointerTo returns the JSON pointer to a part, as in the fragment of a URL.
func pointerTo(path []string) string {
	var b strings.Builder
	for _, token := range path {
		b.WriteString("/" + escaper.Replace(token))
	}
	return b.String()
}

// pointer returns the path in the fragment of a schema's URL.
func pointer(schemaURL string) []string {
	_, fragment, _ := strings.Cut(schemaURL, "#")
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	if !strings.HasPrefix(fragment, "/") {
		return nil
	}
	tokens := strings.Split(fragment[1:], "/")
	for i, token := range tokens {
		tokens[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
	}
	return tokens
}
