package shape

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"toolgraph/expressions/jsonata"
	"toolgraph/internal/base/wording"
)

// textFirst are the functions of a text that is searched or read by another text, with what the second one is.
var textFirst = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"contains": "what is searched in it", "substringBefore": "what ends it", "substringAfter": "what is before it", "split": "the separator",
		"match": "the pattern", "replace": "what is replaced", "toMillis": "the picture", "parseInteger": "the picture",
	}
})

// literalFirst reports a call whose text is written and whose pattern is a value: they are mostly swapped.
func (in *inferrer) literalFirst(s *site) {
	what, takesText := textFirst()[s.name]
	if !takesText || len(s.args) < 2 || len(s.trees) < 2 || s.trees[0] == nil || s.trees[1] == nil || s.trees[0].Kind != jsonata.StringKind {
		return
	}
	given := s.args[len(s.args)-1:]
	if s.name != "replace" {
		given = s.args[1:2]
	}
	if s.name == "replace" && len(s.trees) > 2 && s.trees[2] != nil && s.trees[2].Kind == jsonata.PatternKind {
		return
	}
	if given[0].written || s.trees[1].Kind == jsonata.PatternKind || !given[0].shape.can(kindString) || s.name == "contains" && in.isSet(s.trees[0].Text) {
		return
	}
	if s.name == "replace" {
		in.report(s.trees[0], CodeWrongArgument, fmt.Sprintf("argument 1 of $replace is the text, found %s", in.text(s.trees[0])), "write $replace(text, "+in.text(s.trees[0])+", …)")
		return
	}
	in.report(s.trees[0], CodeWrongArgument, fmt.Sprintf("argument 1 of $%s is the text, argument 2 %s; found %s as the text", s.name, what, in.text(s.trees[0])),
		in.swappedHint(s))
}

// isSet reports whether a text may be a set of words or characters in which a value is searched.
func (in *inferrer) isSet(text string) bool {
	inner := strings.Trim(text, " ,;|")
	return strings.ContainsAny(inner, " ,;|") || strings.Contains(in.source, `""`) || strings.Contains(in.source, "''") || strings.Contains(in.source, "$substring(")
}

// suspectText reports texts that a function takes, but that are hardly meant as they are written.
func (in *inferrer) suspectText(s *site) {
	in.literalFirst(s)
	in.neverFound(s)
	in.quoted(s)
	in.replacedGroups(s)
}

var (
	// quotedPattern is a regular expression in the notation of JavaScript.
	quotedPattern = wording.Pattern(`(?s)^/(.+)/([gimsuy]*)$`)
	// patternSigns are parts of a text that are hardly meant literally.
	patternSigns = wording.Pattern(`\\[dDsSwWbBrnt][+*?{\])]?|\\[.()\[\]/+*?|^$]|\[\^|\[[A-Za-z0-9]-[A-Za-z0-9]|[.\])\w][+*]($|[)/$])|^\^|\$$|\|.*\||\([^)]*\|`)
	// patternClass is what a text without slashes needs to be taken for a pattern.
	patternClass = wording.Pattern(`\\[dDsSwW][+*?{\]]|\\[dDsSwW]$|\[\^[^\]]+\]|\[[a-zA-Z0-9]-[a-zA-Z0-9][^\]]*\][+*]?`)
)

// quotedPatterns are the functions whose second argument may be a regular expression.
var quotedPatterns = map[string]bool{"contains": true, "match": true, "replace": true, "split": true}

