package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/internal/base/diff"
	"toolgraph/internal/base/files"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/interop/adopt"
	"toolgraph/internal/interop/hostconfig"
	"toolgraph/internal/program"
	"toolgraph/internal/project/registry"
)

type adoptFlags struct {
	sessionFlags
	keep      []string
	dry, undo bool
	force     bool
	format    string
}

func newAdopt(std program.Streams) *cobra.Command {
	flags := adoptFlags{}
	names := hostconfig.Names()
	cmd := &cobra.Command{
		Use:   "adopt HOST",
		Short: "Put all servers of an MCP host behind one entry",
		Long: `Put the servers that an MCP host has in its own configuration behind one entry: agents then
have search_tools, which finds tools, and run_plan, which makes many calls in one request, in
place of the definitions of all tools. HOST is ` + program.Alternatives(names) + `.

The servers are started once and their tools are locked. What changes, which servers stay
and why, the tokens of all definitions before and after, and the tools that will run without a
question are shown first; nothing is written without a yes. A server goes into the user's registry,
a graph file with a plan and its lock go beside it, and the host gets one entry that starts it.
Values of variables and headers stay in the host's file, in the one entry. The old file stays
beside it as a backup.

With --undo, the host's file becomes what it was, byte for byte when nothing else has
changed it; else the adopted entries alone are put back. What the registry and the
directory got is removed unless it is used or was changed.`,
		Example: `  toolgraph adopt claude-code --dry-run
  toolgraph adopt cursor --keep browser
  toolgraph adopt cursor --undo`,
		Args:      program.Args(1, 1, "the name of a host"),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			host, err := hostNamed(args[0])
			if err != nil {
				return err
			}
			if flags.undo {
				return flags.takeBack(cmd.Context(), std, host)
			}
			return flags.run(cmd.Context(), std, host)
		},
	}
	cmd.Flags().StringSliceVar(&flags.keep, "keep", nil, "leave this `server` where it is; may be repeated")
	cmd.Flags().BoolVar(&flags.dry, "dry-run", false, "print what would change, and change nothing")
	cmd.Flags().BoolVar(&flags.undo, "undo", false, "take the adoption back")
	cmd.Flags().BoolVar(&flags.yes, "yes", false, "agree to what is shown")
	cmd.Flags().BoolVar(&flags.force, "force", false, "follow a symbolic link out of the directory of the host's file")
	program.FormatFlag(cmd, &flags.format)
	return cmd
}

// links returns which symbolic links the host's file may be.
func (f *adoptFlags) links() files.Links {
	if f.force {
		return files.AnyLinks
	}
	return files.LinksInside
}

// readAdoption returns what would become of the servers of a host.
func (f *adoptFlags) readAdoption(host *hostconfig.Host) (*adopt.Adoption, error) {
	r, err := registry.OfUser()
	if err != nil {
		return nil, err
	}
	home, _ := os.UserHomeDir() // "" when it is unknown: what needs it is reported
	return adopt.Read(host, adopt.Options{
		Reader:   hostconfig.Options{Home: home, Lookup: os.LookupEnv, IsSelf: isSelf},
		Registry: r, Keep: f.keep,
		Launch: func(graph string) (l hostconfig.Launch, err error) {
			l = hostconfig.Launch{
				Name: "toolgraph", Description: "Finds and calls the tools of all servers", Args: []string{"-g", graph, "--locked"},
				IsSelf: isSelf,
			}
			l.Command, err = programPath()
			return l, err
		},
	})
}

// adoption is what the command prints.
type adoption struct {
	Host    string          `json:"host"`
	File    string          `json:"file"`
	Entry   string          `json:"entry,omitempty"` // the name of the one entry
	DryRun  bool            `json:"dryRun"`
	Written bool            `json:"written"`
	Backup  string          `json:"backup,omitempty"`
	Adopted []adoptedServer `json:"adopted"`
	Stays   []stayingServer `json:"stays"`
	Tools   toolCount       `json:"tools"`
	Diff    string          `json:"diff"` // secrets in it are redacted
	Next    []string        `json:"next"`
}

type adoptedServer struct {
	Name  string   `json:"name"`
	As    string   `json:"as"`
	Tools int      `json:"tools"`
	Free  []string `json:"free"` // tools that run without a question
	Notes []string `json:"notes,omitempty"`
}

