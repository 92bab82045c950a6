package schema

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"toolgraph/internal/wording"
)

// lookUp is the part of a plain value to which a path leads, or nil.
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

// pathText is a path below a value as people write it: .items[2].name
func pathText(v any, path []string) string {
	var b strings.Builder
	for _, token := range path {
		switch at := v.(type) {
		case []any:
			b.WriteString("[" + token + "]")
			v = lookUp(at, []string{token})
			continue
		case map[string]any:
			v = at[token]
		default:
			v = nil
		}
		if isIdentifier(token) {
			b.WriteString("." + token)
		} else {
			b.WriteString("[" + wording.Quote(token) + "]")
		}
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

// pointer is the keys and indexes of the fragment of a schema's URL.
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
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	}
	return tokens
}

// propertiesOf are the properties that a part of a schema names, sorted.
func propertiesOf(document any, schemaURL string) []string {
	part, _ := lookUp(document, pointer(schemaURL)).(map[string]any)
	properties, _ := part["properties"].(map[string]any)
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
