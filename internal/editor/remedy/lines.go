package remedy

import (
	"bytes"
	"strings"

	"toolgraph/config"
)

// lines mends text that is no YAML, in the line of the finding.
func (p *proposer) lines() {
	if p.finding.Code != "yaml-syntax" && p.finding.Code != "second-document" {
		return
	}
	from := p.byteOf(config.Pos{Line: p.finding.Pos.Line, Column: 1})
	to := len(p.src)
	if i := bytes.IndexByte(p.src[from:], '\n'); i >= 0 {
		to = from + i
	}
	line := strings.TrimSuffix(string(p.src[from:to]), "\r")
	to = from + len(line)
	change := func(title, text string) { p.propose(title, []config.Edit{{From: from, To: to, Text: text}}, true) }
	if p.finding.Code == "second-document" {
		p.propose("Remove the line", []config.Edit{{From: from, To: min(to+1, len(p.src))}}, true)
		return
	}
	body := strings.TrimLeft(line, " \t")
	indent := line[:len(line)-len(body)]
	if strings.Contains(indent, "\t") {
		change("Write spaces for tabs", strings.ReplaceAll(indent, "\t", "  ")+body)
		return
	}
	if key, value, ok := strings.Cut(line, ": "); ok && strings.TrimSpace(value) != "" {
		value, comment, noted := strings.Cut(strings.TrimSpace(value), " #")
		if noted {
			comment = " #" + comment
		}
		isText := !strings.ContainsAny(value[:1], "{[") // else a mapping or a list would become a text
		p.propose("Quote the value", []config.Edit{{From: from, To: to, Text: key + ": " + quoted(value) + comment}}, isText)
		for _, closing := range []string{"}", "]", `"`, "'"} {
			change("Add "+closing, line+closing)
		}
	} else {
		change("Quote it", indent+strings.Repeat("- ", strings.Count(body[:min(2, len(body))], "- "))+quoted(strings.TrimPrefix(body, "- ")))
		if word := strings.TrimSpace(body); word != "" && !strings.Contains(word, " ") {
			change("Add :", line+":")
		}
	}
	for _, n := range []int{-1, 1} {
		if other, ok := p.lineAt(p.finding.Pos.Line + n); ok {
			change("Align it with the line beside it", other+body)
			change("Align it with the line beside it", other+"  "+body)
		}
	}
}

// lineAt returns the indentation of a line.
func (p *proposer) lineAt(number int) (string, bool) {
	lines := strings.Split(string(p.src), "\n")
	if number < 1 || number > len(lines) || strings.TrimSpace(lines[number-1]) == "" {
		return "", false
	}
	line := lines[number-1]
	return line[:len(line)-len(strings.TrimLeft(line, " "))], true
}