// quoted reports a regular expression that is written in quotes: as a text it is searched letter by letter.
func (in *inferrer) quoted(s *site) {
	in.escaped(s)
	if !quotedPatterns[s.name] || len(s.trees) < 2 || s.trees[1] == nil || s.trees[1].Kind != jsonata.StringKind {
		return
	}
	t := s.trees[1]
	text := strings.ReplaceAll(strings.Trim(in.source[t.Offset:t.End], `"'`), `\\`, `\`)
	pattern, flags := text, ""
	if parts := quotedPattern().FindStringSubmatch(text); parts != nil {
		if pattern, flags = parts[1], parts[2]; !patternSigns().MatchString(pattern) && !strings.Contains(flags, "g") {
			return
		}
	} else if !patternClass().MatchString(text) {
		return
	}
	known := strings.Map(func(c rune) rune {
		if c == 'i' || c == 'm' {
			return c
		}
		return -1
	}, flags)
	in.report(t, CodeWrongArgument, fmt.Sprintf("argument 2 of $%s is a text, and not a regular expression: it is searched as it is", s.name), "write it without quotes: /"+pattern+"/"+known)
}

// escaped reports a separator that is a backslash and a letter, where the character is meant.
func (in *inferrer) escaped(s *site) {
	if s.name != "split" && s.name != "join" || len(s.trees) < 2 || s.trees[1] == nil || s.trees[1].Kind != jsonata.StringKind {
		return
	}
	if t := s.trees[1]; slices.Contains([]string{`\\n`, `\\r\\n`, `\\t`}, strings.Trim(in.source[t.Offset:t.End], `"'`)) {
		in.report(t, CodeWrongArgument, fmt.Sprintf("the separator %s is a backslash and a letter", in.text(t)), "write one backslash: "+strings.ReplaceAll(in.text(t), `\\`, `\`))
	}
}

// captured returns the number of groups of the pattern of $match; ok is false when it is not known.
func (s *site) captured() (n int, ok bool) {
	if s.place(1).Kind != jsonata.PatternKind {
		return 0, false
	}
	pattern, err := regexp.Compile(s.place(1).Text)
	if err != nil {
		return 0, false
	}
	return pattern.NumSubexp(), true
}

// matched infers $match.
func matched(in *inferrer, s *site) fact {
	out := like(builtins()[s.name].result, s.args[:min(len(s.args), 2)]...)
	if len(s.args) > 0 {
		out = in.without(s.args[0], out)
	}
	if n, ok := s.captured(); ok {
		out.matches = n + 1
	}
	return in.lacking(s, out, "when the pattern is not found")
}

// groupIndex reports an index of the groups of a match beyond those of the regular expression.
func (in *inferrer) groupIndex(base raw, t *tree, chosen fact) {
	numbers, n := chosen.shape.get().numbers, float64(base.groups-1)
	if base.groups == 0 || !isIndex(t) || len(numbers) != 1 || numbers[0] < n && numbers[0] >= -n {
		return
	}
	text := in.text(t)
	switch n {
	case 0:
		in.report(t, CodeNoFields, fmt.Sprintf("the regular expression has no group, so that groups[%s] is missing", text), "put the part to read into parentheses, or read match")
	case 1:
		in.report(t, CodeNoFields, fmt.Sprintf("the regular expression has one group, so that groups[%s] is missing", text), "groups are counted from 0: write groups[0]")
	default:
		in.report(t, CodeNoFields, fmt.Sprintf("the regular expression has %v groups, so that groups[%s] is missing", n, text), fmt.Sprintf("groups are counted from 0: the last one is groups[%v]", n-1))
	}
}

// replacedGroups reports $1 in the replacement of a regular expression without such a group, and \1, which other languages have.
func (in *inferrer) replacedGroups(s *site) {
	n, ok := s.captured()
	if s.name != "replace" || !ok || len(s.trees) < 3 || s.trees[2] == nil || s.trees[2].Kind != jsonata.StringKind {
		return
	}
	t := s.trees[2]
	for _, found := range replacedGroup().FindAllStringSubmatch(t.Text, -1) {
		switch number := found[2]; {
		case found[1] == `\`:
			in.report(t, CodeWrongArgument, fmt.Sprintf(`\%s is plain text in a replacement`, number), fmt.Sprintf("write $%s for the group", number))
		case int(number[0]-'0') > n:
			in.report(t, CodeWrongArgument, fmt.Sprintf("the replacement has $%s, but the regular expression has no group %s, so that nothing is put there", number, number), "put the part to keep into parentheses; $0 is the whole match")
		default:
			continue
		}
		return
	}
}

var replacedGroup = wording.Pattern(`([$\\])([1-9])`)

var (
	// braced are the names in ${…}, {{…}} and {…} of a text.
	braced = wording.Pattern("\\$\\{\\s*([^{}\\s]+)\\s*\\}|\\{\\{\\s*([^{}\\s]+)\\s*\\}\\}|\\{([^{}\\s\"':,]+\\.[^{}\\s\"':,]+)\\}")
	// leadingName is the first name of a path, or a variable.
	leadingName = wording.Pattern(`^(?:\$\.|\.)?([A-Za-z_][A-Za-z0-9_]*)(?:[.\[]|$)|^\$([A-Za-z_][A-Za-z0-9_]*)(?:[.\[]|$)`)
)

// template reports a literal with the value of a node or a variable in braces: the braces stay.
func (in *inferrer) template(t *tree) {
	for _, found := range braced().FindAllStringSubmatch(t.Text, -1) {
		path := found[1] + found[2] + found[3]
		name := leadingName().FindStringSubmatch(path)
		if name == nil {
			continue
		}
		isNode := in.isNode(name[1])
		_, isVariable := in.scope.find(name[2])
		_, isKnown := in.env.Variables[name[2]]
		_, hasVars := in.env.Variables["vars"]
		isVars := name[1] == "vars" && hasVars && !isNode
		if !isNode && !isVariable && !isKnown && !isVars {
			continue
		}
		value := path
		if isVars {
			value = "$" + strings.TrimPrefix(path, ".")
		}
		if isNode {
			value = "$." + strings.TrimPrefix(strings.TrimPrefix(path, "$"), ".")
		}
		in.report(t, CodeTemplate, fmt.Sprintf("%s is plain text in a literal", found[0]), fmt.Sprintf(`join the parts: "…" & %s & "…"`, value))
		return
	}
}
