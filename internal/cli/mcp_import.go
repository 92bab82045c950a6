package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/internal/base/wording"
	"toolgraph/internal/interop/hostconfig"
	"toolgraph/internal/program"
	"toolgraph/internal/project/registry"
)

type hostImportFlags struct {
	file         string
	project, dry bool
	format       string
}

func newMCPImport(std program.Streams) *cobra.Command {
	flags := hostImportFlags{}
	names := hostconfig.Names()
	cmd := &cobra.Command{
		Use:   "import HOST",
		Short: "Add the servers of an MCP host to the registry",
		Long: `Add the servers that an MCP host has in its own configuration to the user's registry, or
with --project those that it has for this project to the project's. The host's files are
only read. HOST is ` + program.Alternatives(names) + `.

A literal secret is never copied: the entry gets ${NAME} in its place, and the variable to
set is printed. References to variables are written as toolgraph reads them. A server is
left out, with the reason, when the registry has its name already, when it is toolgraph
itself, or when the host has disabled it.`,
		Example: `  toolgraph mcp import claude-desktop --dry-run
  toolgraph mcp import vscode --project
  toolgraph mcp import cursor --file backup/mcp.json`,
		Args:      program.Args(1, 1, "the name of a host"),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			host, err := hostNamed(args[0])
			if err != nil {
				return err
			}
			return flags.run(cmd.Context(), std, host)
		},
	}
	cmd.Flags().StringVar(&flags.file, "file", "", "the host's `file`, instead of where the host has it")
	cmd.Flags().BoolVar(&flags.project, "project", false, "import what the host has for the project in this directory into its registry")
	cmd.Flags().BoolVar(&flags.dry, "dry-run", false, "print what would be imported, and change nothing")
	program.FormatFlag(cmd, &flags.format)
	return cmd
}

// hostImport is the report of an import.
type hostImport struct {
	Host     string              `json:"host"`
	Files    []string            `json:"files"`    // that were read
	Registry string              `json:"registry"` // to which servers are added
	DryRun   bool                `json:"dryRun"`
	Added    []hostconfig.Server `json:"added"`
	Left     []hostconfig.Server `json:"left"`
	Projects []string            `json:"projects,omitempty"` // that have servers of their own in the files
}

func (f *hostImportFlags) run(ctx context.Context, std program.Streams, host *hostconfig.Host) error {
	dir, target, err := f.target(host)
	if err != nil {
		return err
	}
	home, _ := os.UserHomeDir() // "" when it is unknown: what needs it is reported
	reader := hostconfig.NewReader(host, hostconfig.Options{Dir: dir, Home: home, Lookup: os.LookupEnv, IsSelf: isSelf})
	files, err := f.files(host, dir, reader)
	if err != nil {
		return err
	}
	report := &hostImport{
		Host: host.Name, Registry: target.Path, DryRun: f.dry, Files: []string{},
		Added: []hostconfig.Server{}, Left: []hostconfig.Server{},
	}
	into, end, err := f.into(target)
	if err != nil {
		return err
	}
	defer end()
	for _, file := range files {
		report.Files = append(report.Files, file.Path)
		report.Projects = append(report.Projects, file.Projects...)
		for _, s := range file.Servers {
			s = add(ctx, into, target, s)
			if err := ctx.Err(); err != nil {
				return err
			}
			if s.Left == "" {
				report.Added = append(report.Added, s)
			} else {
				report.Left = append(report.Left, s)
			}
		}
	}
	if f.format == "json" {
		return program.WriteEscaped(std.Out, report, "  ")
	}
	return report.print(std.Out, host)
}

// target returns the directory of the project, "" without --project, and the registry to add to.
func (f *hostImportFlags) target(host *hostconfig.Host) (dir string, target registry.Registry, err error) {
	if target, err = registryFor(f.project); err != nil || !f.project {
		return "", target, err
	}
	if dir, err = filepath.Abs("."); err != nil {
		return "", target, err
	}
	if f.file == "" && len(host.ProjectFiles(dir)) == 0 {
		return "", target, program.Usagef("%s has no configuration of single projects; leave out --project, or name a file with --file", host.Title)
	}
	return dir, target, nil
}

