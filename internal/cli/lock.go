package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/lock"
	"toolgraph/internal/observe"
	"toolgraph/internal/project"
	"toolgraph/internal/wording"
)

type lockFlags struct {
	servers, format, logLevel string
	only                      []string
	check, learn              bool
	history                   historyFlags
}

func newLock(std streams) *cobra.Command {
	flags, file := lockFlags{}, ""
	cmd := &cobra.Command{
		Use:   "lock FILE",
		Short: "Pin the tools of other servers that a graph file calls",
		Long: `Pin the tools of other servers that a graph file calls: start the servers, ask what they
tell of these tools, and write it into graph.lock.yaml beside graph.yaml. Commit it.

What changed since the last time is printed: each place of a definition that is another
now, and what toolgraph check finds in this graph because of it, which it did not find
before. serve --locked and run --locked then refuse to call a tool whose server tells
something else of it than the lock, until somebody has looked and locked it again.

With --check nothing is written, and the exit code is 1 when the lock is missing or not
what the servers tell now. With --learn, tools that declare no outputSchema get one made
of recorded answers: of the cassettes that toolgraph test --record has written beside the
graph file, and of the file's kept runs. toolgraph check then knows what such tools
answer.`,
		Example: `  toolgraph lock graph.yaml
  toolgraph lock graph.yaml --check            in CI
  toolgraph lock graph.yaml --server tracker   ask this server only
  toolgraph lock graph.yaml --learn`,
		Args: onlyGraph,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flags.format != "text" && flags.format != "json" {
				return usagef("--format is %q, expected text or json", flags.format)
			}
			return flags.run(cmd.Context(), std, file)
		},
	}
	cmd.Flags().StringVarP(&flags.servers, "mcp", "m", "", `a file with more servers, {"mcpServers": {…}}`)
	cmd.Flags().StringSliceVar(&flags.only, "server", nil, "ask this server only; may be repeated")
	cmd.Flags().BoolVar(&flags.check, "check", false, "write nothing; exit with 1 when the lock is missing or stale")
	cmd.Flags().BoolVar(&flags.learn, "learn", false, "give tools without an outputSchema one made of recorded answers")
	flags.history.registerState(cmd.Flags())
	cmd.Flags().StringVarP(&flags.format, "format", "f", "text", "text or json")
	cmd.Flags().StringVar(&flags.logLevel, "log-level", "error", "debug, info, warn or error")
	return takesGraph(cmd, &file)
}

func (f *lockFlags) run(ctx context.Context, std streams, file string) error {
	p, err := load(ctx, file, f.servers)
	if err != nil {
		return err
	}
	log, err := observe.NewLogger(std.err, f.logLevel, "text", p.File.Secrets)
	if err != nil {
		return usageError{err}
	}
	wanted := toolsOf(p)
	if err := f.knowServers(p, wanted); err != nil {
		return err
	}
	path := lock.Path(file)
	older, err := f.older(std, path)
	if err != nil {
		return err
	}
	pool := newPool(p, log, newTerminal(ctx, std).asks(p.File.Secrets))
	defer closePool(pool, log)
	asked, odd, err := askTools(ctx, pool, p, wanted, f.only)
	for i := range odd {
		odd[i].Severity = config.Error // what is ambiguous cannot be pinned
	}
	if err = errors.Join(err, odd.Err()); err != nil {
		fmt.Fprintf(std.err, "toolgraph: %s\n", wording.Printable(p.File.Secrets.Redact(err.Error())))
		return errReported
	}
	newer := lock.Of(path, append(f.untouched(older, wanted), asked...)...).Recall(older)
	if f.learn {
		if newer, err = f.learned(ctx, newer, p, log); err != nil {
			return err
		}
	}
	findings, err := newFindings(ctx, p, older, newer)
	if err != nil {
		return err
	}
	report := lockReport{
		Lock: path, Missing: older == nil, Changes: older.Compare(newer), Findings: findings, Learned: f.learn,
	}
	if err := report.print(std.out, f.format, newer, p.File.Path); err != nil {
		return err
	}
	if !f.check {
		return newer.Write(path)
	}
	if report.stale() {
		fmt.Fprintf(std.err, "toolgraph: %s is %s; run: toolgraph lock %s\n", path, report.state(), file)
		return errReported
	}
	return nil
}

// older is the lock that there is, nil when there is none. One that contradicts itself
// is refused where any entry of it could stay.
func (f *lockFlags) older(std streams, path string) (*lock.Lock, error) {
	l, edited, err := lock.LoadToReplace(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil //nolint:nilnil // nothing is locked yet
	case err != nil:
		return nil, err
	case f.check || len(f.only) > 0:
		return l, edited.Err()
	}
	for i := range edited {
		edited[i].Severity = config.Warning // it is about to be written again
	}
	printDiagnostics(std.err, edited)
	return l, nil
}

// knowServers checks the names given with --server.
func (f *lockFlags) knowServers(p *project.Project, wanted map[string][]string) error {
	for _, name := range f.only {
		if wanted[name] != nil {
			continue
		}
		var called []string
		for _, u := range p.File.Servers {
			if wanted[u.Name.Value] != nil {
				called = append(called, u.Name.Value)
			}
		}
		return usagef("--server %s: the graphs of %s call no server of that name%s", name, p.File.Path, wording.Suggest(name, called))
	}
	return nil
}

// untouched are the entries of servers that are not asked, as far as they are called.
func (f *lockFlags) untouched(older *lock.Lock, wanted map[string][]string) []lock.Entry {
	if older == nil || len(f.only) == 0 {
		return nil
	}
	var kept []lock.Entry
	for _, e := range older.Entries {
		if !slices.Contains(f.only, e.Server) && slices.Contains(wanted[e.Server], e.Tool) {
			kept = append(kept, e)
		}
	}
	return kept
}
