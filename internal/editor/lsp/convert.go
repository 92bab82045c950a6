package lsp

import (
	"path/filepath"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/docs"
	"toolgraph/internal/base/wording"
)

// The tags of a Diagnostic: editors show the text pale, or struck through.
const (
	tagUnnecessary = 1
	tagDeprecated  = 2
)

// diagnostics converts the findings in a text.
func (s *Server) diagnostics(t *text, uri string, found config.Diagnostics) []Diagnostic {
	out := make([]Diagnostic, 0, len(found))
	for _, f := range found {
		d := Diagnostic{Range: t.rangeOf(f), Severity: severityError, Code: f.Code, Source: "toolgraph", Message: messageOf(f)}
		if link := docs.Link(f.Code); link != "" {
			d.CodeDescription = &codeDescription{link}
		}
		if f.Severity == config.Warning {
			d.Severity = severityWarning
		}
		switch {
		case strings.HasPrefix(f.Code, "older-"):
			d.Tags = []int{tagDeprecated}
		case strings.HasPrefix(f.Code, "unused-") || strings.HasSuffix(f.Code, "-unused") || strings.HasPrefix(f.Code, "unreachable-") || f.Code == "ignored-key":
			d.Tags = []int{tagUnnecessary}
		}
		if at, ok := otherPlace(f); ok {
			start := t.At(at)
			d.Related = []relatedLocation{{Location{uri, t.Range(start, t.extent(start))}, "the message names this place"}}
		}
		out = append(out, d)
	}
	return out
}

// messageOf is the text of a finding: paths in it are relative to the directory of its file, as they are when
// check runs there.
func messageOf(f config.Diagnostic) string {
	text := f.Message
	if f.Hint != "" {
		text += "; " + f.Hint
	}
	if directory := filepath.Dir(f.Pos.File); filepath.IsAbs(directory) {
		text = strings.ReplaceAll(text, directory+string(filepath.Separator), "")
	}
	return text
}

// inMessage finds a line, and a place in a file, that the message of a finding names.
var inMessage = wording.Pattern(`\((?:first )?[a-z]+ on line (\d+)\)| on line (\d+)\b|(?:^|[\s(])(\S+?):(\d+)(?::(\d+))?[),;]?(?:\s|$)`)

// otherPlace returns a place of the same file that the message of a finding names.
func otherPlace(f config.Diagnostic) (config.Pos, bool) {
	m := inMessage().FindStringSubmatch(f.Message)
	number := func(text string) int { n, _ := strconv.Atoi(text); return n }
	switch {
	case m == nil:
		return config.Pos{}, false
	case m[3] == "":
		return config.Pos{File: f.Pos.File, Line: number(m[1] + m[2]), Column: 1}, true
	}
	at := config.Pos{File: f.Pos.File, Line: number(m[4]), Column: max(number(m[5]), 1)}
	return at, filepath.Base(m[3]) == filepath.Base(f.Pos.File) && at.Line > 0 && at.Line != f.Pos.Line
}
