// Package docs has the page of diagnostics, which explains what the program reports. The page is the one source:
// toolgraph explain prints its entries, SARIF and editors lead to them, and its examples are tests.
//
// In goes the page, embedded; out come its entries. The package imports nothing of the module.
package docs

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed diagnostics.md
var page string

// Notices has the licence of Toolgraph, and those of all modules that its executables are linked with, a line for each and
// their texts. make notices writes it.
//
//go:embed third-party-notices.txt
var Notices string

// Site is the address of this directory on the web, without a slash at its end; empty when there is none. A release is
// built with -X toolgraph/docs.Site=URL.
var Site = ""

// Entry is what the page says of a code.
type Entry struct {
	Code     string
	Section  string // the heading above it
	Severity string // "error", "warning" or "error or warning"
	Summary  string // one sentence
	Text     string // paragraphs, in Markdown
	Examples []Example
}

// Example is a graph file with a finding, and its remedy.
type Example struct {
	Graph    string `json:"graph"`              // YAML
	Servers  string `json:"servers,omitempty"`  // JSON, the file for --mcp; empty when there is none
	Findings string `json:"findings,omitempty"` // what toolgraph check graph.yaml prints
	Do       string `json:"do,omitempty"`       // the remedy in words, a sentence in Markdown without its end
	Remedy   string `json:"remedy,omitempty"`   // a diff of the file
}

// Entries returns all entries in the order of the page. The caller must not change them.
func Entries() []Entry { return entries() }

var entries = sync.OnceValue(func() []Entry { return parse(strings.Split(page, "\n")) })

// Find returns the entry of a code.
func Find(code string) (Entry, bool) {
	i := slices.IndexFunc(entries(), func(e Entry) bool { return e.Code == code })
	if i < 0 {
		return Entry{}, false
	}
	return entries()[i], true
}

// Link returns the address of the entry of a code; empty when the page has none, or is nowhere on the web.
func Link(code string) string {
	if Site == "" {
		return ""
	}
	if _, known := Find(code); !known {
		return ""
	}
	return Site + "/diagnostics.md#" + code
}

// parse reads the page: "# " begins a section, "## " the entry of a code.
func parse(lines []string) (all []Entry) {
	section := ""
	var now *Entry
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case strings.HasPrefix(line, "## "):
			all = append(all, Entry{Code: line[3:], Section: section})
			now = &all[len(all)-1]
		case strings.HasPrefix(line, "# "):
			section, now = line[2:], nil
		case now == nil || strings.HasPrefix(line, "<!--"):
		case strings.HasPrefix(line, "```"):
			first := i + 1
			for i++; i < len(lines) && lines[i] != "```"; i++ {
			}
			now.block(line[3:], strings.Join(lines[first:min(i, len(lines))], "\n")+"\n")
		default:
			now.Text += line + "\n"
		}
	}
	for i := range all {
		all[i].finish()
	}
	return all
}

// block adds a fenced block: yaml begins an example, to which the others belong.
func (e *Entry) block(kind, text string) {
	if kind == "yaml" {
		e.Examples = append(e.Examples, Example{Graph: text})
		return
	}
	if len(e.Examples) == 0 {
		return
	}
	last := &e.Examples[len(e.Examples)-1]
	switch kind {
	case "json":
		last.Servers = text
	case "text":
		last.Findings = text
	case "diff":
		before, sentence, _ := cutLast(strings.TrimSpace(e.Text), "\n\n")
		if do, leads := strings.CutSuffix(sentence, ":"); leads {
			e.Text, last.Do = before+"\n\n", do
		}
		last.Remedy = text
	}
}

// cutLast is strings.Cut at the last separator.
func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+len(separator):], true
}

// finish takes the severity from the first words of the text, and the summary from its first sentence.
func (e *Entry) finish() {
	severity, text, _ := strings.Cut(strings.TrimSpace(e.Text), ". ")
	e.Severity = strings.ToLower(severity)
	var paragraphs []string
	for p := range strings.SplitSeq(text, "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			paragraphs = append(paragraphs, p)
		}
	}
	e.Text = strings.Join(paragraphs, "\n\n")
	first, _, _ := strings.Cut(e.Text, "\n\n")
	e.Summary, _, _ = strings.Cut(strings.Join(strings.Fields(first), " "), ". ")
	e.Summary = strings.TrimSuffix(e.Summary, ".") + "."
}