// files reads the host's files: for a user the first that exists, for a project all.
func (f *hostImportFlags) files(host *hostconfig.Host, dir string, reader *hostconfig.Reader) (files []*hostconfig.File, err error) {
	paths := []string{f.file}
	switch {
	case f.file != "":
	case dir != "":
		paths = host.ProjectFiles(dir)
	default:
		paths = host.UserFiles()
	}
	for _, path := range paths {
		src, err := hostconfig.Load(path)
		if errors.Is(err, fs.ErrNotExist) && f.file == "" {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("cannot import from %s: %w", host.Title, err)
		}
		file, err := reader.Read(path, src)
		if err != nil {
			return nil, fmt.Errorf("cannot import from %s: %w", host.Title, err)
		}
		if f.file != "" && file.Missing != "" && len(file.Projects) == 0 {
			return nil, fmt.Errorf("cannot import from %s: %s has no servers, expected an object under %q", host.Title, path, file.Missing)
		}
		if files = append(files, file); dir == "" {
			break
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no configuration of %s; looked for %s; name its file with --file", host.Title, strings.Join(paths, ", "))
	}
	return files, nil
}

// into returns the registry that servers are added to: a copy of it for --dry-run. The caller calls
// end.
func (f *hostImportFlags) into(target registry.Registry) (into registry.Registry, end func(), err error) {
	if !f.dry {
		return target, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "toolgraph-import-")
	if err != nil {
		return into, nil, err
	}
	end = func() { _ = os.RemoveAll(dir) }
	into = registry.Registry{Scope: target.Scope, Path: filepath.Join(dir, filepath.Base(target.Path))}
	content, err := os.ReadFile(target.Path)
	if err == nil {
		err = os.WriteFile(into.Path, content, 0o600)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		end()
		return into, nil, err
	}
	return into, end, nil
}

var notInServerName = wording.Pattern(`[^A-Za-z0-9_-]+`)

// add adds a server, under a name that a registry can have. It is left when it cannot be added.
func add(ctx context.Context, into, target registry.Registry, s hostconfig.Server) hostconfig.Server {
	if s.Left != "" {
		return s
	}
	if registry.CheckName(s.Name) != nil {
		name := strings.Trim(notInServerName().ReplaceAllString(s.Name, "-"), "-")
		s.Notes = append(s.Notes, fmt.Sprintf("its name there is %s; names have letters, digits, _ and - here", wording.Quote(s.Name)))
		s.Name = name
	}
	if base, err := filepath.Abs(filepath.Dir(target.Path)); err == nil && target.Scope == registry.Project && filepath.IsAbs(s.Entry.Cwd) {
		if relative, err := filepath.Rel(base, s.Entry.Cwd); err == nil {
			s.Entry.Cwd = relative // the project's place may differ between machines
		}
	}
	err := into.Put(ctx, s.Name, *s.Entry, false)
	switch {
	case err == nil:
		return s
	case errors.Is(err, registry.ErrExists):
		s.Left = "the registry has this name already"
	default:
		s.Left = strings.ReplaceAll(err.Error(), into.Path, target.Path)
	}
	s.Entry, s.Set, s.Notes = nil, nil, nil
	return s
}

// isSelf reports whether a command is this program.
func isSelf(command string) bool {
	name := strings.TrimSuffix(filepath.Base(filepath.ToSlash(command)), ".exe")
	if name == "toolgraph" {
		return true
	}
	self, err := os.Executable()
	if err != nil {
		return false
	}
	own, err := os.Stat(self)
	if err != nil {
		return false
	}
	other, err := os.Stat(command)
	return err == nil && os.SameFile(own, other)
}

func (r *hostImport) print(w io.Writer, host *hostconfig.Host) error {
	program.PrintLine(w, "%s: %s", host.Title, strings.Join(r.Files, ", "))
	var rows [][]string
	for _, s := range r.Added {
		rows = append(rows, []string{"  added", s.Name, strings.Join(s.Notes, "; ")})
	}
	for _, s := range r.Left {
		rows = append(rows, []string{"  left", s.Name, s.Left})
	}
	if err := program.WriteTable(w, rows); err != nil {
		return err
	}
	var set [][]string
	for _, s := range r.Added {
		for _, v := range s.Set {
			row := []string{"  " + v.Name, fmt.Sprintf("%s of %s, which is at %s", v.For, s.Name, v.Pos)}
			if !slices.ContainsFunc(set, func(other []string) bool { return other[0] == row[0] }) {
				set = append(set, row)
			}
		}
	}
	if len(set) > 0 {
		program.PrintLine(w, "Secrets are not copied. Set these variables to them, where toolgraph is started:")
		if err := program.WriteTable(w, set); err != nil {
			return err
		}
	}
	if len(r.Projects) > 0 {
		program.PrintLine(w, "Not imported: servers of %s; run toolgraph mcp import %s --project in their directories.", wording.List(r.Projects), host.Name)
	}
	added := wording.Count(len(r.Added), "server") + " added"
	if r.DryRun {
		added = wording.Count(len(r.Added), "server") + " would be added"
	}
	program.PrintLine(w, "%s to %s, %d left", added, r.Registry, len(r.Left))
	if len(r.Added) > 0 && !r.DryRun {
		program.PrintLine(w, "To ask them for their tools: toolgraph mcp sync")
	}
	return nil
}