type stayingServer struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// toolCount is how many tools, and about how many tokens of their definitions, the host has at the start.
type toolCount struct {
	Before       int `json:"before"`
	After        int `json:"after"`
	TokensBefore int `json:"tokensBefore"`
	TokensAfter  int `json:"tokensAfter"`
}

func (f *adoptFlags) run(ctx context.Context, std program.Streams, host *hostconfig.Host) error {
	a, err := f.readAdoption(host)
	if err != nil {
		return fmt.Errorf("cannot adopt from %s: %w", host.Title, err)
	}
	tried, err := f.try(ctx, std, a)
	if err != nil {
		return err
	}
	defer tried.end()
	after, err := a.Content()
	if err != nil {
		return fmt.Errorf("cannot adopt from %s: %w", host.Title, err)
	}
	report := tried.report(a)
	report.DryRun = f.dry
	older, newer := hostconfig.Shown(a.Before(), after)
	report.Diff = diff.Text(a.File, older, a.File+" (new)", newer)
	if f.format != "json" {
		if err := report.print(std); err != nil {
			return err
		}
	}
	if len(report.Adopted) == 0 || f.dry {
		return f.end(std, report, nil)
	}
	if err := f.agreed(ctx, std, "Adopt "+wording.Count(len(report.Adopted), "server")+"?"); err != nil {
		return err
	}
	report.Backup, err = a.Write(ctx, tried.locked, f.links())
	if err != nil {
		err = explainConfig(err, host)
	}
	report.Written = err == nil
	return f.end(std, report, err)
}

// end prints what was done.
func (f *adoptFlags) end(std program.Streams, report *adoption, err error) error {
	switch {
	case err != nil:
		return err
	case f.format == "json":
		return program.WriteEscaped(std.Out, report, "  ")
	case len(report.Adopted) == 0:
		program.PrintLine(std.Out, "nothing to adopt")
	case report.Written:
		program.PrintLine(std.Out, "adopted: %s has one entry, %s, for %s", report.File, wording.Quote(report.Entry), wording.Count(len(report.Adopted), "server"))
		program.PrintLine(std.Out, "the old file is %s; to take this back: toolgraph adopt %s --undo", report.Backup, report.Host)
		for _, next := range report.Next {
			program.PrintLine(std.Err, "%s", next)
		}
	}
	return nil
}

// agreed asks the person at the terminal; --yes agrees. The error says that there was no yes.
func (f *adoptFlags) agreed(ctx context.Context, std program.Streams, question string) error {
	if f.yes {
		return nil
	}
	if !program.IsTerminal(std.In) {
		return errors.New("nothing was written, because standard input is not a terminal; read what is shown, and add --yes")
	}
	fmt.Fprintf(std.Err, "%s [y/N] ", question)
	line, err := newLineReader(std.In).line(ctx)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		return errors.New("nothing was written")
	}
	return nil
}

// print prints what would change.
func (r *adoption) print(std program.Streams) error {
	if r.Diff != "" {
		if _, err := io.WriteString(std.Out, wording.Printable(r.Diff)); err != nil {
			return err
		}
	}
	var rows [][]string
	for _, s := range r.Adopted {
		about := wording.Count(s.Tools, "tool")
		if s.As != s.Name {
			about += ", as " + s.As
		}
		for _, note := range s.Notes {
			about += "; " + note
		}
		rows = append(rows, []string{"  adopted", s.Name, about})
	}
	for _, s := range r.Stays {
		rows = append(rows, []string{"  stays", s.Name, s.Why})
	}
	if err := program.WriteTable(std.Out, rows); err != nil {
		return err
	}
	if len(r.Adopted) == 0 {
		return nil
	}
	program.PrintLine(std.Out, "tools at the start: %d now, about %d tokens; then %d, about %d tokens, without those of servers that stay",
		r.Tools.Before, r.Tools.TokensBefore, r.Tools.After, r.Tools.TokensAfter)
	program.PrintLine(std.Out, "without a question run, by the word of their servers, which the lock holds (all other calls are asked about):")
	for _, s := range r.Adopted {
		free := "none"
		if len(s.Free) > 0 {
			free = strings.Join(s.Free, ", ")
		}
		program.PrintLine(std.Out, "  %s: %s", s.As, free)
	}
	return nil
}
