package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/base/diff"
	"toolgraph/internal/base/files"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/interop/hostconfig"
	"toolgraph/internal/program"
)

type configFlags struct {
	graphFile, servers string
	name, url, scope   string
	write, dry, force  bool
	allowExec          bool
	locked             string // true, false, or auto: when there is a lock file
	format             string
}

func newConfig(std program.Streams) *cobra.Command {
	flags := configFlags{}
	names := hostconfig.Names()
	cmd := &cobra.Command{
		Use:   "config HOST FILE",
		Short: "Put this graph into the configuration of an MCP host",
		Long: `Print the entry with which an MCP host starts this graph, with absolute paths, and on
standard error the file that it belongs to. HOST is ` + program.Alternatives(names) + `.

With --write the entry is put into that file. Everything else in it stays as it is, with
comments and formatting, and the old file stays beside it as a backup. An entry of
toolgraph is updated, and keeps what was added to it, such as the values of variables; an
entry of another server under the name is replaced only with --force. --dry-run prints the
changes as a diff and writes nothing.

The entry that was written is started once, and its tools are listed; when that fails, the
exit code is 1 and the entry stays. A graph file with programs needs --allow-exec, and one
with a lock file gets --locked.

With --http the entry is for a server that runs already, and FILE gives its name. No secret
is written: variables that the graph reads are references or placeholders, which are listed.`,
		Example: `  toolgraph config claude-desktop graph.yaml
  toolgraph config claude-code graph.yaml --write
  toolgraph config vscode graph.yaml --scope project --dry-run
  toolgraph config codex graph.yaml --http http://127.0.0.1:8080/mcp --write`,
		Args:      program.Args(1, 1, "the name of a host and a graph file"),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			host, err := hostNamed(args[0])
			if err != nil {
				return err
			}
			return flags.run(cmd.Context(), std, host)
		},
	}
	program.ServersFlag(cmd, &flags.servers)
	cmd.Flags().StringVar(&flags.name, "name", "", "`name` of the entry (default server.name of the graph file)")
	cmd.Flags().StringVar(&flags.url, "http", "", "`URL` of a server that runs already (serve --http), instead of a program to start")
	program.ChoiceFlag(cmd, &flags.scope, "scope", "", "whose configuration: the user's, or that of the project in this directory", "user", "project")
	cmd.Flags().BoolVar(&flags.write, "write", false, "put the entry into the host's file")
	cmd.Flags().BoolVar(&flags.dry, "dry-run", false, "print what --write would change, and write nothing")
	cmd.Flags().BoolVar(&flags.force, "force", false, "replace an entry of another server that has the name, and follow a symbolic link out of its directory")
	cmd.Flags().BoolVar(&flags.allowExec, "allow-exec", false, "let the entry start the programs of servers of type exec; only for graph files that you trust")
	program.ChoiceFlag(cmd, &flags.locked, "locked", "", "whether the entry refuses tools that differ from the lock file; auto: when there is one", "auto", "true", "false")
	cmd.Flags().Lookup("locked").NoOptDefVal = "true"
	program.FormatFlag(cmd, &flags.format)
	return program.TakesGraph(cmd, &flags.graphFile)
}

// hostNamed returns the host of a name of the command line.
func hostNamed(name string) (*hostconfig.Host, error) {
	if host := hostconfig.Find(name); host != nil {
		return host, nil
	}
	names := hostconfig.Names()
	return nil, program.Usagef("unknown host %q (known: %s)%s", name, strings.Join(names, ", "), wording.Suggest(name, names))
}

// hostEntry is the report of config.
type hostEntry struct {
	Host      string                `json:"host"`
	Scope     hostconfig.Scope      `json:"scope"`
	File      string                `json:"file"` // that the entry belongs to
	Name      string                `json:"name"`
	Entry     string                `json:"entry"`            // as a new file of the host has it
	Action    hostconfig.Action     `json:"action,omitempty"` // with --write and --dry-run
	Written   bool                  `json:"written"`
	Backup    string                `json:"backup,omitempty"`  // the old file
	Diff      string                `json:"diff,omitempty"`    // with --dry-run; secrets in it are redacted
	Variables []string              `json:"variables"`         // that need values
	Optional  []hostconfig.Optional `json:"optional"`          // variables that have defaults in the graph file
	Dropped   []string              `json:"dropped,omitempty"` // names of what the entry had and loses
	Warnings  []string              `json:"warnings"`
	Next      []string              `json:"next"`              // what the user sees or has to do
	Command   string                `json:"command,omitempty"` // that adds the entry as well
	Started   *entryStart           `json:"started,omitempty"` // with --write, of an entry that starts a program

	dir string // of the project
}

