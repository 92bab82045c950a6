package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/docs"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
)

func newExplain(std program.Streams) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "explain [CODE]",
		Short: "Explain a diagnostic code, a node type or a key of graph files",
		Long: `Explain the code of a finding of toolgraph check: what it means, a graph file that has it, and
a change that fixes it. Without an argument, list all codes.

The name of a node type or of a key, such as retry, is explained as well. To explain why a
run failed, use toolgraph runs explain.`,
		Example: `  toolgraph explain unknown-node
  toolgraph explain retry
  toolgraph explain --json`,
		Args: program.Args(0, 1, "at most one code"), ValidArgsFunction: completeExplained,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listCodes(std.Out, format == "json")
			}
			return explain(std.Out, args[0], format == "json")
		},
	}
	program.FormatFlag(cmd, &format)
	return cmd
}

// explained is the answer about a name.
type explained struct {
	Code     string             `json:"code,omitempty"`
	Severity string             `json:"severity,omitempty"`
	Section  string             `json:"section,omitempty"`
	Summary  string             `json:"summary,omitempty"`
	Text     string             `json:"text,omitempty"`
	Link     string             `json:"link,omitempty"`
	Examples []docs.Example     `json:"examples,omitempty"`
	Language []config.Described `json:"language,omitempty"` // of a node type or a key
}

func explainedOf(e docs.Entry) explained {
	return explained{Code: e.Code, Severity: e.Severity, Section: e.Section, Summary: e.Summary, Link: docs.Link(e.Code)}
}

func explain(w io.Writer, name string, asJSON bool) error {
	name = strings.Trim(name, "[]") // as a finding shows it
	e, isCode := docs.Find(name)
	language := config.Explain(name)
	if !isCode && len(language) == 0 {
		return unknownName(name)
	}
	out := explained{Language: language}
	if isCode {
		out = explainedOf(e)
		out.Text, out.Examples = e.Text, e.Examples
	}
	if asJSON {
		return program.EncodeJSON(w, out)
	}
	if isCode {
		return printEntry(w, e)
	}
	for _, d := range language {
		of := "a node type"
		if d.Of != "" {
			of = "a key of " + d.Of
		}
		if _, err := fmt.Fprintf(w, "%s, %s:\n  %s\n", d.Name, of, d.Doc); err != nil {
			return err
		}
	}
	return nil
}

// unknownName is the error of a name that cannot be explained.
func unknownName(name string) error {
	var known []string
	for _, e := range docs.Entries() {
		known = append(known, e.Code)
	}
	for _, d := range config.Language() {
		known = append(known, d.Name)
	}
	return program.Usagef("unknown code %s; %s", wording.Quote(name), cmp.Or(wording.DidYouMean(name, known),
		"toolgraph explain lists all codes; to explain a run: toolgraph runs explain "+wording.Shorten(name)))
}

func printEntry(w io.Writer, e docs.Entry) error {
	screen := terminal.On(w)
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n\n%s\n", screen.Paint(terminal.Bold, e.Code), e.Severity, screen.Wrap(plainText(e.Text), 0))
	for _, x := range e.Examples {
		fmt.Fprintf(&b, "\ngraph.yaml:\n%s", indented(x.Graph))
		if x.Servers != "" {
			fmt.Fprintf(&b, "\nservers.json, for --mcp:\n%s", indented(x.Servers))
		}
		fmt.Fprintf(&b, "\ntoolgraph check prints:\n%s", indented(x.Findings))
		fmt.Fprintf(&b, "\n%s:\n%s", cmp.Or(plainText(x.Do), "the remedy"), indented(x.Remedy))
	}
	if link := docs.Link(e.Code); link != "" {
		fmt.Fprintf(&b, "\n%s\n", link)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// indented returns lines with four blanks before each.
func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ") + "\n"
}

var markdownLink = wording.Pattern(`\[([^\]]+)\]\([^)]+\)`)

// plainText returns Markdown for a terminal: links are their text.
func plainText(text string) string { return markdownLink().ReplaceAllString(text, "$1") }

// listCodes lists all codes, each with its summary.
func listCodes(w io.Writer, asJSON bool) error {
	if asJSON {
		all := make([]explained, 0, len(docs.Entries()))
		for _, e := range docs.Entries() {
			all = append(all, explainedOf(e))
		}
		return program.EncodeJSON(w, all)
	}
	screen, section := terminal.On(w), ""
	var b strings.Builder
	for _, e := range docs.Entries() {
		if e.Section != section {
			if section != "" {
				b.WriteByte('\n')
			}
			section = e.Section
			fmt.Fprintln(&b, screen.Paint(terminal.Bold, section))
		}
		line := fmt.Sprintf("  %-26s ", e.Code)
		fmt.Fprintln(&b, screen.Wrap(line+plainText(e.Summary), len(line)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// completeExplained completes codes, node types and keys.
func completeExplained(_ *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var all []string
	for _, e := range docs.Entries() {
		all = append(all, e.Code+"\t"+plainText(e.Summary))
	}
	for _, d := range config.Language() {
		all = append(all, d.Name+"\t"+d.Doc)
	}
	all = slices.DeleteFunc(all, func(text string) bool { return !strings.HasPrefix(text, begin) })
	return slices.CompactFunc(all, func(a, b string) bool { return strings.Split(a, "\t")[0] == strings.Split(b, "\t")[0] }), cobra.ShellCompDirectiveNoFileComp
}
