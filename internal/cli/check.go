package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"toolgraph/config"
)

func newCheck(std streams) *cobra.Command {
	format, servers := "text", ""
	cmd := &cobra.Command{
		Use:   "check FILE…",
		Short: "Tell every mistake in graph files",
		Long: `Tell every mistake in graph files, each with its line and column. Nothing is started
and nothing is run. The exit code is 3 when a file has an error; warnings alone leave
it 0.`,
		Example: `  toolgraph check graph.yaml
  toolgraph check graphs/*.yaml --format sarif > findings.sarif`,
		Args: args(1, -1, "at least one graph file"),
		RunE: func(_ *cobra.Command, args []string) error {
			print, known := findingFormats[format]
			if !known {
				return usagef("--format is %q, expected text, json or sarif", format)
			}
			var found config.Diagnostics
			var unread error // files that could not be read
			for _, path := range args {
				fresh, err := check(path, servers)
				unread = errors.Join(unread, err)
				found = append(found, fresh...)
			}
			if err := print(std.out, found); err != nil {
				return err
			}
			if unread != nil {
				return unread
			}
			if found.Err() != nil {
				return errFindings
			}
			if format == "text" {
				fmt.Fprintf(std.err, "%s: %s\n", plural(len(args), "file"), summary(found))
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&format, "format", "f", format, "text, json or sarif")
	cmd.Flags().StringVarP(&servers, "mcp", "m", "", `a file with more servers, {"mcpServers": {…}}`)
	return cmd
}

// check is everything that is to be said about one file.
func check(path, servers string) (config.Diagnostics, error) {
	p, err := load(path, servers)
	var found config.Diagnostics
	switch {
	case err == nil:
		_, found, err := lockBeside(p)
		found = append(p.Warnings[:len(p.Warnings):len(p.Warnings)], found...)
		found.Sort()
		return found, err
	case errors.As(err, &found):
		return found, nil
	}
	return nil, err
}

func summary(found config.Diagnostics) string {
	if len(found) == 0 {
		return "no findings"
	}
	return plural(len(found), "warning")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

var findingFormats = map[string]func(io.Writer, config.Diagnostics) error{
	"text":  writeText,
	"json":  writeJSON,
	"sarif": writeSARIF,
}

func writeText(w io.Writer, found config.Diagnostics) error {
	printDiagnostics(w, found)
	return nil
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

func writeJSON(w io.Writer, found config.Diagnostics) error {
	return encodeJSON(w, findingsOf(found))
}

// findingsOf are the findings for JSON; none are an empty list.
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

func encodeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