func (f *configFlags) run(ctx context.Context, std program.Streams, host *hostconfig.Host) error {
	scope := hostconfig.Scope(f.scope)
	if err := f.check(host, scope); err != nil {
		return err
	}
	launch, warnings, err := f.launch()
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	report := &hostEntry{
		Host: host.Name, Scope: scope, File: host.Target(scope, dir), Name: launch.Name, dir: dir,
		Variables: launch.Variables, Optional: launch.Optional, Warnings: warnings, Next: host.Next(scope, launch),
	}
	if report.Entry, err = host.Snippet(launch); err != nil {
		return err
	}
	if report.File == "" && (f.write || f.dry) {
		return fmt.Errorf("%s; set it, or add the printed entry by hand", homeless(host))
	}
	if host.Name == "claude-code" {
		report.Command = addCommand(host, scope, launch)
	}
	launch.Dropped = func(names []string) { report.Dropped = names }
	switch {
	case f.dry:
		err = report.preview(host, launch)
	case f.write:
		err = report.write(ctx, host, launch)
	}
	if err != nil {
		return explainConfig(err, host)
	}
	if f.write && f.url == "" && !f.dry {
		report.Started = startEntry(ctx, launch)
	}
	if f.format == "json" {
		err = program.WriteEscaped(std.Out, report, "  ")
	} else {
		err = report.print(std, host)
	}
	if err == nil && report.Started != nil && report.Started.Failed != "" {
		err = fmt.Errorf("the entry is in %s, and its start has failed: %s", report.File, report.Started.Failed)
	}
	return err
}

// check rejects what the host has no form for.
func (f *configFlags) check(host *hostconfig.Host, scope hostconfig.Scope) error {
	if scope == hostconfig.ProjectScope && !host.HasProjects() {
		return program.Usagef("%s has no configuration of projects; leave out --scope project", host.Title)
	}
	if f.url == "" {
		return nil
	}
	parsed, err := url.Parse(f.url)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
		shown, _, _ := strings.Cut(f.url, "?")
		if at := strings.LastIndexByte(shown, '@'); at >= 0 {
			shown = "…" + shown[at:]
		}
		return program.Usagef("--http is %s, expected a URL such as http://127.0.0.1:8080/mcp", wording.Quote(shown))
	}
	if parsed.User != nil {
		return program.Usagef("the URL of --http has a user or a password, which is never written; leave it out")
	}
	if config.PlainSecret("", f.url) || hostconfig.IsSecret("", f.url) {
		return program.Usagef("a part of the URL of --http looks like a secret, which is never written; leave it out, and add a header in the host's file with a reference to a variable")
	}
	if strings.Contains(f.url, "$") {
		return program.Usagef("the URL of --http refers to a variable, which hosts do not replace in it; leave it out, and add a header in the host's file with a reference to a variable")
	}
	if instead := host.NoHTTP(); instead != "" {
		return program.Usagef("the configuration file of %s has no servers over HTTP; %s", host.Title, instead)
	}
	return nil
}

