package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/lock"
	"toolgraph/internal/observe"
	"toolgraph/internal/project"
	"toolgraph/internal/wording"
)

type checkFlags struct {
	format, servers, stdinPath    string
	live, anyEnv, strict, verbose bool

	unlocked []string // the files without a lock that call tools
	unknown  int      // how many tools those are
}

func newCheck(std streams) *cobra.Command {
	flags := checkFlags{format: "text"}
	cmd := &cobra.Command{
		Use:   "check FILE|DIRECTORY|- …",
		Short: "Tell every mistake in graph files",
		Long: `Tell every mistake in graph files, each with its line and column. No graph is run. Besides
what keeps a file from being served, it follows each graph from node to node and tells
what goes wrong on the way: fields that an output does not have, nodes that may not have
run, arguments that a tool refuses, results that do not fit, loops that never end.

A directory stands for the graph files below it: *.yaml and *.yml with the keys of a
graph file. Test files (*.test.yaml), lock files (*.lock.yaml) and other YAML files are
skipped, and so are hidden directories and node_modules; -v lists what is skipped. - is
standard input; with --stdin-path it is checked as if it were the file at that path.

How much it knows depends on what is known of the tools that are called: what the lock
beside the file says (see toolgraph lock), or with --live what their servers tell now,
which starts them. Without either, and where a tool says nothing, it stays silent.

The exit code is 3 when a file has an error; warnings alone leave it 0, unless --strict
is given.`,
		Example: `  toolgraph check graph.yaml
  toolgraph check . --any-env                      every graph file below this directory
  toolgraph check graph.yaml --live --strict       in CI
  toolgraph check - --stdin-path graph.yaml --format json < unsaved.yaml
  toolgraph check graphs --any-env --format sarif > findings.sarif`,
		Args: args(1, -1, "at least one graph file"), SuggestFor: []string{"validate", "lint", "verify"},
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd.Context(), std, args) },
	}
	cmd.Flags().StringVarP(&flags.format, "format", "f", flags.format, "text, json or sarif")
	cmd.Flags().StringVarP(&flags.servers, "mcp", "m", "", `a file with more servers, {"mcpServers": {…}}`)
	cmd.Flags().BoolVar(&flags.live, "live", false, "start the servers that the graphs call, and ask them for their tools")
	cmd.Flags().BoolVar(&flags.anyEnv, "any-env", false, "take every ${VAR} for set: for checking elsewhere than where the file runs")
	cmd.Flags().BoolVar(&flags.strict, "strict", false, "exit with 3 for warnings, too")
	cmd.Flags().StringVar(&flags.stdinPath, "stdin-path", "", "the path of the file that - stands for")
	cmd.Flags().BoolVarP(&flags.verbose, "verbose", "v", false, "list the skipped YAML files on standard error")
	return takesGraphs(cmd)
}

func (f *checkFlags) run(ctx context.Context, std streams, paths []string) error {
	print, known := findingFormats[f.format]
	if !known {
		return usagef("--format is %q, expected text, json or sarif", f.format)
	}
	if f.live && f.anyEnv {
		return usagef("--live starts servers, which need what --any-env does without: give one of them")
	}
	files, skipped, err := f.files(ctx, std, paths)
	if err != nil {
		return err
	}
	var found config.Diagnostics
	var failed error // files that could not be read, servers that could not be asked
	shown, done := lines{}, 0
	isText := f.format == "text"
	if isText && isTerminal(std.out) {
		print = shown.write
	}
	for _, file := range files {
		clear(shown)
		fresh, err := f.check(ctx, std, file, shown)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil {
			done++
		}
		failed = errors.Join(failed, err)
		found = append(found, fresh...)
		if isText { // the other formats are one document
			if err := print(std.out, fresh); err != nil {
				return err
			}
		}
	}
	if !isText {
		if err := print(std.out, found); err != nil {
			return err
		}
	}
	if (isText || f.verbose) && done > 0 {
		count := wording.Count(done, "file")
		if done < len(files) {
			count = fmt.Sprintf("%d of %d files", done, len(files))
		}
		fmt.Fprintf(std.err, "%s: %s%s%s\n", count, summary(found), f.ignorance(), skipped)
	}
	if failed != nil {
		return failed
	}
	if found.Err() != nil || f.strict && len(found) > 0 {
		return errFindings
	}
	return nil
}

