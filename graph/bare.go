package graph

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
)

// written is an expression as it is written, and what it reads.
type written struct {
	source string
	reads  []jsonata.Reference
}

// oddIDs are node ids that expressions can only write in backticks.
type oddIDs struct {
	ids     map[string]bool
	lengths []int // of the ids, each once
}

func oddIDsOf(tool *config.Tool) oddIDs {
	odd := oddIDs{ids: map[string]bool{}}
	for _, n := range tool.Nodes {
		id := n.ID.Value
		if id == "" || len(id) > utf8.UTFMax*maxID || strings.Contains(id, "`") || isPlain(id) && !isReserved(id) {
			continue
		}
		odd.ids[id] = true
		if !slices.Contains(odd.lengths, len(id)) {
			odd.lengths = append(odd.lengths, len(id))
		}
	}
	return odd
}

// bare adds the ids that the expression seems to mean where JSONata reads something
// else: they begin a path there, and are not in backticks.
func (o oddIDs) bare(w written, found map[string]bool) {
	reads := make(map[int]string, len(w.reads))
	for _, r := range w.reads {
		if r.Function == "" && len(r.Path) > 0 {
			reads[r.Offset] = r.Path[0]
		}
	}
	for at := 0; at < len(w.source); {
		if n := quotedSize(w.source[at:]); n > 0 {
			at += n
			continue
		}
		if beginsPath(w.source, at) {
			for _, n := range o.lengths {
				if at+n > len(w.source) {
					continue
				}
				id := w.source[at : at+n]
				if o.ids[id] && reads[at] != id && isPath(w.source, at+n, isReserved(id)) {
					found[id] = true
				}
			}
		}
		_, size := utf8.DecodeRuneInString(w.source[at:])
		at += size
	}
}

// beginsPath reports whether what stands at a place is the first name of a path over the
// context.
func beginsPath(source string, at int) bool {
	before := source[:at]
	for _, root := range []string{"$$.", "$."} {
		if strings.HasSuffix(before, root) {
			return true
		}
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	return last != '.' && last != '$' && !isWord(last)
}

// isPath reports whether a name may end at a place. A word such as true also stands for
// itself: it is a name only when a path goes on behind it.
func isPath(source string, end int, reserved bool) bool {
	if reserved {
		rest := strings.TrimLeft(source[end:], " \t\r\n")
		return strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "[")
	}
	next, _ := utf8.DecodeRuneInString(source[end:])
	return end == len(source) || !isWord(next)
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// quotedSize is the length of the string, the name in backticks or the comment that an
// expression begins with; 0 when it begins with something else.
func quotedSize(s string) int {
	if strings.HasPrefix(s, "/*") {
		if end := strings.Index(s[2:], "*/"); end >= 0 {
			return end + 4
		}
		return len(s)
	}
	quote := s[0]
	if quote != '"' && quote != '\'' && quote != '`' {
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quote != '`':
			i++
		case s[i] == quote:
			return i + 1
		}
	}
	return len(s)
}
