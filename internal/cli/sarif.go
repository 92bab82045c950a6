package cli

import (
	"io"
	"net/url"
	"path/filepath"

	"toolgraph/config"
)

// writeSARIF writes findings as SARIF 2.1.0, the form that code hosts show beside
// the lines (docs.oasis-open.org/sarif/sarif/v2.1.0).
func writeSARIF(w io.Writer, found config.Diagnostics) error {
	var rules []any
	known := map[string]bool{}
	results := []any{}
	for _, d := range found {
		if !known[d.Code] {
			known[d.Code] = true
			rules = append(rules, object{"id": d.Code})
		}
		results = append(results, sarifResult(d))
	}
	return encodeJSON(w, object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json",
		"version": "2.1.0",
		"runs": []any{object{
			"tool":       object{"driver": object{"name": "toolgraph", "version": versionText(), "rules": append([]any{}, rules...)}},
			"results":    results,
			"columnKind": "unicodeCodePoints",
		}},
	})
}

type object = map[string]any

func sarifResult(d config.Diagnostic) object {
	text := d.Message
	if d.Hint != "" {
		text += "; " + d.Hint
	}
	uri := url.URL{Path: filepath.ToSlash(d.Pos.File)}
	place := object{"artifactLocation": object{"uri": uri.EscapedPath()}}
	if d.Pos.IsValid() {
		place["region"] = object{"startLine": d.Pos.Line, "startColumn": d.Pos.Column}
	}
	return object{
		"ruleId":    d.Code,
		"level":     d.Severity.String(),
		"message":   object{"text": text},
		"locations": []any{object{"physicalLocation": place}},
	}
}