// preview sets what would be written.
func (r *hostEntry) preview(host *hostconfig.Host, launch hostconfig.Launch) error {
	src, err := hostconfig.Load(r.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	content, action, err := host.Put(r.File, src, launch)
	if err != nil {
		return err
	}
	r.Action = action
	older, newer := hostconfig.Shown(src, content)
	r.Diff = diff.Text(r.File, older, r.File+" (new)", newer)
	return nil
}

// write puts the entry into the host's file.
func (r *hostEntry) write(ctx context.Context, host *hostconfig.Host, launch hostconfig.Launch) (err error) {
	links := files.LinksInside
	if launch.Force {
		links = files.AnyLinks
	} else if r.Scope == hostconfig.ProjectScope { // its name is not the user's
		if err := files.CheckInside(r.dir, r.File); err != nil {
			return err
		}
		links = files.NoLinks
	}
	r.Backup, err = hostconfig.Replace(ctx, r.File, r.Scope, links, func(src []byte) (content []byte, err error) {
		content, r.Action, err = host.Put(r.File, src, launch)
		return content, err
	})
	r.Written = err == nil && r.Action != hostconfig.Unchanged
	return err
}

// explainConfig adds the remedy to an error.
func explainConfig(err error, host *hostconfig.Host) error {
	var foreign *hostconfig.ForeignError
	switch {
	case errors.As(err, &foreign):
		return fmt.Errorf("%w; choose another name with --name, or replace it with --force", err)
	case errors.Is(err, hostconfig.ErrBusy):
		return fmt.Errorf("%w; close %s and try again", err, host.Title)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; without --write the entry is printed, to be added by hand", err)
	}
	return fmt.Errorf("cannot change the configuration of %s: %w", host.Title, linkError(err, followIt))
}

// print prints the entry, the diff or what was written to standard output, and the rest to standard
// error.
func (r *hostEntry) print(std program.Streams, host *hostconfig.Host) error {
	var err error
	switch {
	case r.Action == hostconfig.Unchanged:
		program.PrintLine(std.Out, "nothing changes: %s has this entry", r.File)
	case r.Written:
		program.PrintLine(std.Out, "%s %s in %s", r.Action, wording.Quote(r.Name), r.File)
		if r.Backup != "" {
			program.PrintLine(std.Out, "the old file is %s", r.Backup)
		}
	case r.Action != "":
		_, err = io.WriteString(std.Out, wording.Printable(r.Diff))
	default:
		_, err = fmt.Fprintln(std.Out, r.Entry)
		if r.File == "" {
			program.PrintLine(std.Err, "%s; set it before --write, or add the entry by hand", homeless(host))
			break
		}
		program.PrintLine(std.Err, "%s: %s; add --write to put the entry there, --dry-run to see the changes", host.Title, r.File)
	}
	if len(r.Dropped) > 0 {
		program.PrintLine(std.Err, "warning: the entry had these, which the new one lacks: %s", wording.Printable(strings.Join(r.Dropped, ", ")))
	}
	for _, warning := range r.Warnings {
		program.PrintLine(std.Err, "warning: %s", warning)
	}
	if len(r.Variables) > 0 {
		program.PrintLine(std.Err, "%s: %s", host.Fill(), strings.Join(r.Variables, ", "))
	}
	for _, o := range r.Optional {
		text := "with a default in the graph file"
		if o.Default != "" {
			text = "default " + wording.Quote(o.Default)
		}
		program.PrintLine(std.Err, "%s: optional, %s", o.Name, text)
	}
	if r.Started != nil {
		r.Started.print(std)
	}
	for _, next := range r.Next {
		program.PrintLine(std.Err, "%s", next)
	}
	if r.Command != "" && !r.Written {
		program.PrintLine(std.Err, "The same with its own command: %s", r.Command)
	}
	return err
}

// homeless says why the file of a host is not known.
func homeless(host *hostconfig.Host) string {
	return "the directory of the configuration of " + host.Title + " is not known, because HOME is not set"
}

// addCommand is the command of Claude Code that adds an entry.
func addCommand(host *hostconfig.Host, scope hostconfig.Scope, launch hostconfig.Launch) string {
	words := []string{"claude", "mcp", "add-json", "--scope", string(scope), launch.Name, host.EntryJSON(launch)}
	for i, word := range words {
		words[i] = program.ShellWord(word)
	}
	return strings.Join(words, " ")
}

// programPath returns the path with which hosts start this program. A link that leads to it, as a
// package manager sets one, is better than its target, whose path has the version in it.
func programPath() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	own, err := os.Stat(self)
	if err != nil {
		return "", err
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, filepath.Base(os.Args[0]))
		if info, err := os.Stat(path); filepath.IsAbs(dir) && err == nil && os.SameFile(info, own) {
			return path, nil
		}
	}
	return self, nil
}
