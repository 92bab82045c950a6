package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/lock"
	"toolgraph/internal/observe"
	"toolgraph/internal/project"
)

type checkFlags struct {
	format, servers      string
	live, anyEnv, strict bool

	unlocked []string // the files without a lock that call tools
	unknown  int      // how many tools those are
}

func newCheck(std streams) *cobra.Command {
	flags := checkFlags{format: "text"}
	cmd := &cobra.Command{
		Use:   "check FILE…",
		Short: "Tell every mistake in graph files",
		Long: `Tell every mistake in graph files, each with its line and column. No graph is run. Besides
what keeps a file from being served, it follows each graph from node to node and tells
what goes wrong on the way: fields that an output does not have, nodes that may not have
run, arguments that a tool refuses, results that do not fit, loops that never end.

How much it knows depends on what is known of the tools that are called: what the lock
beside the file says (see toolgraph lock), or with --live what their servers tell now,
which starts them. Without either, and where a tool says nothing, it stays silent.

The exit code is 3 when a file has an error; warnings alone leave it 0, unless --strict
is given.`,
		Example: `  toolgraph check graph.yaml
  toolgraph check graph.yaml --live --strict       in CI
  toolgraph check graphs/*.yaml --any-env --format sarif > findings.sarif`,
		Args: args(1, -1, "at least one graph file"),
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd.Context(), std, args) },
	}
	cmd.Flags().StringVarP(&flags.format, "format", "f", flags.format, "text, json or sarif")
	cmd.Flags().StringVarP(&flags.servers, "mcp", "m", "", `a file with more servers, {"mcpServers": {…}}`)
	cmd.Flags().BoolVar(&flags.live, "live", false, "start the servers that the graphs call, and ask them for their tools")
	cmd.Flags().BoolVar(&flags.anyEnv, "any-env", false, "take every ${VAR} for set: for checking elsewhere than where the file runs")
	cmd.Flags().BoolVar(&flags.strict, "strict", false, "exit with 3 for warnings, too")
	return cmd
}

func (f *checkFlags) run(ctx context.Context, std streams, paths []string) error {
	print, known := findingFormats[f.format]
	if !known {
		return usagef("--format is %q, expected text, json or sarif", f.format)
	}
	if f.live && f.anyEnv {
		return usagef("--live starts servers, which need what --any-env does without: give one of them")
	}
	var found config.Diagnostics
	var failed error // files that could not be read, servers that could not be asked
	shown := lines{}
	isText := f.format == "text"
	if isText && isTerminal(std.out) {
		print = shown.write
	}
	for _, path := range paths {
		fresh, err := f.check(ctx, std, path, shown)
		if ctx.Err() != nil {
			return context.Cause(ctx)
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
	if failed != nil {
		return failed
	}
	if found.Err() != nil || f.strict && len(found) > 0 {
		return errFindings
	}
	if isText {
		fmt.Fprintf(std.err, "%s: %s%s\n", plural(len(paths), "file"), summary(found), f.ignorance())
	}
	return nil
}

// check is everything that is to be said about one file, whose lines it notes.
func (f *checkFlags) check(ctx context.Context, std streams, path string, shown lines) (config.Diagnostics, error) {
	p, err := project.Load(ctx, path, config.Options{ServersFile: f.servers, AssumeEnv: f.anyEnv})
	var found config.Diagnostics
	switch {
	case errors.As(err, &found):
		return found, nil
	case err != nil:
		return nil, err
	}
	shown.note(path, p.File.Secrets)
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
	if len(f.unlocked) == 1 {
		file = printable(f.unlocked[0])
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
		err = errors.New(printable(p.File.Secrets.Redact(err.Error())))
	}
	return lock.Of(lock.Path(p.File.Path), told...).Recall(older), missing, err
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
	for _, d := range found {
		if _, err := fmt.Fprintln(w, oneLine(d.String())); err != nil {
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
