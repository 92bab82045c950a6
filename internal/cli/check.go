package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/editor/checks"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
	"toolgraph/internal/project/lock"
)

type checkFlags struct {
	sessionFlags
	format, stdinPath             string
	live, anyEnv, strict, verbose bool

	unlocked []string // the files without a lock that call tools
	unknown  int      // how many tools these files call that no registry has synced
	unsynced bool     // one of these tools is of a server from a registry
}

func newCheck(std program.Streams) *cobra.Command {
	flags := checkFlags{}
	cmd := &cobra.Command{
		Use:   "check FILE|DIRECTORY|- …",
		Short: "Report all errors in graph files",
		Long: `Report all errors in graph files with line and column, without running a graph. Besides
errors that keep a file from being served, follow each graph from node to node and report
errors on the way: fields that an output does not have, nodes that may not have run,
arguments that a tool rejects, results that do not match their schema, endless loops.

A directory stands for the graph files below it: *.yaml and *.yml files with the keys of a
graph file. Test files (*.test.yaml), lock files (*.lock.yaml), other YAML files, hidden
directories and node_modules are skipped; -v lists the skipped files. - is standard input;
with --stdin-path it is checked as if it were the file at that path.

Calls are checked against the lock file beside the graph file (see toolgraph lock), then
against what servers from a registry listed when they were synced (see toolgraph mcp), or
with --live against the tools that the servers list, which starts them. Without any of
these, calls are not checked.

The exit code is 3 when a file has an error, and with --strict also when it has a warning.`,
		Example: `  toolgraph check graph.yaml
  toolgraph check . --any-env                      all graph files below this directory
  toolgraph check graph.yaml --live --strict       in CI
  toolgraph check - --stdin-path graph.yaml --format json < unsaved.yaml
  toolgraph check graphs --any-env --format sarif > findings.sarif`,
		Args: program.Args(1, -1, "at least one graph file"), SuggestFor: []string{"validate", "lint", "verify"},
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd.Context(), std, args) },
	}
	program.ChoiceFlag(cmd, &flags.format, "format", "f", "output format", "text", "json", "sarif", "github")
	program.JSONFlag(cmd, &flags.format)
	program.ServersFlag(cmd, &flags.Servers)
	flags.Vars.Register(cmd)
	cmd.Flags().BoolVar(&flags.live, "live", false, "start the servers that the graphs call, and check calls against the tools that they list")
	program.AnyEnvFlag(cmd, &flags.anyEnv)
	cmd.Flags().BoolVar(&flags.strict, "strict", false, "exit with 3 for warnings as well")
	cmd.Flags().StringVar(&flags.stdinPath, "stdin-path", "", "`path` of the file that - stands for")
	cmd.Flags().BoolVarP(&flags.verbose, "verbose", "v", false, "list skipped YAML files on standard error")
	return program.TakesGraphs(cmd)
}

func (f *checkFlags) run(ctx context.Context, std program.Streams, paths []string) error {
	if f.live && f.anyEnv {
		return program.Usagef("--live and --any-env exclude each other: servers need the real variables")
	}
	files, skipped, err := f.files(ctx, std, paths)
	if err != nil {
		return err
	}
	var found config.Diagnostics
	var failed error // files that could not be read, servers that could not be asked
	print, shown, done := findingFormats[f.format], lines{}, 0
	isText := f.format == "text"
	if isText && program.IsTerminal(std.Out) {
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
			if err := print(std.Out, fresh); err != nil {
				return err
			}
		}
	}
	if !isText {
		if err := print(std.Out, found); err != nil {
			return err
		}
	}
	if (isText || f.verbose) && done > 0 {
		count := wording.Count(done, "file")
		if done < len(files) {
			count = fmt.Sprintf("%d of %d files", done, len(files))
		}
		fmt.Fprintf(std.Err, "%s: %s%s%s\n", count, terminal.On(std.Err).Paint(summaryStyle(found), summary(found)), f.unchecked(), skipped)
	}
	if failed != nil {
		return failed
	}
	if found.Err() != nil || f.strict && len(found) > 0 {
		program.ExplainFirst(std.Err, found)
		return program.ErrFindings
	}
	return nil
}

// check returns the findings of one file, and notes its lines.
func (f *checkFlags) check(ctx context.Context, std program.Streams, of checked, shown lines) (config.Diagnostics, error) {
	opts := config.Options{ServersFile: f.Servers, AssumeEnv: f.anyEnv, Vars: f.Vars}
	src, err := of.bytes()
	var found config.Diagnostics
	if errors.As(err, &found) {
		return found, nil
	} else if err != nil {
		return nil, err
	}
	c, err := checks.Text(ctx, of.path, src, opts, checks.Beside{})
	if err != nil {
		return nil, err
	}
	if !c.Valid { // no server is started for a file with errors
		return c.Found, nil
	}
	p := c.Project
	shown.note(of, p.File)
	if !f.live {
		if c.Locked == nil {
			f.noteUnknown(p, c.Offline)
		}
		return c.Found, nil
	}
	var locked *lock.Lock
	locked, found, err = checks.LockBeside(p, nil)
	if err != nil {
		return nil, err
	}
	listed, missing, err := f.listed(ctx, std, p, locked)
	found, ended := checks.All(ctx, p, append(found, missing...), checks.Listing{Listed: listed, Locked: locked, File: p.File}, nil)
	if ended != nil {
		return nil, ended
	}
	return found, err
}

// noteUnknown counts the tools that a file without a lock calls and that were not synced.
func (f *checkFlags) noteUnknown(p *project.Project, offline *lock.Offline) {
	count := 0
	for server, tools := range lock.Called(p.Graphs) {
		for _, tool := range tools {
			if _, known := offline.Tool(server, tool); known || offline.Synced(server) {
				continue
			}
			count++
			f.unsynced = f.unsynced || p.File.FromRegistry(server)
		}
	}
	if count > 0 {
		f.unknown += count
		f.unlocked = append(f.unlocked, p.File.Path)
	}
}

