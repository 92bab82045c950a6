package lsp

import "strings"

// markup returns a text that is not in Markdown as the client can show it in a feature, whose capability is
// at the path.
func (s *Server) markup(text string, path ...string) Markup {
	m := Markup{Kind: s.client.markup(path...), Value: text}
	if m.Kind == "markdown" {
		m.Value = escapedText(text)
	}
	return m
}

var markdownSigns = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "#", `\#`, "|", `\|`, "!", `\!`, "&", `\&`, "~", `\~`,
)

// escapedText returns a text of which Markdown shows each character: descriptions of upstream tools must not
// load images or pretend to be links.
func escapedText(text string) string {
	lines := strings.Split(markdownSigns.Replace(text), "\n")
	for i, line := range lines {
		trimmed := strings.TrimLeft(line, " \t")
		if trimmed != "" && strings.IndexByte("+-=0123456789", trimmed[0]) >= 0 && !strings.HasPrefix(trimmed, "0x") {
			line = lead(trimmed)
		} else {
			line = trimmed
		}
		lines[i] = line
	}
	return strings.Join(lines, "  \n")
}

// lead escapes what makes a list or a heading of a line.
func lead(line string) string {
	if end := strings.TrimLeft(line, "0123456789"); end != line {
		if strings.HasPrefix(end, ".") || strings.HasPrefix(end, ")") {
			return line[:len(line)-len(end)] + `\` + end
		}
		return line
	}
	return `\` + line
}

// codeText returns a text as Markdown shows code in a line.
func codeText(text string) string {
	text = strings.ReplaceAll(text, "\n", " ")
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}
