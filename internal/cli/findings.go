package cli

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"toolgraph/config"
	"toolgraph/docs"
	"toolgraph/expressions"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
)

// summary counts findings.
func summary(found config.Diagnostics) string {
	if len(found) == 0 {
		return "no problems found"
	}
	errs, warnings := found.Split()
	var parts []string
	if len(errs) > 0 {
		parts = append(parts, wording.Count(len(errs), "error"))
	}
	if len(warnings) > 0 {
		parts = append(parts, wording.Count(len(warnings), "warning"))
	}
	return strings.Join(parts, ", ")
}

// summaryStyle is how the summary is painted.
func summaryStyle(found config.Diagnostics) terminal.Style {
	switch errs, warnings := found.Split(); {
	case len(errs) > 0:
		return terminal.Bad
	case len(warnings) > 0:
		return terminal.Notice
	}
	return terminal.Good
}

var findingFormats = map[string]func(io.Writer, config.Diagnostics) error{
	"text":   program.WriteText,
	"json":   func(w io.Writer, found config.Diagnostics) error { return program.EncodeJSON(w, findingsOf(found)) },
	"sarif":  writeSARIF,
	"github": writeGitHub,
}

// finding is a diagnostic as --format json gives it.
type finding struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
}

// findingsOf converts findings for JSON; without any, the list is empty.
func findingsOf(found config.Diagnostics) []finding {
	out := make([]finding, 0, len(found))
	for _, d := range found {
		out = append(out, finding{
			File: d.Pos.File, Line: d.Pos.Line, Column: d.Pos.Column,
			Severity: d.Severity.String(), Code: d.Code, Message: d.Message, Hint: d.Hint,
		})
	}
	return out
}

// lines are the lines of the loaded files by path, to be shown under their findings. A file that
// could not be loaded has no lines, because its secrets are unknown.
type lines map[string][]string

func (l lines) note(of checked, file *config.File) {
	for _, path := range file.Sources() {
		raw := of.src
		if raw == nil || path != file.Path {
			var err error
			if raw, err = config.ReadFile(path); err != nil {
				continue // it was deleted in the meantime; its findings are shown without lines
			}
		}
		l[path] = strings.Split(file.Secrets.Redact(string(raw)), "\n")
	}
}

// write writes each finding, with its line and a caret below it.
func (l lines) write(w io.Writer, found config.Diagnostics) error {
	return program.WriteFindings(w, found, l.excerpt)
}

// excerpt returns the line of a position with a caret below it; empty when it is unknown.
func (l lines) excerpt(pos config.Pos) string {
	if pos.Line < 1 || pos.Line > len(l[pos.File]) {
		return ""
	}
	line := []rune(wording.Printable(l[pos.File][pos.Line-1]))
	if pos.Column < 1 || pos.Column > len(line)+1 {
		return ""
	}
	caret := expressions.Caret(string(line), len(string(line[:pos.Column-1])))
	return "  " + strings.ReplaceAll(caret, "\n", "\n  ") + "\n"
}

// writeSARIF writes findings as SARIF 2.1.0, which code hosts show beside the lines
// (docs.oasis-open.org/sarif/sarif/v2.1.0).
func writeSARIF(w io.Writer, found config.Diagnostics) error {
	var rules []any
	known := map[string]bool{}
	results := []any{}
	for _, d := range found {
		if !known[d.Code] {
			known[d.Code] = true
			rules = append(rules, sarifRule(d.Code))
		}
		results = append(results, sarifResult(d))
	}
	return program.EncodeJSON(w, object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json",
		"version": "2.1.0",
		"runs": []any{object{
			"tool":       object{"driver": object{"name": "toolgraph", "version": program.VersionText(), "rules": append([]any{}, rules...)}},
			"results":    results,
			"columnKind": "unicodeCodePoints",
		}},
	})
}

type object = map[string]any

// sarifRule is what SARIF says of a code: what the page of diagnostics does.
func sarifRule(code string) object {
	rule := object{"id": code}
	if e, known := docs.Find(code); known {
		rule["shortDescription"] = object{"text": plainText(e.Summary)}
		rule["help"] = object{"text": plainText(e.Text), "markdown": e.Text}
	}
	if link := docs.Link(code); link != "" {
		rule["helpUri"] = link
	}
	return rule
}

func sarifResult(d config.Diagnostic) object {
	text := d.Message
	if d.Hint != "" {
		text += "; " + d.Hint
	}
	uri := url.URL{Path: filepath.ToSlash(d.Pos.File)}
	place := object{"artifactLocation": object{"uri": uri.EscapedPath()}}
	if d.Pos.IsValid() {
		region := object{"startLine": d.Pos.Line, "startColumn": d.Pos.Column}
		if d.End.IsValid() {
			region["endLine"], region["endColumn"] = d.End.Line, d.End.Column
		}
		place["region"] = region
	}
	return object{
		"ruleId":    d.Code,
		"level":     d.Severity.String(),
		"message":   object{"text": text},
		"locations": []any{object{"physicalLocation": place}},
	}
}
