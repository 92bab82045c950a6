package habit

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolgraph/internal/base/wording"
)

// patternOf returns a pattern that each of the texts matches as a whole: digits, hexadecimal digits, or what they have
// in common between separators; "" when there is none, or it would match any word.
func patternOf(wants []string) string {
	runs := runsOf(wants[0])
	if len(runs) == 0 || len(runs) > 9 {
		return ""
	}
	if isHex(wants) {
		return "[0-9a-f]{" + fmt.Sprint(len(wants[0])) + "}"
	}
	for _, want := range wants[1:] {
		other := runsOf(want)
		if len(other) != len(runs) {
			return ""
		}
		for i := range runs {
			switch {
			case runs[i].kind != other[i].kind:
				return ""
			case runs[i].text != other[i].text && runs[i].kind == '.':
				return ""
			case runs[i].text != other[i].text:
				runs[i].text = ""
			}
		}
	}
	pattern := ""
	for i, run := range runs {
		switch {
		case run.kind == '9':
			pattern += `\d+`
		case run.text != "" && (run.kind == '.' || i == 0 && len(runs) > 1):
			pattern += escapedPattern(run.text)
		default:
			pattern += `[A-Za-z]+`
		}
	}
	if pattern == `[A-Za-z]+` {
		return ""
	}
	return pattern
}

// run is signs of one kind beside each other.
type run struct {
	kind byte // 'a' letters, '9' digits, '.' others
	text string
}

// runsOf returns the runs of letters, of digits and of other signs in a text; none when it has white space.
func runsOf(text string) (runs []run) {
	for _, r := range text {
		kind := byte('.')
		switch {
		case r >= '0' && r <= '9':
			kind = '9'
		case r < utf8.RuneSelf && unicode.IsLetter(r):
			kind = 'a'
		case unicode.IsSpace(r):
			return nil
		}
		if n := len(runs); n > 0 && runs[n-1].kind == kind {
			runs[n-1].text += string(r)
			continue
		}
		runs = append(runs, run{kind, string(r)})
	}
	return runs
}

// isHex reports whether all texts are hexadecimal numbers of one length, with digits and letters.
func isHex(wants []string) bool {
	digits, letters := false, false
	for _, want := range wants {
		if len(want) < 7 || len(want) != len(wants[0]) || strings.Trim(want, "0123456789abcdef") != "" {
			return false
		}
		digits = digits || strings.ContainsAny(want, "0123456789")
		letters = letters || strings.ContainsAny(want, "abcdef")
	}
	return digits && letters
}

var patternSign = wording.Pattern(`[][\\/.*+?^$(){}|-]`)

// escapedPattern returns a text as a pattern that finds just that.
func escapedPattern(text string) string { return patternSign().ReplaceAllString(text, `\$0`) }
