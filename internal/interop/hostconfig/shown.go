package hostconfig

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"toolgraph/internal/base/wording"
)

var (
	// pairs are a name and its value in a file of any syntax.
	pairs = wording.Pattern(`(["']?)([A-Za-z_][A-Za-z0-9_.-]*)(["']?[ \t]*[:=][ \t]*)("(?:[^"\\]|\\.)*"|'[^']*'|(?:(?i:bearer|basic|token) +)?[^\s,"'{}\[\]]+)`)
	// flags are a flag and the item of the list after it.
	flags = wording.Pattern(`(["'])(--?[A-Za-z][A-Za-z0-9_-]*)(["'],\s*)("(?:[^"\\]|\\.)*"|'[^']*')`)
)

const (
	redacted  = "<redacted>"
	shownLine = 400 // characters
)

// around is how many lines before and after a change Shown returns: more than a diff prints.
const around = 20

// Shown returns two versions of a host's file as a diff of them may be printed: without what looks like
// a literal secret, with long lines truncated. Lines stay lines; those far from the change are "…".
func Shown(older, newer []byte) (shownOlder, shownNewer string) {
	a, b := lines(older), lines(newer)
	start, end := 0, 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	show := func(all []string) string {
		from, to := max(0, start-around), min(len(all), len(all)-end+around)
		const far = "…\n"
		return strings.Repeat(far, from) + printable(strings.Join(all[from:to], "")) + strings.Repeat(far, len(all)-to)
	}
	return show(a), show(b)
}

func lines(src []byte) []string { return slices.Collect(strings.Lines(string(src))) }

// printable returns a part of a file without secrets and long lines.
func printable(text string) string {
	for _, form := range []*regexp.Regexp{pairs(), flags()} {
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
