package config

import (
	"bytes"
	"strings"
)

// syntaxCode is the code of what the parser rejects.
const syntaxCode = "yaml-syntax"

// removeLine removes a line.
func removeLine(src *source, line int) Fix {
	from := src.lines[line-1]
	return fixSource("Remove the line", src, from, min(from+len(src.line(line))+1, len(src.data)), "")
}

// writeLine replaces a line of a text that has it, be it another text than the one that was checked: without the tools
// that are no YAML either.
func writeLine(title string, number int, line, with string) Fix {
	return Fix{title, true, func(_ *Patcher, data []byte) []Edit {
		src := newSource("", bytes.TrimPrefix(data, byteOrderMark))
		if string(src.line(number)) != line {
			return nil
		}
		from := len(data) - len(src.data) + src.lines[number-1]
		return []Edit{{from, from + len(line), with}}
	}}
}

// lineFixes mend text that is no YAML in one line: guesses, the likely ones first.
func lineFixes(src *source, number int) (fixes []Fix) {
	line := string(src.line(number))
	change := func(title, text string) {
		if text != line {
			fixes = append(fixes, writeLine(title, number, line, text))
		}
	}
	body := strings.TrimLeft(line, " \t")
	indent := line[:len(line)-len(body)]
	if strings.Contains(indent, "\t") {
		change("Write spaces for tabs", strings.ReplaceAll(indent, "\t", "  ")+body)
		return fixes
	}
	if key, value, ok := strings.Cut(line, ": "); ok && strings.TrimSpace(value) != "" {
		value, comment, noted := strings.Cut(strings.TrimSpace(value), " #")
		if noted {
			comment = " #" + comment
		}
		change("Quote the value", key+": "+quoted(value)+comment)
		if strings.ContainsAny(value[:1], "{[") { // a mapping or a list would become a text
			fixes[0] = fixes[0].Maybe()
		}
		for _, closing := range []string{"}", "]", `"`, "'"} {
			change("Add "+closing, line+closing)
		}
	} else {
		change("Quote it", indent+strings.Repeat("- ", strings.Count(body[:min(2, len(body))], "- "))+quoted(strings.TrimPrefix(body, "- ")))
		if word := strings.TrimSpace(body); word != "" && !strings.Contains(word, " ") {
			change("Add :", line+":")
		}
	}
	for _, n := range []int{number - 1, number + 1} {
		if beside := src.line(n); len(bytes.TrimSpace(beside)) > 0 {
			other := string(beside[:len(beside)-len(bytes.TrimLeft(beside, " "))])
			change("Align it with the line beside it", other+body)
			change("Align it with the line beside it", other+"  "+body)
		}
	}
	return fixes
}

// quoted returns a text in quotes, single ones when it has what double ones escape.
func quoted(text string) string {
	if strings.ContainsAny(text, `"\`) {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return `"` + text + `"`
}