// unchecked says whose calls were not checked, empty when all were.
func (f *checkFlags) unchecked() string {
	if f.unknown == 0 {
		return ""
	}
	file := "FILE"
	if len(f.unlocked) == 1 && f.unlocked[0] != unnamedInput {
		file = wording.Printable(f.unlocked[0])
	}
	sync := ""
	if f.unsynced {
		sync = `"toolgraph mcp sync", or `
	}
	return fmt.Sprintf(" (calls to %s were not checked against upstream schemas: run %s\"toolgraph lock %s\" or use --live)",
		wording.Count(f.unknown, "tool"), sync, file)
}

// listed returns what the servers list now about the tools that the graphs call, as a lock that
// is not written; schemas that an older lock has learned stay. The findings are calls of tools
// that do not exist; the error says which servers failed.
func (f *checkFlags) listed(ctx context.Context, std program.Streams, p *project.Project, older *lock.Lock) (*lock.Lock, config.Diagnostics, error) {
	f.lists = true
	l, err := f.start(ctx, std, p)
	if err != nil {
		return older, nil, err
	}
	defer l.Close()
	var steps lock.Steps
	for _, g := range p.Offering() {
		steps = append(steps, lock.StepsOf(g)...)
	}
	wanted := lock.Called(p.Graphs)
	asking := newListing(std.Err, p.File.Path, l.Pool)
	defer asking.shown.clear()
	listed, err := lock.ListAll(ctx, asking, slices.DeleteFunc(slices.Clone(p.File.Servers), func(u *config.Upstream) bool {
		return len(wanted[u.Name.Value]) == 0 && !steps.CallServer(u.Name.Value)
	}))
	if err != nil {
		err = errors.New(wording.Printable(p.File.Secrets.Redact(err.Error())))
	}
	entries, missing := lock.Listed(p.File, p.Graphs, nil, listed)
	missing = append(missing, checks.Requests(p.File, older, listed)...)
	return lock.Of(lock.Path(p.File.Path), entries...).Recall(older), missing, err
}

// unnamedInput is the name of standard input without --stdin-path.
const unnamedInput = "<stdin>"

// checked is a graph file to check; src are its bytes when they came from standard input,
// otherwise nil.
type checked struct {
	path string
	src  []byte
}

// bytes returns the file's bytes, or those from standard input.
func (c checked) bytes() ([]byte, error) {
	if c.src == nil {
		return config.ReadFile(c.path)
	}
	return c.src, nil
}

// files returns the files that the paths of the command line stand for, including -, and a
// summary of skipped files, empty without any.
func (f *checkFlags) files(ctx context.Context, std program.Streams, paths []string) ([]checked, string, error) {
	if err := f.checkInput(paths); err != nil {
		return nil, "", err
	}
	var files []checked
	named := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return path == "-" })
	if len(named) < len(paths) {
		if program.IsTerminal(std.In) {
			fmt.Fprintln(std.Err, "toolgraph: reading the graph file from standard input")
		}
		src, err := program.ReadInput(ctx, std.In, config.MaxFileBytes+1) // one byte more, so that a longer file is a finding
		if err != nil {
			return nil, "", err
		}
		files = append(files, checked{path: f.stdinPath, src: append([]byte{}, src...)})
	}
	found, err := project.Find(ctx, project.NotGraphs, named...)
	if err != nil {
		return nil, "", err
	}
	for _, path := range found.Files {
		files = append(files, checked{path: path})
	}
	for _, s := range found.Skipped {
		if f.verbose {
			fmt.Fprintf(std.Err, "skipped %s: %s\n", wording.Printable(s.Path), s.Why)
		}
	}
	if len(files) == 0 {
		return nil, "", noGraphFiles(named, found)
	}
	if len(found.Skipped) == 0 {
		return files, "", nil
	}
	return files, fmt.Sprintf("; skipped %s (%s)", wording.Count(len(found.Skipped), "YAML file"), found.Why()), nil
}

// checkInput checks the arguments about standard input.
func (f *checkFlags) checkInput(paths []string) error {
	reads := 0
	for _, path := range paths {
		if path == "-" {
			reads++
		}
	}
	switch {
	case reads > 1:
		return program.Usagef("- is given %d times, expected once", reads)
	case reads == 0 && f.stdinPath != "":
		return program.Usagef("--stdin-path requires the argument -: toolgraph check - --stdin-path %s", program.ShellWord(f.stdinPath))
	case f.stdinPath == "":
		f.stdinPath = unnamedInput
	}
	return nil
}

// noGraphFiles is the error of a command line that names no graph file.
func noGraphFiles(paths []string, found *project.Found) error {
	if len(paths) == 1 && len(found.Skipped) == 1 && filepath.Clean(found.Skipped[0].Path) == filepath.Clean(paths[0]) {
		path, what := paths[0], found.Skipped[0].Why
		if what == project.NotGraphs[config.TestEnding] {
			return program.Usagef("%s is a %s, expected a graph file; to run the tests: toolgraph test %s", path, what, program.ShellWord(path))
		}
		return program.Usagef("%s is a %s, expected a graph file", path, what)
	}
	where, skipped := strings.Join(paths, ", "), ""
	if len(found.Skipped) > 0 {
		skipped = fmt.Sprintf("; skipped %s (%s), -v lists them", wording.Count(len(found.Skipped), "YAML file"), found.Why())
	}
	return program.Usagef("no graph file in %s: expected *.yaml or *.yml files with server and tools%s", where, skipped)
}
