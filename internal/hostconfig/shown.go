package hostconfig

import (
	"fmt"
	"regexp"
	"strings"

	"toolgraph/internal/wording"
)

var (
	// pairs are a name and its value in a file of any syntax.
	pairs = regexp.MustCompile(`(["']?)([A-Za-z_][A-Za-z0-9_.-]*)(["']?[ \t]*[:=][ \t]*)("(?:[^"\\]|\\.)*"|'[^']*'|(?:(?i:bearer|basic|token) +)?[^\s,"'{}\[\]]+)`)
	// flags are a flag and the item of the list after it.
	flags = regexp.MustCompile(`(["'])(--?[A-Za-z][A-Za-z0-9_-]*)(["'],\s*)("(?:[^"\\]|\\.)*"|'[^']*')`)
)

const (
	redacted  = "<redacted>"
	shownLine = 400 // characters
)

// Shown returns the content of a host's file as it may be printed: without what looks like a literal
// secret, with long lines truncated. Lines stay lines, so that two versions can be compared.
func Shown(src []byte) string {
	text := string(src)
	for _, form := range []*regexp.Regexp{pairs, flags} {
		text = form.ReplaceAllStringFunc(text, func(found string) string {
			m := form.FindStringSubmatch(found)
			value := strings.Trim(m[4], `"'`)
			if !isLiteral(m[2], value) || strings.Contains(value, "${") && !strings.Contains(value, ":-") || strings.HasPrefix(value, "<") || strings.Contains(value, "{env:") {
				return found
			}
			return m[1] + m[2] + m[3] + strings.Replace(m[4], value, redacted, 1)
		})
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		body := strings.TrimRight(line, "\r\n")
		var clean strings.Builder
		for from, to, _ := findSecret(body); from >= 0; from, to, _ = findSecret(body) {
			clean.WriteString(body[:from] + redacted)
			body = body[to:]
		}
		clean.WriteString(body)
		if body = clean.String(); len(body) > shownLine {
			body = fmt.Sprintf("%s (%d bytes)", wording.Truncate(body, shownLine), len(body))
		}
		out.WriteString(body + "\n")
	}
	return out.String()
}