// check is everything that is to be said about one file, whose lines it notes.
func (f *checkFlags) check(ctx context.Context, std streams, of checked, shown lines) (config.Diagnostics, error) {
	p, err := of.load(ctx, config.Options{ServersFile: f.servers, AssumeEnv: f.anyEnv})
	var found config.Diagnostics
	switch {
	case errors.As(err, &found):
		return found, nil
	case err != nil:
		return nil, err
	}
	shown.note(of, p.File.Secrets)
	locked, found, err := lockBeside(p)
	if err != nil {
		return nil, err
	}
	known := locked
	if locked == nil && !f.live {
		f.noteUnknown(p)
	}
	if f.live {
		var missing config.Diagnostics
		known, missing, err = askNow(ctx, std, p, locked)
		found = append(found, missing...)
	}
	more, ended := p.Check(ctx, known)
	if ended != nil {
		return nil, ended
	}
	found = append(found, more...)
	for i := range found { // what servers tell may be in it
		found[i].Message = p.File.Secrets.Redact(found[i].Message)
		found[i].Hint = p.File.Secrets.Redact(found[i].Hint)
	}
	found.Sort()
	return found, err
}

// noteUnknown counts the tools that a file without a lock calls.
func (f *checkFlags) noteUnknown(p *project.Project) {
	count := 0
	for _, tools := range toolsOf(p) {
		count += len(tools)
	}
	if count > 0 {
		f.unknown += count
		f.unlocked = append(f.unlocked, p.File.Path)
	}
}

// ignorance is what no finding can tell: of which tools nothing was known. Empty when
// there are none.
func (f *checkFlags) ignorance() string {
	if f.unknown == 0 {
		return ""
	}
	tools := "the tool that is called"
	if f.unknown > 1 {
		tools = fmt.Sprintf("the %d tools that are called", f.unknown)
	}
	file := "FILE"
	if len(f.unlocked) == 1 && f.unlocked[0] != unnamedInput {
		file = wording.Printable(f.unlocked[0])
	}
	return fmt.Sprintf(" (nothing is known of %s: toolgraph lock %s, or --live)", tools, file)
}

// askNow is what the servers tell of the tools that the graphs call, as a lock that is
// not written; what an older one has learned of them stays known. With it come the calls
// of tools that there are not. The error tells which servers could not be asked.
func askNow(ctx context.Context, std streams, p *project.Project, older *lock.Lock) (*lock.Lock, config.Diagnostics, error) {
	log, err := observe.NewLogger(std.err, "error", "text", p.File.Secrets)
	if err != nil {
		return older, nil, err
	}
	pool := newPool(p, log)
	defer closePool(pool, log)
	told, missing, err := askTools(ctx, pool, p, toolsOf(p), nil)
	if err != nil {
		err = errors.New(wording.Printable(p.File.Secrets.Redact(err.Error())))
	}
	return lock.Of(lock.Path(p.File.Path), told...).Recall(older), missing, err
}

func summary(found config.Diagnostics) string {
	if len(found) == 0 {
		return "no findings"
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

var findingFormats = map[string]func(io.Writer, config.Diagnostics) error{
	"text":  writeText,
	"json":  writeJSON,
	"sarif": writeSARIF,
}

func writeText(w io.Writer, found config.Diagnostics) error {
	for _, d := range found {
		if _, err := fmt.Fprintln(w, wording.OneLine(d.String())); err != nil {
			return err
		}
	}
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
