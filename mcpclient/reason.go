package mcpclient

import (
	"slices"
	"strings"

	"toolgraph/internal/base/wording"
)

var (
	// noise are lines around a reason: frames of a stack, the source line that failed, the version of the runtime.
	noise = wording.Pattern(`^\s+at |^Node\.js v\d|^\s*[\^~]+\s*$|^node:internal|^\s+throw |^(?:file://|/|[A-Za-z]:\\)\S+:\d+$|^Traceback \(most recent call last\)|^\s+File ".*", line \d+|^goroutine \d+ \[`)
	// named are lines that begin as errors do, in most languages.
	named = wording.Pattern(`(?i)^\W*(?:\[?\w+\]?[\s:]+)?(?:uncaught\s+)?(?:[\w.]*(?:error|exception)|fatal|panic)\b`)
	// speaks are lines that say what is missing.
	speaks = wording.Pattern(`(?i)\b(?:required|missing|invalid|not (?:set|found|provided|configured)|must be|please (?:set|provide|run)|cannot|could not|failed|denied|expired|refused|usage)\b`)
)

// lastWords returns what a server that died said of the reason, as note shows it; none when r is nil.
func (r *stderrRing) lastWords(note notes) []string {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	lines := slices.Clone(r.lines)
	r.mu.Unlock()
	for i, line := range lines {
		lines[i] = colour().ReplaceAllString(line, "")
	}
	var shown []string
	for _, line := range reasonFirst(lines, tailLines) {
		if line = note.shown(line, stderrLine); strings.TrimSpace(line) != "" {
			shown = append(shown, line)
		}
	}
	return shown
}

// reasonFirst returns at most count lines of what a server said before it died: first the line with the reason and what follows it,
// then, if there is room, what came before. Stacks and repeated lines are left out. Without a line that looks like a reason, they
// are the last ones.
func reasonFirst(lines []string, count int) []string {
	said, seen := make([]string, 0, len(lines)), map[string]bool{"": true}
	for _, line := range lines {
		if key := strings.TrimSpace(line); !seen[key] && !noise().MatchString(line) {
			said, seen[key] = append(said, line), true
		}
	}
	if len(said) == 0 {
		return lines[max(0, len(lines)-count):]
	}
	whole := func(line string) bool { return !strings.ContainsAny(line[len(line)-1:], ":[{(") } // and no heading of what follows
	reason := slices.IndexFunc(said, func(line string) bool { return named().MatchString(line) && whole(strings.TrimSpace(line)) })
	if reason < 0 {
		reason = slices.IndexFunc(said, func(line string) bool { return speaks().MatchString(line) && whole(strings.TrimSpace(line)) })
	}
	if reason < 0 {
		reason = slices.IndexFunc(said, named().MatchString)
	}
	if reason < 0 {
		return said[max(0, len(said)-count):]
	}
	shown := slices.Clone(said[reason:min(len(said), reason+count)])
	if room := count - len(shown); room > 0 {
		shown = append(shown, said[max(0, reason-room):reason]...)
	}
	return shown
}
